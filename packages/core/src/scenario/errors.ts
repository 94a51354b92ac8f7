/** Longest message: what is quoted in it may be of any length. */
const longest = 4000;

/** A scenario that cannot be read or run. The message says where, what is wrong, and what to do instead. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
  constructor(message: string) {
    super(message.length > longest ? `${message.slice(0, longest)}...` : message);
  }
}

/** The candidate most like `word`, null where none is near. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  let best: string | null = null;
  let least = Math.max(2, Math.floor(word.length / 2)) + 1;
  for (const candidate of candidates) {
    const d = distance(word.toLowerCase(), candidate.toLowerCase());
    if (d < least) {
      least = d;
      best = candidate;
    }
  }
  return best;
}

/** `did you mean "x"?` where something is near, else all that there is. */
export function suggest(word: string, candidates: readonly string[]): string {
  const near = nearest(word.slice(0, 64), candidates);
  return near === null ? `there are: ${candidates.join(', ') || 'none'}` : `did you mean "${near}"?`;
}

/** Letters to add, drop, change or swap with the next one. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let d = Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, (row[j - 1] as number) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        d = Math.min(d, (before[j - 2] as number) + 1);
      next.push(d);
    }
    before = row;
    row = next;
  }
  return row[b.length] as number;
}
