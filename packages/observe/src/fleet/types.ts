import type { IncidentKind, VerdictLevel } from '@syncloop/core/debug/incidents';
import type { VerdictText } from '../verdict/index.js';

// Times of this room are milliseconds since 1970. Those of a `FleetNode` are by its own clock, those of a story by the
// API server's, as far as that is known.

/** A node's clock against the API server's. */
export interface NodeClock {
  /** Milliseconds that the node's clock is ahead; negative if it is behind. */
  readonly ahead: number;
  /** The largest error of that, ms. */
  readonly uncertainty: number;
  /** Pods whose creation, by the API server, and arrival, by the kubelet, were compared. */
  readonly pods: number;
}

/** A pod that came to a node, or left it. */
export interface Landing {
  /** `namespace/name`. */
  readonly pod: string;
  readonly uid: string;
  readonly at: number;
}

/** A consequence of an incident, as far as a fleet needs it. */
export interface FleetConsequence {
  readonly kind: IncidentKind;
  readonly begin: number;
  /** `namespace/name` of its pods: a bounded number of them. */
  readonly pods: readonly string[];
}

/** An incident of one node, by that node's clock. */
export interface FleetIncident {
  readonly kind: IncidentKind;
  /** `namespace/name`, and the container; '' if it is the node's. */
  readonly pod: string;
  readonly container: string;
  readonly text: VerdictText;
  /** The source's own words; '' if there are none. */
  readonly what: string;
  readonly image: string;
  readonly count: number;
  readonly begin: number;
  readonly last: number;
  /** Null: it was still so when the log ended. */
  readonly end: number | null;
  readonly pods: readonly string[];
  readonly consequences: readonly FleetConsequence[];
}

/** The rest of a node's log after it was reduced. Its size is bounded, however long the log is. */
export interface FleetNode {
  readonly name: string;
  /** The path by which a person opens it. */
  readonly source: string;
  readonly version: string;
  readonly level: VerdictLevel;
  readonly lines: number;
  readonly read: number;
  /** The first and last time of its log; null if no line has one. */
  readonly from: number | null;
  readonly to: number | null;
  readonly clock: NodeClock | null;
  /** Those that nobody asked for. */
  readonly incidents: readonly FleetIncident[];
  readonly landings: readonly Landing[];
  /** Pods that it evicted, each at its time: an incident may have several spells. */
  readonly evictions: readonly Landing[];
  /** Incidents, landings and evictions that are not kept because there are too many. */
  readonly dropped: number;
  /** Why it could not be read, in English; '' if it was. */
  readonly problem: string;
  /** The same in parts, from which `problemWords` makes a sentence of each language. */
  readonly unread?: UnreadReason;
}

/** The reasons why a node could not be read. */
export const unreadReasons = ['archive', 'page-limit', 'command-limit', 'no-kubelet', 'error'] as const;
export interface UnreadReason {
  readonly why: (typeof unreadReasons)[number];
  /** The flag of a command's limit, the size of a page's, or the text of an error; otherwise ''. */
  readonly detail: string;
}

/** The rules that find what nodes have in common. */
export type CauseRule = 'window' | 'registry' | 'image' | 'workload' | 'landing' | 'same-error';

/** An incident of a node as a part of a shared cause. */
export interface CauseMember {
  readonly node: string;
  /** Position in the node's incidents. */
  readonly incident: number;
  /** False: it is the cause of something that followed from the incident. */
  readonly root: boolean;
  readonly begin: number;
  readonly end: number | null;
}

/** Something that went wrong on several nodes, for one reason. */
export interface SharedCause {
  readonly rule: CauseRule;
  readonly kind: IncidentKind;
  /** The thing that they have in common: a registry, an image, a workload, an error; '' for a window of time alone. */
  readonly key: string;
  readonly text: VerdictText;
  readonly nodes: readonly string[];
  /** The earliest and the latest beginning. */
  readonly from: number;
  readonly to: number;
  /** The probability that so many nodes have this together by chance. */
  readonly chance: number;
  readonly members: readonly CauseMember[];
}

/** A pod that left one node, and what started in its place on another one. */
export interface Move {
  readonly workload: string;
  readonly from: { readonly node: string; readonly pod: string; readonly at: number };
  readonly to: { readonly node: string; readonly pod: string; readonly at: number };
  readonly text: VerdictText;
}

/** The verdict on many nodes; it is also the JSON. */
export interface FleetStory {
  readonly verdict: { readonly level: VerdictLevel; readonly text: VerdictText; readonly read: VerdictText };
  readonly by: string;
  readonly from: number | null;
  readonly to: number | null;
  readonly causes: readonly SharedCause[];
  /** Incidents that have nothing in common with another node's. */
  readonly alone: readonly { readonly node: string; readonly begin: number; readonly incident: FleetIncident }[];
  readonly moves: readonly Move[];
  readonly nodes: readonly FleetNode[];
}
