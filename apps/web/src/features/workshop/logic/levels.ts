import type { Level, LevelResult } from '@syncloop/workshop/judge';

/** A level that has nothing to judge in a stage counts as passed, once those before it are. */
export const isPassed = ({ state, cases }: LevelResult): boolean =>
  state === 'passed' || (state === 'skipped' && cases === 0);

/** The levels that a judgement passed, up to the first that failed. */
export function passedLevels(results: readonly LevelResult[]): readonly Level[] {
  const failed = results.findIndex((result) => !isPassed(result));
  return results.slice(0, failed < 0 ? results.length : failed).map(({ level }) => level);
}
