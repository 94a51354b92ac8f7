import type { Json, LearnerResult } from '@syncloop/workshop/interpreter';
import type { Difference, JudgeProgress, LevelResult, Sides } from '@syncloop/workshop/judge';
import { type LevelName, noProgress, type Progress, readProgress, withStage } from '@syncloop/workshop/progress';
import { create } from 'zustand';
import { recall, remember } from '../../page/storage.js';

/** The parts of a stage, of which one is open. */
export type StageTab = 'examples' | 'levels' | 'steps' | 'output' | 'reference';

/** A recorded call of the learner's code, which can be stepped through. */
export interface Recorded {
  readonly stage: string;
  /** The example that it was called with. */
  readonly example: number;
  readonly code: string;
  readonly result: LearnerResult;
}

/** The verdict on a code, as far as it has come. */
export interface Judged {
  readonly code: string;
  /** For each example the difference, or null if the code passes it. Empty before they were judged. */
  readonly examples: readonly (Difference | null)[];
  /** Empty before the end. */
  readonly levels: readonly LevelResult[];
  /** The case that is being judged. */
  readonly at: JudgeProgress | null;
}

export interface ShownSides extends Sides {
  /** The session that runs it. */
  readonly session: string;
  /** The time of the first difference, ms. */
  readonly at: number;
  readonly expected: Json;
  readonly got: Json;
}

export interface WorkshopState {
  readonly progress: Progress;
  /** The stage that is open; null for the list alone, on a phone. */
  readonly stage: string | null;
  readonly tab: StageTab;
  /** The stage that is being judged. */
  readonly judging: string | null;
  /** Verdicts by stage. */
  readonly judged: Readonly<Record<string, Judged>>;
  readonly recorded: Recorded | null;
  /** The step of the recorded call that is shown. */
  readonly step: number;
  /** Why the last judgement did not finish. */
  readonly trouble: string | null;
  /** The first difference that the debugger shows, with what the real kubelet did there. */
  readonly sides: ShownSides | null;
  /** Levels that somebody passed who shared a link, by stage. */
  readonly shared: ReadonlyMap<string, readonly LevelName[]> | null;
}

const KEY = 'workshop';

/** The progress that the browser keeps. What cannot be read is left where it is until something is passed. */
function kept(): Progress {
  const text = recall(KEY);
  if (text === null) return noProgress;
  try {
    return readProgress(text);
  } catch {
    return noProgress;
  }
}

export const useWorkshop = create<WorkshopState>(() => ({
  progress: kept(),
  stage: recall(`${KEY}.stage`),
  tab: 'examples',
  judging: null,
  judged: {},
  recorded: null,
  step: 0,
  trouble: null,
  sides: null,
  shared: null,
}));

/** Changes the progress, and keeps it. */
export function setProgress(change: (progress: Progress) => Progress): void {
  useWorkshop.setState((s) => ({ progress: change(s.progress) }));
  remember(KEY, JSON.stringify(useWorkshop.getState().progress));
}

export function openStage(stage: string | null): void {
  useWorkshop.setState({ stage, tab: 'examples', trouble: null });
  if (stage !== null) remember(`${KEY}.stage`, stage);
}

let writing: ReturnType<typeof setTimeout> | undefined;
/** Takes what was typed. It is kept a moment later, so that typing is not held up. */
export function setCode(stage: string, code: string): void {
  useWorkshop.setState((s) => ({ progress: withStage(s.progress, stage, { code }) }));
  clearTimeout(writing);
  writing = setTimeout(keepNow, 400);
}

/** Keeps what was typed at once. */
export function keepNow(): void {
  clearTimeout(writing);
  writing = undefined;
  remember(KEY, JSON.stringify(useWorkshop.getState().progress));
}
