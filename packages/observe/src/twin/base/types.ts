import type { EraVersion } from '@syncloop/core/kubelet/era/versions';
import type { Json, Micros, Seq } from '@syncloop/core/trace';
import type { ObservedVersion } from '@syncloop/core/version';

/** A text in the languages of the page. */
export interface TwinText {
  readonly en: string;
  readonly zh: string;
}

/**
 * The effect of a remedy on an incident. `later`: it is only put off, for its reason was still there when the run
 * ended.
 */
export type Effect = 'prevents' | 'lessens' | 'later' | 'nothing' | 'worse';

/** The kinds of decisions that are compared. */
export const decisionKinds = ['config', 'pleg', 'sync', 'call', 'kill', 'restart', 'status', 'event'] as const;
export type DecisionKind = (typeof decisionKinds)[number];

/**
 * A decision or an operation of a kubelet, named so that two runs can be compared: by names and counts instead of ids,
 * UIDs and times.
 */
export interface Decision {
  readonly kind: DecisionKind;
  /** The record of its run that reports it. */
  readonly seq: Seq;
  /** On the clock of its own run. */
  readonly time: Micros;
  /** `namespace/name`; '' if it is about the node. */
  readonly pod: string;
  /** Its number among the pods of that name, counted from 0 by UID. */
  readonly incarnation: number;
  /** The container's name; absent if it is about the pod or its sandbox. */
  readonly container?: string;
  /** Its number among the sandboxes or containers of that name, counted from 0. */
  readonly attempt?: number;
  /** The decision in one word or two: ADD, ContainerDied, CreateContainer, CrashLoopBackOff. */
  readonly what: string;
  /** All else that must be the same, without ids: compared field by field. */
  readonly details?: Json;
  /** Its duration if that is known. */
  readonly took?: Micros;
}

/** The coverage of each kind by the sources of an observed run: all decisions, some, or none. */
export type Coverage = { readonly [K in DecisionKind]: 'whole' | 'part' | 'none' };

/** One difference between two runs. */
export interface Difference {
  /**
   * `missing`: only the observed kubelet did it. `extra`: only the twin did. `value`: both did, with different
   * `details`. `order`, `time`: both did the same, in another order, or further apart than upstream's jitter explains.
   */
  readonly how: 'missing' | 'extra' | 'value' | 'order' | 'time';
  readonly seen: Decision | null;
  readonly twin: Decision | null;
  /** The path in `details`, as "status.containerStatuses[0].ready"; `values` has both values. */
  readonly path?: string;
  readonly values?: { readonly seen: Json; readonly twin: Json };
  /**
   * The rule of upstream's jitter by which both outcomes are possible: neither kubelet is at fault, and a search can
   * find the choice.
   */
  readonly chance?: string;
  /** One sentence. */
  readonly text: TwinText;
  /** Its consequences in the same pod: later differences there, which are not findings of their own. */
  readonly followers?: readonly Difference[];
}

/** Decisions of both runs that were not compared, for one reason. */
export interface NotCompared {
  /** The tolerance that passed over them, or `left-out`: their pods are not in the twin. */
  readonly rule: string;
  readonly text: TwinText;
  readonly seen: number;
  readonly twin: number;
}

/** The result of the comparison of two runs. */
export interface Verdict {
  /** Decisions that could be compared, and those that are the same, by kind. */
  readonly kinds: { readonly [K in DecisionKind]: { readonly compared: number; readonly same: number } };
  readonly compared: number;
  readonly same: number;
  /** Findings, in the order of the observed run; what followed from one is in its `followers`. */
  readonly differences: readonly Difference[];
  /** Differences that were passed over because upstream jitters there: the rule, and how often it was used. */
  readonly tolerances: readonly { readonly rule: string; readonly text: TwinText; readonly used: number }[];
  /** The decisions that were not compared, the most frequent reason first. */
  readonly notCompared: readonly NotCompared[];
  /**
   * The same decisions of both runs, as records, by which the page changes from one run to the other.
   */
  readonly pairs: readonly { readonly seen: Seq; readonly twin: Seq }[];
  /** "412 of 415 decisions the same; first difference: ..." */
  readonly text: TwinText;
}

/** A fact that no source reports, and what the twin assumes instead. */
export interface Assumption {
  /** Short and unique, for tests and links: `node.cpus`, `container.end`. */
  readonly code: string;
  /** Its subject: a pod, a container; '' for all. */
  readonly about: string;
  readonly text: TwinText;
}

/** A part of an observed run that is not compared. */
export interface LeftOut {
  /** `namespace/name`; '' if it is about no pod. */
  readonly pod: string;
  readonly why: TwinText;
}

/** The longest time that a twin covers: a simulated day takes about a gigabyte, even when little happens. */
export const LONGEST_TWIN: Micros = 6 * 3600e6;

/** The part of an observed run that is re-enacted. */
export interface Cut {
  /** Keeps only these pods, by name or `namespace/name`. Default: all. */
  readonly pods?: readonly string[];
  /** Keeps only the records from here on, or up to here, on the clock of the observed run. */
  readonly from?: Micros;
  readonly to?: Micros;
}

/** A scenario that re-enacts an observed run. */
export interface TwinScenario {
  readonly name: string;
  /** The scenario's file: YAML that `parseScenario` takes. */
  readonly text: string;
  /** The same as JSON, if the text is as this program generated it: then it runs, whatever the text's length. */
  readonly document?: Json;
  readonly assumptions: readonly Assumption[];
  /** Pods that the twin does not have, and why; and other facts of no use for it. */
  readonly left: readonly LeftOut[];
  /** The part of the observed run that it re-enacts; absent: all of it. */
  readonly cut?: Cut;
  /** The observed run's clock is at `seenFrom` when the twin's is at 0. */
  readonly seenFrom: Micros;
  /** The twin's clock when the observed run ends. */
  readonly until: Micros;
  /** The version of the observed kubelet, as far as it is known. */
  readonly kubelet: ObservedVersion;
  /** The version of the kubelet that re-enacts it: the nearest one, or the one that the user chose. */
  readonly era: EraVersion;
}
