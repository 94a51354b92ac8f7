import type { Answer } from '@syncloop/core/debug';
import type { EraVersion } from '@syncloop/core/kubelet/era/versions';
import type { Json, Micros, Seq } from '@syncloop/core/trace';

/**
 * The kinds of differences, with their class. Seen from outside: calls of the CRI, kills, restarts, statuses, events.
 * Inside: the loop's channels, functions, config operations, PLEG events, syncs. Wording: fields of requests and
 * conditions of statuses that only one version has.
 */
export const differenceKinds = {
  call: 'outside',
  kill: 'outside',
  restart: 'outside',
  status: 'outside',
  event: 'outside',
  config: 'inside',
  pleg: 'inside',
  sync: 'inside',
  loop: 'inside',
  function: 'inside',
  request: 'words',
  condition: 'words',
} as const satisfies { readonly [kind: string]: 'outside' | 'inside' | 'words' };
export type DifferenceKind = keyof typeof differenceKinds;
export type DifferenceGroup = (typeof differenceKinds)[DifferenceKind];

export interface EraText {
  readonly en: string;
  readonly zh: string;
}

/** A change that one of the two versions has, and the other has not. */
export interface EraReason {
  /** Its id in the list of changes, which has the details. */
  readonly id: string;
  /** The first version with it, or the first that was seen with it. */
  readonly since: string;
  readonly title: EraText;
  /** The way the kubelet has worked since then; code in backquotes. */
  readonly text: EraText;
  /** Links to upstream's pages on it. */
  readonly links: readonly { readonly text: string; readonly href: string }[];
}

/** A moment of one of the two runs. */
export interface EraMoment {
  /** The record to be at. */
  readonly seq: Seq;
  readonly time: Micros;
  /** The decision of the run; if only the other run made one, the last decision of this one about that pod. */
  readonly text: EraText | null;
  /** True if it made the decision of the difference. */
  readonly did: boolean;
  /** The causes that led there, oldest first; null if no record shows it. */
  readonly why: Pick<Answer, 'summary' | 'links' | 'hidden'> | null;
}

/** One difference between the runs of two versions. */
export interface EraDifference {
  readonly kind: DifferenceKind;
  readonly group: DifferenceGroup;
  /** `namespace/name`; empty if it is about the node. */
  readonly pod: string;
  readonly text: EraText;
  /** The same moment in both runs. */
  readonly moments: readonly [EraMoment, EraMoment];
  /** The path in a request or a status; `values`: what each run has there. */
  readonly path?: string;
  readonly values?: readonly [Json, Json];
  /** The change of design that it belongs to; null if none is known. */
  readonly change: EraReason | null;
  /** It follows from an earlier difference in that pod, which `change` is about. */
  readonly follows?: true;
  /** Chance alone explains it: with another seed it may be the other way round. */
  readonly chance?: true;
}

/** A line of two columns: something that both runs did, or one of them. */
export interface EraRow {
  readonly sides: readonly [EraRowSide | null, EraRowSide | null];
  readonly kind: DifferenceKind;
  readonly differs: boolean;
}
export interface EraRowSide {
  readonly seq: Seq;
  readonly time: Micros;
  readonly text: EraText;
}

/** The comparison of the same run with two versions of the kubelet. */
export interface ErasCompared {
  readonly eras: readonly [EraVersion, EraVersion];
  /** The time up to which both were run. */
  readonly until: Micros;
  /** The reason for each run why it could not go on until `until`; empty if it did. */
  readonly ended: readonly [string, string];
  /** The number of decisions that could be compared, and of those that are the same in both. */
  readonly compared: number;
  readonly same: number;
  readonly text: EraText;
  /** The first difference of each kind, in the order of their times; which of them is the first of all: `first`. */
  readonly firsts: readonly EraDifference[];
  /** Index: what is seen from outside comes first, then what is inside, then wording; -1: nothing differs. */
  readonly first: number;
  /** The number of differences of each kind. */
  readonly counts: { readonly [K in DifferenceKind]?: number };
  /** Both runs side by side, by time; a long comparison leaves out later lines, counted in `leftOut`. */
  readonly rows: readonly EraRow[];
  readonly leftOut: number;
}

declare module '@syncloop/core/debug/results' {
  interface Results {
    compareEras: ErasCompared;
  }
}
