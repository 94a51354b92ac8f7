/**
 * Who may talk to us. The server listens on loopback only, yet any page in a browser and any user of this machine can
 * reach that: so each request must name us as its host, come from our own page or from no page, and know the token.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Rate } from '../net/rate.js';
import { sessionAllowance } from './limits.js';

/** The parts of a request that are checked. */
export interface Credentials {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** Undefined where none was sent; null where none is needed. */
  readonly token: string | undefined | null;
}

/** `status` is an HTTP status, `reason` a sentence for whoever asked. */
export type Verdict =
  /** `control` false: who came with this token may look only. */
  | { readonly ok: true; readonly control?: boolean }
  | { readonly ok: false; readonly status: 401 | 403 | 421 | 429; readonly reason: string };

/** The one check of a server for plain requests, upgrades and socket.io's own handshake. */
export interface Door {
  check(credentials: Credentials): Verdict;
}

/** The door of a server that listens on loopback only. */
export class Gate implements Door {
  private readonly tokens: readonly (readonly [digest: Buffer, control: boolean])[];
  private readonly failures: Rate;

  constructor(
    token: string,
    /** Known only once the server listens. */
    public port: number,
    now: () => number = () => performance.now(),
    /** A second one, for who may look only. */
    observer?: string,
    /** It is reached through other ports of loopback, too, which somebody forwards to it. */
    private readonly forwarded = false,
  ) {
    this.failures = new Rate(sessionAllowance.wrongTokensPerMinute, 60_000, now);
    this.tokens = [[sha256(token), true], ...(observer === undefined ? [] : [[sha256(observer), false] as const])];
  }

  /** Host first (DNS rebinding), then origin (other pages), then token (other programs). */
  check({ host, origin, token }: Credentials): Verdict {
    if (!this.isOwnHost(host)) {
      return { ok: false, status: 421, reason: `this server answers to http://127.0.0.1:${this.port} only` };
    }
    if (origin !== undefined && origin.toLowerCase() !== `http://${host?.toLowerCase()}`) {
      return { ok: false, status: 403, reason: 'requests from pages of other origins are refused' };
    }
    return token === null ? { ok: true } : this.checkToken(token);
  }

  private isOwnHost(host: string | undefined): boolean {
    const names = ['127.0.0.1', 'localhost', '[::1]'];
    const found = host?.toLowerCase();
    if (this.forwarded) return names.includes(found?.replace(/:\d{1,5}$/, '') ?? '');
    return names.some((name) => found === `${name}:${this.port}` || (this.port === 80 && found === name));
  }

  /**
   * Wrong tokens are limited, the right one is always taken: all come from this machine, so that a limit for both would
   * let any program on it keep out whoever has the URL. It helps no guesser: 256 bits are not found at any rate.
   */
  private checkToken(token: string | undefined): Verdict {
    const remedy = 'open the URL that syncloop printed when it started; each start has another token';
    if (token === undefined) return { ok: false, status: 401, reason: `a token is needed: ${remedy}` };
    // Digests have one length, whatever was sent; and all are compared, whichever it is.
    const given = sha256(token);
    const matches = this.tokens.map(([digest, control]) => [timingSafeEqual(given, digest), control] as const);
    const found = matches.find(([equal]) => equal);
    if (found) return { ok: true, control: found[1] };
    return this.failures.exceeded()
      ? { ok: false, status: 429, reason: `too many wrong tokens within a minute: ${remedy}` }
      : { ok: false, status: 401, reason: `the token is wrong: ${remedy}` };
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
