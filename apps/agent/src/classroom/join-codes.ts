/**
 * The six letters that let a follower in who types the address. A code is exchanged for the audience's token and
 * nothing else. It lives for a few minutes, and wrong ones are limited, per address and in all.
 */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { CODE_LENGTH, CODE_LETTERS } from '@syncloop/core/classroom';
import { Rate } from '../net/rate.js';
import type { Allowance } from '../server/limits.js';

/** The lifetime of a code, ms. */
export const CODE_MILLIS = 10 * 60_000;
/** Another code is shown after this time, ms, so that whoever begins to type has as long again. */
export const RENEW_MILLIS = CODE_MILLIS / 2;
const MINUTE = 60_000;

/** The reason why a code is refused, with an HTTP status. */
export interface CodeRefusal {
  readonly status: 401 | 429;
  readonly reason: string;
}

export interface JoinCodesOptions {
  readonly allowance: Pick<Allowance, 'wrongCodes'>;
  /** Monotonic, ms. */
  readonly now: () => number;
  /** For tests: a whole number below `most`. */
  readonly random?: (most: number) => number;
}

interface Code {
  readonly text: string;
  readonly digest: Buffer;
  readonly made: number;
}

export class JoinCodes {
  private newest: Code | null = null;
  private before: Code | null = null;
  private readonly wrong: Rate;

  constructor(private readonly options: JoinCodesOptions) {
    this.wrong = new Rate(options.allowance.wrongCodes, MINUTE, options.now);
  }

  /** The code to show now. */
  get current(): string {
    const now = this.options.now();
    if (!this.newest || now - this.newest.made >= RENEW_MILLIS) {
      this.before = this.newest;
      this.newest = this.make(now);
    }
    return this.newest.text;
  }

  /**
   * Returns why a code is refused; null if it is good. `own`: the wrong codes of the address that it comes from. Where
   * a limit is reached the right code is refused, too, as otherwise guessing could go on.
   */
  refuses(code: string, own: Rate): CodeRefusal | null {
    if (own.spent)
      return { status: 429, reason: 'too many wrong codes came from your address: wait a minute, or use the link' };
    if (this.wrong.spent) return { status: 429, reason: 'too many wrong codes came: wait a minute, or use the link' };
    if (this.accepts(code)) return null;
    own.exceeded();
    this.wrong.exceeded();
    return { status: 401, reason: 'this code is wrong, or no longer good: type the one that the presenter shows now' };
  }

  /** Digests have one length, whatever was sent, and both are compared, whichever one matches. */
  private accepts(code: string): boolean {
    const now = this.options.now();
    const given = sha256(code);
    const matches = [this.newest, this.before].map((one) => {
      const equal = timingSafeEqual(given, one?.digest ?? sha256(''));
      return equal && one !== null && now - one.made < CODE_MILLIS;
    });
    return matches.includes(true);
  }

  private make(made: number): Code {
    const { random = randomInt } = this.options;
    const letters = Array.from({ length: CODE_LENGTH }, () => CODE_LETTERS[random(CODE_LETTERS.length)]);
    const text = letters.join('');
    return { text, digest: sha256(text), made };
  }
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
