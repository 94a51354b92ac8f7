import type { Answer } from '../debug/index.js';
import type { EraVersion } from '../kubelet/era/types.js';
import type { Json, Micros, Seq } from '../trace/index.js';
import type { EraChange, EraText } from './changes.js';

/**
 * What a difference is about. What is seen from outside: calls of the CRI, kills, restarts, statuses, events. How it is
 * done inside: the loop's channels, functions, config operations, PLEG events, syncs. How it is put: fields of requests
 * and conditions of statuses that only one version has.
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

/** A moment of one of the two runs. */
export interface EraMoment {
  /** The record to stand at. */
  readonly seq: Seq;
  readonly time: Micros;
  /** What the run did there; where only the other one did something, what it had last done with that pod. */
  readonly text: EraText | null;
  /** It did what the difference is about. */
  readonly did: boolean;
  /** What led there, oldest first; null where nothing tells. */
  readonly why: Pick<Answer, 'summary' | 'links' | 'hidden'> | null;
}

/** Where two versions part. */
export interface EraDifference {
  readonly kind: DifferenceKind;
  readonly group: DifferenceGroup;
  /** `namespace/name`; '' where it is about the node. */
  readonly pod: string;
  readonly text: EraText;
  /** The same moment in both runs. */
  readonly moments: readonly [EraMoment, EraMoment];
  /** Where in a request or a status, and what each has there. */
  readonly path?: string;
  readonly values?: readonly [Json, Json];
  /** The change of design that it belongs to; null where none is known. */
  readonly change: EraChange | null;
  /** It follows from what was different before in that pod, which `change` is about. */
  readonly follows?: true;
  /** Chance alone explains it: another seed may have it the other way round. */
  readonly chance?: true;
}

/** Something that both did, or one of them, as a line of two columns. */
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

/** The same run with two versions of the kubelet, held against each other. */
export interface ErasCompared {
  readonly eras: readonly [EraVersion, EraVersion];
  /** How far both were run. */
  readonly until: Micros;
  /** Why a run could not go on until there; '' where it did. */
  readonly ended: readonly [string, string];
  /** What was done that could be compared, and how much of it is the same in both. */
  readonly compared: number;
  readonly same: number;
  readonly text: EraText;
  /** The first difference of each kind, in the order of their times; which of them is the first of all: `first`. */
  readonly firsts: readonly EraDifference[];
  /** What is seen from outside counts before what is inside, and that before how it is put; -1: nothing differs. */
  readonly first: number;
  /** How many differences there are of each kind. */
  readonly counts: { readonly [K in DifferenceKind]?: number };
  /** Both runs side by side, by time; what comes later is left out of a long one. */
  readonly rows: readonly EraRow[];
  readonly leftOut: number;
}
