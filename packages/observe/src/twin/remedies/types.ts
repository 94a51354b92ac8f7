import type { Incident, IncidentKind } from '@syncloop/core/debug/incidents';
import type { JsonObject } from '../base/json.js';
import type { Effect, TwinText } from '../base/types.js';
import type { Harm } from './harm.js';

export type { Effect };

/** A run that an incident happened in: a scenario, or a twin of an observed run. */
export interface Subject {
  readonly name: string;
  /** The scenario as JSON. */
  readonly document: JsonObject;
  /** `simulated`: programs and outages are the scenario's. `twin`: they are known only as far as they were observed. */
  readonly of: 'simulated' | 'twin';
}

/** The incident that a remedy is for, and its place in the scenario. */
export interface Case {
  readonly incident: Incident;
  /** The pod's name as steps of the scenario write it, and the container; '' if it is the node's. */
  readonly pod: string;
  readonly container: string;
  readonly document: JsonObject;
  /** How long the runtime was seen to go on with a call that the kubelet had given up; null if it was not seen. */
  readonly held: TwinText | null;
}

/** One change that may prevent an incident. */
export interface Remedy {
  readonly key: string;
  /** The change in words, as it stands behind "With". */
  readonly text: TwinText;
  change(document: JsonObject): JsonObject;
}

/** A change with a number: values are tried from the least change to the greatest. */
export interface Scale {
  readonly key: string;
  readonly values: readonly number[];
  at(value: number): Remedy;
}

/** A way to prevent incidents of some kinds. */
export interface RemedyRow {
  readonly id: string;
  readonly kinds: readonly IncidentKind[];
  /** Why a twin does not show what it would have changed; absent if it does. */
  unknown?(one: Case): TwinText;
  /** It changes the program itself, which a twin does not have. */
  readonly simulatedOnly?: true;
  /** Yields what can be tried. Of a scale the least value that helps is looked for. */
  of(one: Case): Iterable<Remedy | Scale>;
}

/** The result of a run with a remedy. */
export interface Tried {
  readonly remedy: Remedy;
  readonly effect: Effect;
  readonly harm: Harm;
  /** Incidents that only this run has. */
  readonly added: readonly TwinText[];
  /** The value before it, which does not help as much. */
  readonly notWith: Remedy | null;
}

/** A remedy that was run, in words. */
export interface TriedRemedy {
  readonly id: string;
  readonly effect: Effect;
  /** "With failureThreshold 5 instead of 3 it does not happen; with 4 it does." */
  readonly text: TwinText;
  /** How often it happened, and the incidents that only this run has. */
  readonly count: number;
  readonly added: readonly TwinText[];
  /** The scenario with it: to be opened and stepped through. */
  readonly scenario: string;
  /** The same as JSON. */
  readonly document: JsonObject;
}

export interface RemedyReport {
  /** The incident in words. */
  readonly incident: TwinText;
  readonly kind: IncidentKind;
  /** Runs of the scenario. */
  readonly runs: number;
  /** The best first. */
  readonly tried: readonly TriedRemedy[];
  /** The facts that stay unknown, and why. */
  readonly unknown: readonly TwinText[];
}
