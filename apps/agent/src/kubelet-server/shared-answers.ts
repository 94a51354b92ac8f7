import type { Answer } from './http.js';

/** Answers that take less time than this are made for each client, ms. */
const cheap = 5;
/** An expensive answer is shared for this many times as long as it took: at most a part of the thread goes into it. */
const times = 10;
/** Most time for which an answer is shared, ms. */
const longest = 2000;

/**
 * Shares answers that are expensive to make, such as all pods or all figures: clients that ask while one is being made
 * get the same one, and one that asks again and again gets an older one for a moment.
 */
export class SharedAnswers {
  private readonly entries = new Map<string, { readonly answer: Promise<Answer>; until: number }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** `key`: one of few. What fails is not kept. */
  get(key: string, make: () => Promise<Answer>): Promise<Answer> {
    const began = this.now();
    const known = this.entries.get(key);
    if (known && known.until > began) return known.answer;
    const entry = { answer: make(), until: Number.POSITIVE_INFINITY };
    this.entries.set(key, entry);
    const end = (until: number) => {
      entry.until = until;
      if (until <= began && this.entries.get(key) === entry) this.entries.delete(key);
    };
    entry.answer.then(
      () => {
        const now = this.now();
        const cost = now - began;
        end(cost < cheap ? began : now + Math.min(longest, cost * times));
      },
      () => end(began),
    );
    return entry.answer;
  }
}
