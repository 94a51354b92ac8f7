/**
 * Sets of completion indexes, as a Job's status writes them: `0-2,4`.
 * upstream: pkg/controller/job indexed_job_utils.go
 */

/** Parses such a set. Parts that are not numbers are skipped, and so are indexes of `completions` or more. */
export function readIndexes(text: string | null | undefined, completions: number): Set<number> {
  const out = new Set<number>();
  for (const part of (text ?? '').split(',')) {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    if (first === undefined) continue;
    for (let i = Number(first); i <= Math.min(Number(last), completions - 1); i++) out.add(i);
  }
  return out;
}

export function writeIndexes(indexes: Iterable<number>): string {
  const runs: [first: number, last: number][] = [];
  for (const i of [...indexes].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && i === run[1] + 1) run[1] = i;
    else runs.push([i, i]);
  }
  // Two neighbours are written as two numbers.
  return runs
    .map(([first, last]) =>
      first === last ? `${first}` : last === first + 1 ? `${first},${last}` : `${first}-${last}`,
    )
    .join(',');
}
