import type { Micros, Seq } from '../../trace/index.js';
import type { ObservedVersion } from '../../version/index.js';
import type { Text } from '../why/types.js';

/** The codes of findings, the most telling first, which is also the findings' order. */
export const findingCodes = [
  'panic',
  'oom',
  'eviction',
  'crash',
  'restart',
  'image',
  'sync-failed',
  'volume',
  'probe-failed',
  'gate-closed',
  'not-ready',
  'kubelet-restart',
  'call-failed',
  'back-off',
  'disagreement',
  'call-slow',
  'admission',
  'killed',
  'died',
  'api-failed',
  'warning',
  'error-line',
  'advice',
  'gap',
] as const;
export type FindingCode = (typeof findingCodes)[number];

export interface Moment {
  readonly seq: Seq;
  readonly time: Micros;
}

/** A failure of one kind at one object, once or more often. */
export interface RunFinding {
  /** The same for as long as the run is watched. */
  readonly id: string;
  readonly code: FindingCode;
  /** `namespace/name` and UID of its pod, and the container's name; empty if it is about none, or none is reported. */
  readonly pod: string;
  readonly uid: string;
  readonly container: string;
  /** The kubelet's text, or a name: a method, a reason, a condition. */
  readonly what: string;
  readonly count: number;
  readonly first: Moment;
  readonly last: Moment;
  /** Seqs of the latest records that it rests on, oldest first; at most `MOST_MOMENTS`. */
  readonly moments: readonly Seq[];
  /** The longest duration, if the finding is about time. */
  readonly longest?: Micros;
  /** The exit code of the last end, if it is reported. */
  readonly exitCode?: number;
  /** Every record that it rests on was concluded; no source states any. */
  readonly concluded: boolean;
  readonly text: Text;
}
export const MOST_MOMENTS = 64;

/** The answer to the query `findings`. */
export interface FindingsAnswer {
  readonly findings: readonly RunFinding[];
  /** Things that went wrong in yet other ways than those listed, of which only the number is kept. */
  readonly more: number;
  /** The last record that was looked at. */
  readonly to: Seq;
}

/** A line of a log, by its message, of which no record was made. */
export interface UnreadLines {
  readonly msg: string;
  readonly severity: 'I' | 'W' | 'E' | '';
  readonly count: number;
  readonly first: Moment;
  readonly last: Moment;
}

/** One source, as far as it was read. */
export interface SourceOverview {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly state: string;
  /** The format that it was recognised as. */
  readonly details: string;
  /** Pieces of evidence, and records that rest on them. */
  readonly pieces: number;
  readonly records: number;
  readonly first: Micros | null;
  readonly last: Micros | null;
}

/** Lines of one program in the logs of the node. */
export interface ProgramOverview {
  /** Such as "kubelet" or "kube-apiserver"; '' if nothing names it. */
  readonly program: string;
  readonly lines: number;
  /** Lines that made a record besides their own, or are known and of no consequence. */
  readonly read: number;
}
/** A node that lines of a log are of. */
export interface NodeOverview {
  readonly name: string;
  readonly lines: number;
  /** Records of the kubelet. */
  readonly kubelet: number;
}

/** The summary of an observed kubelet and of the sources that it was read from. */
export interface Overview {
  readonly version: string;
  /** Its version as far as it is known, and the nearest kubelet here. */
  readonly kubelet: ObservedVersion;
  readonly node: string;
  readonly runtime: string;
  readonly pids: readonly number[];
  /** Minutes that the log's local time is ahead of UTC; null if there is none. */
  readonly zoneMinutes: number | null;
  /** Starts of the kubelet that were seen. */
  readonly starts: number;
  readonly first: Micros;
  readonly last: Micros;
  readonly sources: readonly SourceOverview[];
  readonly offsets: readonly {
    readonly source: string;
    readonly against: string;
    readonly offset: Micros;
    readonly uncertainty: Micros;
    readonly samples: number;
  }[];
  readonly disagreements: number;
  readonly gaps: number;
  readonly seen: number;
  readonly concluded: number;
  readonly lines: number;
  /** Lines by program, the most frequent first; empty if the run is not read from a log here. */
  readonly programs: readonly ProgramOverview[];
  /** Nodes with lines of a kubelet, as far as the log names them: the first one is shown. */
  readonly nodes: readonly NodeOverview[];
  /** Lines of other nodes, which are not shown. */
  readonly elsewhere: number;
  /** Lines that another log of the node has, too, and that were left out. */
  readonly duplicates: number;
  /** Lines that no record was made of: how many, and by message, the most frequent first. */
  readonly unread: number;
  readonly unreadLines: readonly UnreadLines[];
  /** The highest verbosity that lines prove the log to have; null if nothing does. */
  readonly verbosity: number | null;
  /** The progress of reading; absent if nothing is read. */
  readonly reading?: { readonly read: number; readonly total: number | null; readonly ended: boolean };
  /** Records that are no longer in memory: there are those from `oldest` on. */
  readonly oldest: Seq;
}
