/** A message of a kubelet's log as data: its text, who prints it, and what it proves. */
import type { Json, SymptomCode } from '@syncloop/core/trace';
import type { Family } from './causes.js';

/** The verbosity that prints it: `-v` of information; errors and warnings are always printed. */
export type Gate = number | 'E' | 'W';

export type WorkerMoment = 'begin' | 'done' | 'failed' | 'cancelled';
export type ConfigOp = 'ADD' | 'UPDATE' | 'REMOVE' | 'RECONCILE' | 'DELETE';

/** The facts that messages prove. The story (../story/) has one function for each. */
export type Says =
  /** Known, and nothing follows from it that a record could say; `about` is the part of the kubelet. */
  | { readonly is: 'nothing' }
  | { readonly is: 'version' }
  | { readonly is: 'runtime' }
  | { readonly is: 'node' }
  | { readonly is: 'manager'; readonly name: string; readonly state: 'started' | 'stopped' | 'failed' }
  // The loop.
  | { readonly is: 'loop'; readonly phase: 'begin' | 'end' }
  | { readonly is: 'gate' }
  | { readonly is: 'runtime-status' }
  | { readonly is: 'network' }
  | { readonly is: 'config'; readonly op: ConfigOp }
  | { readonly is: 'pleg'; readonly known: boolean }
  | { readonly is: 'tick' }
  | { readonly is: 'probe-update'; readonly probe?: 'liveness' | 'startup'; readonly syncs: boolean }
  | { readonly is: 'devices' }
  | { readonly is: 'housekeeping'; readonly phase: 'begin' | 'end' | 'skipped' }
  | { readonly is: 'admission' }
  | { readonly is: 'mirror-unknown' }
  // Pod workers.
  | { readonly is: 'worker'; readonly from?: 'sync' | 'terminating' | 'terminated'; readonly to: string }
  | { readonly is: 'update' }
  | { readonly is: 'update-dropped'; readonly again?: true }
  | { readonly is: 'start-held'; readonly verdict: string }
  | { readonly is: 'work'; readonly moment: WorkerMoment }
  | { readonly is: 'terminal' }
  | { readonly is: 'worker-stopped' }
  | { readonly is: 'killer'; readonly moment: 'marked' | 'begin' | 'end' }
  // Syncs.
  | { readonly is: 'method'; readonly fn: string; readonly at: 'enter' | 'exit' }
  | { readonly is: 'step'; readonly fn: string; readonly n: number; readonly name: string }
  | { readonly is: 'phase' }
  | { readonly is: 'mirror' }
  | { readonly is: 'identity' }
  // PLEG.
  | { readonly is: 'transition' }
  | { readonly is: 'finished' }
  | { readonly is: 'sandbox-ids' }
  | { readonly is: 'cgroup-seen' }
  // The runtime manager.
  | { readonly is: 'sandbox-decision' }
  | { readonly is: 'actions' }
  | { readonly is: 'container-decision'; readonly verdict: 'start' | 'kill' }
  | { readonly is: 'sandbox'; readonly at: 'enter' | 'exit' | 'failed' }
  | { readonly is: 'start'; readonly at: 'enter' | 'failed' }
  | { readonly is: 'backoff' }
  | { readonly is: 'kill'; readonly at: 'enter' | 'override' | 'exit' | 'failed' }
  | { readonly is: 'hook'; readonly at: 'enter' | 'exit'; readonly fn: string }
  | { readonly is: 'call-failed'; readonly method: string; readonly image?: boolean }
  // The rest.
  | { readonly is: 'status-patch' }
  | { readonly is: 'status'; readonly changed: boolean }
  | { readonly is: 'probe'; readonly outcome: 'success' | 'warning' | 'failure' | 'unknown' }
  | {
      readonly is: 'volume';
      readonly op: 'verify_controller_attached_volume' | 'volume_mount' | 'volume_unmount';
      readonly phase: 'start' | 'done';
    }
  | { readonly is: 'volume-failed' }
  | { readonly is: 'eviction'; readonly phase: 'reclaim' | 'reclaimed' | 'rank' | 'evicted' | 'cleaned' }
  | { readonly is: 'node-condition' }
  | { readonly is: 'node-event' }
  | { readonly is: 'node-status'; readonly op: 'registered' | 'failed' }
  | { readonly is: 'kube-event' };

/** The trouble that a line reports, as a record of the kind `symptom`. */
export interface RowSymptom {
  /** Null: only what the text of its error names. */
  readonly code: SymptomCode | null;
  /** The line says that it is over. */
  readonly healed?: true;
  /** Facts that all its lines have. */
  readonly facts?: { readonly [name: string]: Json };
  /** Its code stays, whatever its error says. */
  readonly fixed?: true;
}

export interface Row {
  /** Its row in fidelity list 4, as "L-20". */
  readonly id: string;
  readonly v: Gate;
  /** The whole message; or an expression for one that contains values, whose named groups are fields. */
  readonly msg: string | RegExp;
  readonly says: Says;
  /** The fields that it has, apart from those of the logger. */
  readonly fields: readonly string[];
  /** Kubernetes' minor versions that print it, the first and the last; absent: all from 1.21 to 1.36. */
  readonly since?: number;
  readonly until?: number;
  /** Other programs print it, too: it does not tell that its process is a kubelet. */
  readonly anyone?: true;
  /** Only a kubelet that starts prints it. */
  readonly starts?: true;
  /** It names a static pod; the UID, if it has one, is the mirror pod's. */
  readonly mirror?: true;
  readonly symptom?: RowSymptom;
  /** The part of the kubelet that its error comes from; absent: the runtime. */
  readonly family?: Family;
  /** It stands for the errors of a part of the kubelet that have no row of their own. */
  readonly area?: true;
}

type Rest = Partial<Omit<Row, 'id' | 'v' | 'msg' | 'fields' | 'says'>>;

/** `fields` are divided by blanks. */
export const row = (id: string, v: Gate, msg: Row['msg'], fields: string, says: Says, rest: Rest = {}): Row => ({
  id,
  v,
  msg,
  says,
  fields: fields === '' ? [] : fields.split(' '),
  ...rest,
});
/** Messages of one row that prove nothing by themselves. */
export const known = (id: string, v: Gate, msgs: readonly string[], fields = '', rest: Rest = {}): Row[] =>
  msgs.map((msg) => row(id, v, msg, fields, { is: 'nothing' }, rest));
/** Messages of one row that report trouble and prove nothing else. */
export const trouble = (
  id: string,
  v: Gate,
  code: SymptomCode | null,
  msgs: readonly (string | RegExp)[],
  rest: Rest & Omit<RowSymptom, 'code'> = {},
): Row[] => {
  const { healed, facts, fixed, ...others } = rest;
  const symptom = { code, ...(healed && { healed }), ...(facts && { facts }), ...(fixed && { fixed }) };
  return msgs.map((msg) => row(id, v, msg, 'err', { is: 'nothing' }, { ...others, symptom }));
};
