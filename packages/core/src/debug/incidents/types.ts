import type { Micros, Seq } from '../../trace/index.js';
import type { Moment } from '../findings/types.js';
import type { Text } from '../why/types.js';
import type { IncidentKind } from './kinds.js';

/** How an incident ended: a source reports it; its pod went; nothing of it was seen for longer than it used to take. */
export type EndHow = 'healed' | 'gone' | 'quiet';
/** How certain a root is: a line states it; it follows from several; it is known to be so often. */
export type Confidence = 'seen' | 'concluded' | 'likely';

export interface AffectedPod {
  /** `namespace/name`; '' if only its UID is reported. */
  readonly pod: string;
  readonly uid: string;
}

/** A consequence of an incident's root: alike things at one or more pods. */
export interface Consequence {
  readonly kind: IncidentKind;
  /** The kind that it follows from: the root's, or that of another consequence. */
  readonly from: IncidentKind;
  readonly text: Text;
  readonly count: number;
  readonly pods: readonly AffectedPod[];
  readonly begin: Moment;
  readonly last: Moment;
  readonly seqs: readonly Seq[];
}

/** One trouble from its cause to its last consequence, or something that was meant to happen. */
export interface Incident {
  /** The same for as long as the run is watched. */
  readonly id: string;
  readonly kind: IncidentKind;
  readonly confidence: Confidence;
  /** It was asked for, or each healthy node has it: nothing is wrong. */
  readonly expected: boolean;
  /** The pod and the container of the root; '' if it is the node's. */
  readonly pod: string;
  readonly uid: string;
  readonly container: string;
  /** The root in words, as the middle of a sentence that begins with a time. */
  readonly text: Text;
  /** The source's own text, if there is one. */
  readonly what: string;
  readonly count: number;
  readonly begin: Moment;
  readonly last: Moment;
  /** Null: it was still so when the run ended. */
  readonly end: { readonly time: Micros; readonly how: EndHow } | null;
  /** Records that the root rests on, oldest first. */
  readonly seqs: readonly Seq[];
  readonly pods: readonly AffectedPod[];
  readonly consequences: readonly Consequence[];
  /** Names for the commands to run next. */
  readonly facts: IncidentFacts;
}
export type IncidentFacts = { readonly [name: string]: string | number };

/** Errors that no rule knows. */
export interface UnknownErrors {
  readonly count: number;
  /** The most frequent kinds of them. */
  readonly some: readonly { readonly what: string; readonly count: number; readonly first: Moment }[];
}

/** The answer to the query `incidents`. */
export interface IncidentsAnswer {
  /** Troubles first, those that last before others; then what was expected. */
  readonly incidents: readonly Incident[];
  readonly unknown: UnknownErrors;
  /** Troubles of which only the number is kept. */
  readonly more: number;
  readonly from: Micros;
  /** The last record that was looked at, and its time. */
  readonly to: Moment;
  /** The run is observed; then `read` says how much of its sources was understood. */
  readonly observed: boolean;
  readonly read: ReadShare;
}
/** How much of the kubelet's lines was read, of an observed run; of all lines, if nothing says whose they are. */
export interface ReadShare {
  readonly lines: number;
  readonly unread: number;
  /** The share in words, and which of several nodes is shown. */
  readonly texts: readonly Text[];
}
