import type { Json, Seq, TraceRecord } from '@syncloop/core/trace';
import type {
  Assumption,
  Coverage,
  Decision,
  DecisionKind,
  Difference,
  TwinScenario,
  TwinText,
  Verdict,
} from '../base/types.js';

/** One of the two runs: its records, and their compared part. */
export interface ComparedRun {
  readonly records: readonly TraceRecord[];
  readonly decisions: readonly Decision[];
}

/** A choice that upstream leaves to chance, and its outcome with which the twin does what was observed. */
export interface ChanceChoice {
  /** The twin's record of it; 0 if none is known. */
  readonly seq: Seq;
  /** Microseconds on the twin's clock. */
  readonly time: number;
  readonly text: TwinText;
}

export interface ReportInput {
  /** The program that makes the report: `syncloop 0.1.0`. */
  readonly by: string;
  readonly kubelet: { readonly version: string; readonly node: string; readonly runtime: string };
  /** Names of the files that were read. */
  readonly sources: readonly string[];
  /** Microseconds since 1970 at time 0 of the observed run. */
  readonly epochMicros: number;
  readonly seen: ComparedRun;
  readonly twin: ComparedRun;
  readonly coverage: Coverage;
  readonly verdict: Verdict;
  readonly scenario: TwinScenario;
  /** The choices that were left to chance, and the number of runs that were tried to find them. */
  readonly chance?: { readonly tries: number; readonly choices: readonly ChanceChoice[] };
  /** The causes that may explain the differences, if they were searched: see the room `causes`. */
  readonly causes?: StoryCauses;
  /** The page's address with the twin standing at a record, in a language; null if it would be too long. */
  readonly link?: (seq: Seq, lang: 'en' | 'zh') => string | null;
}

/** One change of the twin, and what it explains. */
export interface StoryFoundCause {
  /** The kinds of causes: one, or several together. */
  readonly causes: readonly string[];
  readonly text: TwinText;
  readonly cost: number;
  readonly explains: number;
  readonly left: number;
  readonly same: number;
  readonly compared: number;
  readonly nth: number;
}
export interface StoryCauses {
  readonly tried: number;
  readonly differ: number;
  /** False if the search was stopped. */
  readonly ended: boolean;
  readonly summary: TwinText;
  readonly order: TwinText;
  /** The best first. */
  readonly found: readonly StoryFoundCause[];
}

/** Something that changed between the observed version and the twin's. */
export interface StoryChange {
  /** Such as `v1.31`. */
  readonly since: string;
  readonly title: TwinText;
}

/** A place in the incident. */
export interface StoryMoment {
  /** RFC 3339, UTC, with microseconds. */
  readonly at: string;
  /** The record in the observed run; absent if only the twin has it. */
  readonly seen?: Seq;
  /** The record in the twin; absent if only the observed run has it. */
  readonly twin?: Seq;
  /** The page with the twin there, by language. */
  readonly link?: { readonly en: string; readonly zh: string };
}

/** `same`: both did it. `open`: it was not compared. */
export type StoryMark = 'same' | 'open' | Difference['how'];

export interface StoryRow extends StoryMoment {
  /** `namespace/name`; '' if it is about the node. */
  readonly pod: string;
  readonly kind: DecisionKind;
  readonly what: string;
  readonly mark: StoryMark;
  readonly text: TwinText;
  /** The number of times it happened in a row, if more than once; `until`: the last time. */
  readonly times?: number;
  readonly until?: string;
}

/** A line of a log, or another piece of evidence, that a record rests on. */
export interface StoryEvidence {
  /** The name of the source: its file. */
  readonly source: string;
  /** Counted from 1. */
  readonly line?: number;
  readonly text: string;
}

export interface StoryCause extends StoryMoment {
  readonly role: string;
  readonly text: TwinText;
  /** The rule by upstream's function, and its result. */
  readonly rule?: string;
  readonly evidence: readonly StoryEvidence[];
}

export interface StoryChain {
  /** The run that these records belong to. */
  readonly of: 'seen' | 'twin';
  readonly summary: TwinText;
  /** Oldest first. */
  readonly links: readonly StoryCause[];
}

export interface StoryDifference extends StoryMoment {
  readonly how: Difference['how'];
  readonly kind: DecisionKind;
  readonly pod: string;
  readonly container?: string;
  readonly what: string;
  readonly path?: string;
  readonly values?: { readonly seen: Json; readonly twin: Json };
  readonly text: TwinText;
  /** The rule of upstream's jitter by which it may have gone either way; absent if nothing explains it. */
  readonly chance?: string;
  /** Differences that followed from it in the same pod, and are not findings of their own. */
  readonly followers: {
    readonly count: number;
    readonly first: readonly (StoryMoment & { readonly text: TwinText })[];
  };
  /** The causes of each side's decision: of the first differences only. */
  readonly chains: readonly StoryChain[];
}

/** The findings of the observed run, whether the twin did the same or not. */
export interface StoryTrouble extends StoryMoment {
  readonly code: string;
  readonly pod: string;
  readonly times: number;
  readonly text: TwinText;
}

/**
 * The story of an incident, and the result of comparing it with its twin. As JSON this is the file that `--report
 * out.json` writes; times are RFC 3339 in UTC. A later version only adds fields, or has another `version`.
 */
export interface TwinStory {
  readonly format: 'syncloop-twin-report';
  readonly version: 1;
  readonly by: string;
  readonly kubelet: { readonly version: string; readonly node: string; readonly runtime: string };
  /** The version of the twin's kubelet; if it is not the observed one, why, and what changed between both. */
  readonly twin: { readonly era: string; readonly why?: TwinText; readonly mayDiffer?: readonly StoryChange[] };
  readonly sources: readonly string[];
  readonly from: string;
  readonly to: string;
  /** True if no decision differs, except those that upstream leaves to chance. */
  readonly agrees: boolean;
  readonly headline: TwinText;
  readonly verdict: {
    readonly compared: number;
    readonly same: number;
    readonly kinds: {
      readonly [K in DecisionKind]: {
        readonly compared: number;
        readonly same: number;
        readonly coverage: Coverage[K];
      };
    };
    readonly text: TwinText;
  };
  readonly troubles: readonly StoryTrouble[];
  readonly timeline: readonly StoryRow[];
  /** Rows of the timeline that were left out. */
  readonly timelineHidden: number;
  readonly differences: readonly StoryDifference[];
  /** Differences beyond those listed. */
  readonly differencesHidden: number;
  readonly chance: {
    readonly tries: number;
    readonly choices: readonly (StoryMoment & { readonly text: TwinText })[];
  };
  /** The causes that may explain the differences; absent if they were not searched. */
  readonly causes?: StoryCauses;
  readonly assumptions: readonly Assumption[];
  readonly tolerances: Verdict['tolerances'];
  readonly scenario: { readonly name: string; readonly text: string };
}
