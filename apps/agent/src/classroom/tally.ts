import type { PollAnswer, PollCounts, PollDraft } from '@syncloop/core/classroom';

/** The most numbers that have a count of their own; the rest are counted together. */
export const MOST_VALUES = 24;

/**
 * Counts the answers to one question. An answer is a number here: the place of an option, or, of a question for a
 * number, that number. At most as many numbers are kept as there are answers.
 */
export class Tally {
  private readonly counts = new Map<number, number>();

  constructor(private readonly draft: PollDraft) {}

  /** Returns the answer as it is counted, or why it does not fit the question. Numbers have three decimals. */
  read(given: PollAnswer): number | string {
    const { options, number } = this.draft;
    if (number)
      return 'number' in given ? Math.round(given.number * 1_000) / 1_000 + 0 : 'this question wants a number';
    if ('number' in given || given.option >= options.length) return `this question has ${options.length} answers`;
    return given.option;
  }

  /** Returns an answer as its follower gets it back. */
  asAnswer(answer: number): PollAnswer {
    return this.draft.number ? { number: answer } : { option: answer };
  }

  add(answer: number, by: 1 | -1): void {
    const now = (this.counts.get(answer) ?? 0) + by;
    if (now > 0) this.counts.set(answer, now);
    else this.counts.delete(answer);
  }

  result(): PollCounts {
    const { options, number } = this.draft;
    if (!number) return { counts: options.map((_, i) => this.counts.get(i) ?? 0) };
    const given = [...this.counts].sort(([a, n], [b, m]) => m - n || a - b);
    const shown = given.slice(0, MOST_VALUES).sort(([a], [b]) => a - b);
    const others = given.slice(MOST_VALUES).reduce((sum, [, n]) => sum + n, 0);
    return { counts: shown.map(([, n]) => n), values: shown.map(([v]) => v), ...(others > 0 && { others }) };
  }
}
