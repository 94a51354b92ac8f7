import type { PartName } from '@syncloop/core/kubelet/parts';
import type { Json } from '@syncloop/core/trace';

/** A text in the languages of the page. */
export interface LocalText {
  readonly en: string;
  readonly zh: string;
}

/** One row of a stage's table: calls of the learner's function, and what they return. */
export interface ExampleCase {
  readonly name: string;
  /** The part whose function is called. Default: the stage's first. */
  readonly part?: PartName;
  readonly about: LocalText;
  /** A learner is not shown its arguments. */
  readonly hidden?: boolean;
  /** Arguments and result of a function without a memory. */
  readonly args?: readonly Json[];
  readonly result?: Json;
  /** Calls of a state machine, from its first state on: each one gets the state that the one before returned. */
  readonly calls?: readonly { readonly input: Json; readonly output: Json }[];
}

/** A scenario that the explorer runs under many schedules. */
export interface StageSchedules {
  readonly name: string;
  readonly about: LocalText;
  /** Its document as JSON, without the learner's part. */
  readonly scenario: string;
  readonly count: number;
}

/** A stage: one or more parts of the kubelet to be written, and what judges them. */
export interface Stage {
  readonly name: string;
  readonly number: number;
  /** The first of its parts. */
  readonly part: PartName;
  /** The parts of the kubelet that a learner's file stands for, each with a function of its own. */
  readonly parts: readonly PartName[];
  readonly title: LocalText;
  readonly summary: LocalText;
  /** Markdown. */
  readonly story: LocalText;
  /** Each a step further. */
  readonly hints: readonly LocalText[];
  /** Upstream's own: the path in its repository, and the symbol. */
  readonly upstream: readonly { readonly path: string; readonly symbol: string }[];
  /** Names of recordings of a real kubelet that it is judged by. */
  readonly recordings: readonly string[];
  readonly schedules: readonly StageSchedules[];
  readonly cases: readonly ExampleCase[];
  readonly files: { readonly types: string; readonly starter: string; readonly reference: string };
}

/** A stage as a list shows it. */
export interface ListedStage extends Pick<Stage, 'name' | 'number' | 'part' | 'title' | 'summary'> {
  load(): Promise<Stage>;
}
