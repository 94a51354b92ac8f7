/**
 * Checks who may talk to the server. It listens on loopback only, yet any page in a browser and any user of this
 * machine can reach that: so each request must name us as its host, come from our own page or from no page, and know
 * the token.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type CodeMemory, type CodeProblem, LINK_MILLIS, madeAt, UsedCodes } from '../links/link-code.js';
import { Rate } from '../net/rate.js';
import { sessionAllowance } from './limits.js';

/** The parts of a request that are checked. */
export interface Credentials {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** Undefined if none was sent; null if none is needed. */
  readonly token: string | undefined | null;
  /** In place of a token: the code of a link, and a random name of the page that it opened. */
  readonly link?: { readonly code: string; readonly page: string } | undefined;
}

/** `status` is an HTTP status, `reason` a sentence for the client. */
export type Verdict =
  /** `control` false: the token is read-only. `token`: the token in exchange for the code of a link. */
  | { readonly ok: true; readonly control?: boolean; readonly token?: string }
  | {
      readonly ok: false;
      readonly status: 401 | 403 | 421 | 429;
      readonly reason: string;
      /** The problem of a link's code. */
      readonly link?: CodeProblem;
    };

/** The name that a page gives itself: short, and nothing that anybody guesses. */
const PAGE = /^[\w-]{16,64}$/;

/** The advice if there is no valid token, for the message. */
export const anotherLink = 'press Enter where syncloop runs, or run "syncloop url" there';

/** The one check of a server for plain requests, upgrades and socket.io's own handshake. */
export interface Door {
  check(credentials: Credentials): Verdict;
}

/** The door of a server that listens on loopback only. */
export class Gate implements Door {
  private readonly tokens: readonly { readonly token: string; readonly digest: Buffer; readonly control: boolean }[];
  private readonly failures: Rate;
  private readonly used: UsedCodes;

  constructor(
    token: string,
    /** Known only once the server listens. */
    public port: number,
    now: () => number = () => performance.now(),
    /** A second one, which is read-only. */
    observer?: string,
    /** It is reached through other ports of loopback, too, which somebody forwards to it. */
    private readonly forwarded = false,
    /** Milliseconds since 1970. */
    wallMillis: () => number = Date.now,
    codes: CodeMemory = {},
    /** The loopback addresses that it listens at, besides 127.0.0.1 and ::1. */
    private readonly addresses: readonly string[] = [],
  ) {
    this.failures = new Rate(sessionAllowance.wrongTokensPerMinute, 60_000, now);
    const known = (one: string, control: boolean) => ({ token: one, digest: sha256(one), control });
    this.tokens = [known(token, true), ...(observer === undefined ? [] : [known(observer, false)])];
    // If a port is forwarded, its user makes links on another machine.
    this.used = new UsedCodes(wallMillis, forwarded ? Number.NEGATIVE_INFINITY : wallMillis(), codes);
  }

  /** Host first (DNS rebinding), then origin (other pages), then token (other programs). */
  check({ host, origin, token, link }: Credentials): Verdict {
    if (!this.isOwnHost(host)) {
      return { ok: false, status: 421, reason: `this server answers to http://127.0.0.1:${this.port} only` };
    }
    if (origin !== undefined && origin.toLowerCase() !== `http://${host?.toLowerCase()}`) {
      return { ok: false, status: 403, reason: 'requests from pages of other origins are refused' };
    }
    if (token === null) return { ok: true };
    return token === undefined && link ? this.checkLink(link) : this.checkToken(token);
  }

  private isOwnHost(host: string | undefined): boolean {
    const names = ['127.0.0.1', 'localhost', '[::1]'];
    const found = host?.toLowerCase();
    if (this.forwarded) return names.includes(found?.replace(/:\d{1,5}$/, '') ?? '');
    return [...names, ...this.addresses].some(
      (name) => found === `${name}:${this.port}` || (this.port === 80 && found === name),
    );
  }

  /**
   * Wrong tokens are limited, the right one is always taken: all come from this machine, so that a limit for both would
   * let any program on it keep out whoever has the URL. It does not help a guesser: 256 bits cannot be guessed at any
   * rate.
   */
  private checkToken(token: string | undefined): Verdict {
    if (token === undefined) return { ok: false, status: 401, reason: `a token is needed: ${anotherLink}` };
    // Digests have one length, whatever was sent; and all are compared, whichever one matches.
    const given = sha256(token);
    const matches = this.tokens.map(({ digest, control }) => [timingSafeEqual(given, digest), control] as const);
    const found = matches.find(([equal]) => equal);
    if (found) return { ok: true, control: found[1] };
    return this.wrong('the token is wrong: each start of syncloop has another one');
  }

  private checkLink({ code, page }: { readonly code: string; readonly page: string }): Verdict {
    const made = this.tokens.map((one) => ({ one, at: madeAt(code, one.token) })).find(({ at }) => at !== null);
    if (!made || made.at === null || !PAGE.test(page)) return this.wrong('the link is of another start of syncloop');
    const problem = this.used.take(code, made.at, page);
    if (problem === null) return { ok: true, control: made.one.control, token: made.one.token };
    const why =
      problem === 'used'
        ? 'the link was used already, and each works only once'
        : `the link is older than ${LINK_MILLIS / 60_000} minutes`;
    return { ok: false, status: 401, reason: `${why}: for another one ${anotherLink}`, link: problem };
  }

  private wrong(what: string): Verdict {
    return this.failures.exceeded()
      ? { ok: false, status: 429, reason: `too many wrong tokens within a minute: ${anotherLink}` }
      : { ok: false, status: 401, reason: `${what}: ${anotherLink}` };
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
