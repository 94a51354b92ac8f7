/** The words that fields of a fault may have. */
import { GrpcCode, type GrpcCodeName, rpcNames } from '../../cri/index.js';

export { pullAnswers } from '../../mock/index.js';

/** Calls of the CRI; `*` is all of them. */
export const faultMethods: readonly string[] = ['*', ...rpcNames];
export const faultCodes = Object.keys(GrpcCode) as GrpcCodeName[];
export const signalNames = ['KILL', 'TERM', 'INT', 'HUP', 'QUIT', 'USR1', 'USR2', 'SEGV', 'ABRT'] as const;
export const faultProbes = ['liveness', 'readiness', 'startup', 'any'] as const;
/** The resources that a node can run short of. */
export const pressures = ['memory', 'disk', 'inodes', 'pid'] as const;
