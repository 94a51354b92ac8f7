import type { Incident, IncidentKind, IncidentsAnswer, NextCommand, Verdict } from '@syncloop/core/debug/incidents';

export interface VerdictText {
  readonly en: string;
  readonly zh: string;
}
/** Changes that were run to prevent an incident, the best first, and what stays unknown. */
export interface PreventionStory {
  readonly incident: VerdictText;
  readonly tried: readonly { readonly effect: string; readonly text: VerdictText }[];
  readonly unknown: readonly VerdictText[];
}

/** The sources and the kubelet that a verdict is about. */
export interface VerdictInput {
  readonly answer: IncidentsAnswer;
  /** Microseconds since 1970 of the run's time 0; null if no line has a time. */
  readonly epochMicros: number | null;
  readonly kubelet: { readonly version: string; readonly node: string; readonly runtime: string };
  /** Names of the sources. */
  readonly sources: readonly string[];
  /** The program that makes it. */
  readonly by: string;
  /** The lines of each program, the most first; empty if that is not known. */
  readonly programs: readonly { readonly program: string; readonly lines: number; readonly read: number }[];
  /** The changes that would have prevented the first incident, if some were tried. */
  readonly prevention?: PreventionStory;
}

export interface ConsequenceStory {
  readonly kind: IncidentKind;
  readonly from: IncidentKind;
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** The time of day, with its date if that is another one than the incident's. */
  readonly time: string;
  readonly text: VerdictText;
  readonly count: number;
  readonly pods: readonly string[];
}
/** An incident with its times and sentences. Times are ISO 8601 in UTC. */
export interface IncidentStory {
  readonly kind: IncidentKind;
  readonly expected: boolean;
  readonly confidence: Incident['confidence'];
  readonly text: VerdictText;
  readonly begin: string;
  /** Null: it was still so at the end. */
  readonly end: string | null;
  readonly ended: 'healed' | 'gone' | 'quiet' | null;
  readonly count: number;
  readonly pod: string;
  readonly container: string;
  readonly pods: readonly string[];
  readonly what: string;
  readonly consequences: readonly ConsequenceStory[];
  readonly next: readonly NextCommand[];
}

/** A verdict for a ticket; it is also the JSON. */
export interface VerdictStory {
  readonly verdict: Verdict;
  readonly kubelet: VerdictInput['kubelet'];
  readonly sources: readonly string[];
  readonly by: string;
  readonly from: string;
  readonly to: string;
  readonly lines: number;
  readonly read: number;
  readonly programs: VerdictInput['programs'];
  readonly incidents: readonly IncidentStory[];
  readonly expected: readonly IncidentStory[];
  readonly unknown: {
    readonly count: number;
    readonly some: readonly { readonly what: string; readonly count: number }[];
  };
  /** The changes that would have prevented the first incident; absent if none were tried. */
  readonly prevention?: PreventionStory;
  /** Troubles of which only the number is kept. */
  readonly more: number;
}
