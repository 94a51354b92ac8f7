import type { FlagSpecs } from '../cli/args.js';

export const conformanceFlags = {
  runtime: {
    type: 'string',
    value: 'mock|cri',
    help: 'mock: the mock runtime, in virtual time (default); cri: a real one',
  },
  'runtime-endpoint': {
    type: 'string',
    value: 'unix:///PATH',
    help: 'a runtime that runs already (default: a containerd of our own)',
  },
  record: {
    type: 'string',
    value: 'DIR',
    help: 'write what our kubelet did, one file per recording; a file with steps alone is recorded, not compared',
  },
  seed: { type: 'int', value: 'N', min: 0, help: 'seed of the mock (default 1)' },
  tries: {
    type: 'int',
    value: 'N',
    min: 1,
    max: 10,
    help: "runs of a recording of which the best counts (default 3): the kubelet's own jitter may not fit",
  },
  jobs: {
    type: 'int',
    value: 'N',
    min: 1,
    max: 8,
    help: 'recordings at once on real runtimes (default 3), or cases of the contract',
  },
  smoke: { type: 'bool', help: 'instead: look at the program itself, `syncloop kubelet`, on a containerd of our own' },
  contract: {
    type: 'bool',
    help: "instead: the runtime's own contract, without a kubelet: the mock over gRPC, or a real runtime. FILE: parts of cases' names",
  },
  verbose: { type: 'bool', help: 'print checks that pass, too' },
  help: { type: 'bool', short: 'h', help: 'print this' },
} as const satisfies FlagSpecs;
