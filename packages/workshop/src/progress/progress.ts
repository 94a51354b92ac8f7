import {
  anyText,
  flag,
  type Infer,
  list,
  literal,
  object,
  oneOf,
  optional,
  read,
  record,
  whole,
} from '@syncloop/core/shape';
import { levels as LEVELS, type Level as LevelName } from '../judge/levels.js';

const stage = object({
  /** The learner's code, as it was last written. */
  code: optional(anyText),
  /** Levels that some code of the learner has passed: they stay passed. */
  passed: list(oneOf(...LEVELS), LEVELS.length),
  /** How many hints were read. */
  hints: whole(0, 100),
  /** The reference was opened before all levels were passed. */
  revealed: flag,
});
const shape = object({ syncloopWorkshop: literal(1), stages: record(stage) });

/** The progress of one learner in one stage. */
export type StageProgress = Infer<typeof stage>;
/** The progress of one learner, by the names of stages. It is what a file holds. */
export type Progress = Infer<typeof shape>;

export const noProgress: Progress = { syncloopWorkshop: 1, stages: {} };
export const notBegun: StageProgress = { passed: [], hints: 0, revealed: false };

/** The longest file of progress that is read, in characters. */
export const LONGEST_PROGRESS = 4_000_000;

/** Reads a file of progress. Throws a ShapeError that names the place of what is wrong. */
export function readProgress(text: string): Progress {
  if (text.length > LONGEST_PROGRESS) throw new Error(`the file is longer than ${LONGEST_PROGRESS} characters`);
  return read(shape, JSON.parse(text), 'progress');
}

export const writeProgress = (progress: Progress): string => `${JSON.stringify(progress, null, 2)}\n`;

/** The progress in a stage; that of somebody who has not begun if there is none yet. */
export const progressIn = ({ stages }: Progress, name: string): StageProgress =>
  Object.hasOwn(stages, name) ? (stages[name] as StageProgress) : notBegun;

/** The progress with a stage changed. */
export const withStage = (progress: Progress, name: string, change: Partial<StageProgress>): Progress => ({
  ...progress,
  stages: { ...progress.stages, [name]: { ...progressIn(progress, name), ...change } },
});

/** Adds levels that were passed, in their order. */
export const withPassed = (progress: Progress, name: string, levels: readonly LevelName[]): Progress => {
  const { passed } = progressIn(progress, name);
  return withStage(progress, name, {
    passed: LEVELS.filter((level) => passed.includes(level) || levels.includes(level)),
  });
};

/**
 * Brings progress from elsewhere into this one: nothing that was passed is lost. The code of this one stays, unless it
 * has none, or the other one's has passed more levels.
 */
export function mergeProgress(mine: Progress, other: Progress): Progress {
  let merged = mine;
  for (const name of Object.keys(other.stages)) {
    const [a, b] = [progressIn(mine, name), progressIn(other, name)];
    const code = b.code !== undefined && (a.code === undefined || b.passed.length > a.passed.length) ? b.code : a.code;
    merged = withStage(withPassed(merged, name, b.passed), name, {
      hints: Math.max(a.hints, b.hints),
      revealed: a.revealed || b.revealed,
      ...(code !== undefined && { code }),
    });
  }
  return merged;
}

/** Progress as a short text for a link: names of stages and levels, never code. */
export const shareText = ({ stages }: Progress): string =>
  Object.entries(stages)
    .filter(([, { passed }]) => passed.length > 0)
    .map(([name, { passed }]) => `${name}:${passed.map((level) => LETTERS[level]).join('')}`)
    .join(',');

const LETTERS: Readonly<Record<LevelName, string>> = { examples: 'e', recordings: 'r', explorer: 'x' };
const SHARED = /^[a-z0-9-]{1,60}:e?r?x?(,[a-z0-9-]{1,60}:e?r?x?)*$/;

/** Reads the text of a link: the levels passed by stage. Null if it is not such a text. */
export function readShare(text: string): ReadonlyMap<string, readonly LevelName[]> | null {
  if (text.length > 5_000 || !SHARED.test(text)) return null;
  return new Map(
    text.split(',').map((part) => {
      const [name = '', letters = ''] = part.split(':');
      return [name, LEVELS.filter((level) => letters.includes(LETTERS[level]))];
    }),
  );
}
