/** The levels of the judge, easiest first. */
export const levels = ['examples', 'recordings', 'explorer'] as const;
export type Level = (typeof levels)[number];

interface Result {
  readonly level: Level;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly cases: number;
}

/** A level that has nothing to judge in a stage counts as passed, once those before it are. */
export const isPassed = ({ state, cases }: Result): boolean =>
  state === 'passed' || (state === 'skipped' && cases === 0);

/** The levels that a judgement passed, up to the first that failed. */
export function passedLevels(results: readonly Result[]): readonly Level[] {
  const failed = results.findIndex((result) => !isPassed(result));
  return results.slice(0, failed < 0 ? results.length : failed).map(({ level }) => level);
}
