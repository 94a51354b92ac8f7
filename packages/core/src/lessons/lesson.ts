import type { Pace, StepUnit } from '../debug/protocol/commands.js';
import type { Action, Expectation, LocalText } from '../scenario/document/scenario.js';
import type { Micros } from '../trace/index.js';
import type { LessonGroup, LessonLevel, LessonPanel, LessonPart, LessonTab } from './names.js';

/** A parsed lesson: data that the player plays on any session that can load scenarios. */
export interface Lesson extends LessonRun {
  readonly name: string;
  /** The group that lists it, and its place there. */
  readonly group?: LessonGroup;
  readonly order?: number;
  readonly title: LocalText;
  readonly summary: LocalText;
  readonly minutes: number;
  /** The answer that the learner can give afterwards. */
  readonly goal: LocalText;
  /** Default: the scenario's own. */
  readonly seed?: number;
  /** Seeds in which all that it claims holds as well, with the same answers: questions are asked again in them. */
  readonly otherSeeds: readonly number[];
  readonly steps: readonly LessonStep[];
  readonly file: string;
}

/** A scenario that a lesson plays. */
export interface LessonRun {
  /** Name in the scenario library, or of the scenario within the lesson. */
  readonly scenario: string;
  /** The scenario within the lesson. */
  readonly scenarioText?: string;
}

/** A name that an article has, if a run stops at it, and what became of it. */
export interface ArticleName {
  /** Written as the article writes it. */
  readonly name: string;
  /** True of the records at which a run stops there; null if no run of this lesson comes by it. */
  readonly at: string | null;
  /** The function whose source is shown there, as the trace names it. */
  readonly fn?: string;
  /** For a CRI call: the function that makes it, or the goroutine if no named function does. */
  readonly calledBy?: string;
  /** Its name and task today, or who calls it and when. */
  readonly now: LocalText;
  /** Line in the lesson's text, from 1. */
  readonly line: number;
}

/** One page of a lesson: words, a question, or an exercise, at a place of the run. */
export interface LessonStep {
  /** From this step on the lesson plays this run, from its start, in place of the one before. */
  readonly run?: LessonRun;
  /** Names that a reader who follows an article looks for here. */
  readonly names: readonly ArticleName[];
  /** For `go: {place: NAME}` of later steps. */
  readonly name?: string;
  readonly title: LocalText;
  /** With marks and holes, see `pieces`. */
  readonly text?: LocalText;
  /** Done when the step is entered. */
  readonly do: readonly Move[];
  readonly show: Show;
  /** The claims of the texts, true at the step's place. */
  readonly holds: readonly Check[];
  readonly ask?: Ask;
  readonly exercise?: Exercise;
  /** Line in the lesson's text, from 1. */
  readonly line: number;
}

/** Drives the debugger. */
export type Move =
  /** Forward to the next record for which the expression holds; not met within that time of the run is an error. */
  | {
      readonly move: 'until';
      readonly where: string;
      readonly within: Micros;
      readonly pace: Pace;
      readonly line: number;
    }
  | {
      readonly move: 'step';
      readonly unit: StepUnit;
      readonly count: number;
      readonly back?: true;
      readonly pod?: string;
      readonly line: number;
    }
  | { readonly move: 'go'; readonly to: GoPlace; readonly line: number }
  /** Takes another of the cases that were ready at the loop's last select: a branch. */
  | { readonly move: 'take'; readonly channel: string; readonly line: number }
  /** Sets whether the learner is asked at selects with several ready cases. */
  | { readonly move: 'ask'; readonly select: boolean; readonly line: number }
  /** Anything that a scenario's step can do at once. */
  | { readonly move: 'act'; readonly action: Action; readonly line: number; readonly json: unknown };

export type GoPlace = { readonly time: Micros } | { readonly iteration: number } | { readonly place: string };

/** True of the place: an expression over record and state, or an expectation as scenarios have them. */
export type Check =
  | { readonly expression: string; readonly text: string; readonly line: number }
  | { readonly expectation: Expectation; readonly text: string; readonly line: number };

/** The changes to what the page shows; an absent field changes nothing. */
export interface Show {
  readonly level?: LessonLevel;
  readonly select?: Select;
  readonly panel?: LessonPanel;
  readonly tab?: LessonTab;
  /** Upstream's function. */
  readonly source?: string;
}

export type Select =
  | { readonly pod: string }
  | { readonly container: string; readonly pod?: string }
  | { readonly sandbox: string }
  | { readonly channel: string }
  | { readonly goroutine: string }
  | { readonly part: LessonPart }
  | { readonly record: 'here' | 'cause' };

/** A prediction: the run goes on after the answer and shows what is right. */
export interface Ask {
  readonly question: LocalText;
  /** Either these, or a number. */
  readonly options: readonly Option[];
  readonly number?: { readonly unit: string; readonly tolerance: number };
  readonly then: readonly Move[];
  /** An expression; at the place reached its value is the right answer. */
  readonly answer: string;
  /** Shown after any answer. */
  readonly right: LocalText;
}
export type AnswerValue = string | number | boolean;
export interface Option {
  readonly value: AnswerValue;
  readonly text: LocalText;
  /** The reason why it is wrong. */
  readonly wrong?: LocalText;
}

/** A requirement of an exercise, for people and for the program. */
export type Criterion = Check & {
  /** The requirement in words. A lesson without it shows the expression. */
  readonly sentence?: LocalText;
  /** The state while it is not met; its values are those of the moment. */
  readonly progress?: LocalText;
};

export interface Exercise {
  readonly text: LocalText;
  /** It is done when all of these are met. Events and records count from where the exercise began. */
  readonly done: readonly Criterion[];
  readonly hint: LocalText;
  readonly solution: readonly Move[];
}
