/**
 * The code in a link to a page. It works once, for a short time, and the page that it opens exchanges it for the token.
 * Anybody who knows the token can make a code: the command that prints a link, `syncloop url`, `syncloop nodes`, and a
 * page that makes a link for another browser.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { hostPort } from '../net/listen.js';

/** The lifetime of a link, ms. Long enough to walk to another machine with it. */
export const LINK_MILLIS = 10 * 60_000;
/** Used codes that are remembered; only a client with the token can make codes, so nobody else can fill this. */
export const MOST_USED = 4096;

const TIME_BYTES = 6;
const NONCE_BYTES = 12;
const MAC_BYTES = 16;
const BODY_BYTES = TIME_BYTES + NONCE_BYTES;

/** A code for this token, in base64url: time of its making (ms since 1970), a random part, and their HMAC-SHA256. */
export function newCode(token: string, wallMillis = Date.now(), nonce: Uint8Array = randomBytes(NONCE_BYTES)): string {
  const body = Buffer.alloc(BODY_BYTES);
  body.writeUIntBE(wallMillis, 0, TIME_BYTES);
  body.set(nonce, TIME_BYTES);
  return Buffer.concat([body, macOf(token, body)]).toString('base64url');
}

/** The address that is printed for a browser. The code is in its fragment, which no server log and no Referer has. */
export const linkTo = (host: string, port: number, token: string): string =>
  `http://${hostPort(host, port)}/#code=${newCode(token)}`;

function macOf(token: string, body: Uint8Array): Buffer {
  return createHmac('sha256', token).update('syncloop link\n').update(body).digest().subarray(0, MAC_BYTES);
}

/** Returns when a code was made from this token, ms since 1970; null if it was not. */
export function madeAt(code: string, token: string): number | null {
  const bytes = Buffer.from(code, 'base64url');
  // A code has one spelling, so that it cannot be used once more in another one.
  if (bytes.length !== BODY_BYTES + MAC_BYTES || bytes.toString('base64url') !== code) return null;
  const body = bytes.subarray(0, BODY_BYTES);
  return timingSafeEqual(bytes.subarray(BODY_BYTES), macOf(token, body)) ? body.readUIntBE(0, TIME_BYTES) : null;
}

/** The reason why a code that was made from the right token is refused. */
export type CodeProblem = 'used' | 'expired';

/** A code that was used, and its page: SHA-256 of both in base64url, so that a reader can use neither. */
export interface UsedCode {
  readonly code: string;
  readonly page: string;
  /** When the code was made, ms since 1970. */
  readonly made: number;
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** True if a code that was made then can still be valid, or could if it had not been used. */
export const isRecent = ({ made }: UsedCode, now: number): boolean => Math.abs(now - made) <= 2 * LINK_MILLIS;

/** Used codes from before a server started with the same token, and the store of those that are used now. */
export interface CodeMemory {
  readonly known?: readonly UsedCode[];
  /** Called before the token is given out. */
  readonly onUse?: (used: UsedCode) => void;
}

/** The codes that a server has taken. */
export class UsedCodes {
  /** Used codes by their digest. */
  private readonly used: Map<string, UsedCode>;

  constructor(
    private readonly wallMillis: () => number,
    /**
     * Earlier codes are refused: which of them were used by then is unknown. Minus infinity if another machine makes
     * them, whose clock is not ours.
     */
    private readonly since: number,
    private readonly memory: CodeMemory = {},
  ) {
    this.used = new Map((memory.known ?? []).map((one) => [one.code, one]));
  }

  /**
   * Takes a code that was made at `made` for the page that names itself so; null if it is good. The same page may
   * come again, since the answer may not have reached it.
   */
  take(code: string, made: number, page: string): CodeProblem | null {
    const now = this.wallMillis();
    const one: UsedCode = { code: digestOf(code), page: digestOf(page), made };
    const before = this.used.get(one.code);
    if (before) return before.page === one.page ? null : 'used';
    // A clock of another machine may be ahead of ours.
    if (Math.abs(now - made) > LINK_MILLIS || made < this.since) return 'expired';
    for (const [key, old] of this.used) if (!isRecent(old, now) || this.used.size >= MOST_USED) this.used.delete(key);
    this.used.set(one.code, one);
    this.memory.onUse?.(one);
    return null;
  }
}
