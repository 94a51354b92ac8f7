import type { CommandResult } from '@syncloop/core/debug/live';

/** Most questions that wait for their turn. */
const mostQuestions = 64;
/** A question that takes longer than this is followed by a rest, ms. */
const quickMillis = 5;

/**
 * Answers questions, which go through all records in memory. One is answered at a time, and after each that took long
 * the rest of this process has the thread for as long: records, sockets, and the sign of life to the kubelet. Beyond a
 * number of waiting questions, more are refused.
 */
export class Questions {
  private readonly waiting: (() => void)[] = [];
  private timer: NodeJS.Timeout | null = null;
  private restUntil = 0;

  /** Replies once, now or later, with the result or the error of `answer`. */
  ask(answer: () => CommandResult, reply: (result: CommandResult) => void): void {
    if (this.waiting.length >= mostQuestions) {
      reply({ ok: false, error: `${mostQuestions} questions wait already: ask again when some are answered` });
      return;
    }
    this.waiting.push(() => {
      try {
        reply(answer());
      } catch (err) {
        reply({ ok: false, error: (err as Error).message });
      }
    });
    this.next();
  }

  close(): void {
    if (this.timer) clearTimeout(this.timer);
    this.waiting.length = 0;
  }

  private next(): void {
    while (!this.timer && this.waiting.length > 0) {
      const begun = performance.now();
      if (begun < this.restUntil) {
        this.timer = setTimeout(() => {
          this.timer = null;
          this.next();
        }, this.restUntil - begun);
        return;
      }
      this.waiting.shift()?.();
      const took = performance.now() - begun;
      if (took > quickMillis) this.restUntil = performance.now() + took;
    }
  }
}
