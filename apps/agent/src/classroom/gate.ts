/**
 * Checks who may join a classroom. Its server may listen where other machines reach it, so it has a check of its own:
 * it accepts requests for its own host names only (against DNS rebinding), from pages of its own origin only, with the
 * audience's token.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { hostPort, isLoopback } from '../net/listen.js';
import type { Credentials, Door, Verdict } from '../server/auth.js';

const isAny = (host: string): boolean => host === '0.0.0.0' || host === '::';
const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];

/** Names that a server listening on `host` is asked by, the best one first. `more`: names that the user knows of. */
export function namesOf(host: string, more: readonly string[], interfaces = networkInterfaces()): readonly string[] {
  if (isLoopback(host)) return [...more, host, ...LOOPBACK.filter((n) => n !== host)];
  if (!isAny(host)) return [...more, host];
  const found = Object.values(interfaces).flatMap((list) => list ?? []);
  const outside = found.filter((a) => !a.internal && (a.family === 'IPv4' || host === '::'));
  // IPv4 first: it is easier to type.
  const sorted = [...outside.filter((a) => a.family === 'IPv4'), ...outside.filter((a) => a.family === 'IPv6')];
  return [...more, ...sorted.filter((a) => !a.address.startsWith('fe80:')).map((a) => a.address), ...LOOPBACK];
}

/** The check for requests, upgrades and socket.io's handshake of a class's own server. */
export class ClassroomGate implements Door {
  private readonly digest: Buffer;
  /** Known only once the server listens. */
  port = 0;

  constructor(
    token: string,
    private readonly names: readonly string[],
    private readonly scheme: 'http' | 'https',
  ) {
    this.digest = sha256(token);
  }

  /** `http://192.168.1.5:7331`, the best name first. */
  origins(): readonly string[] {
    return this.names.map((name) => `${this.scheme}://${this.hostOf(name)}`);
  }

  /**
   * Wrong tokens are not counted: all of a classroom may come from one address, some with yesterday's link, and 256
   * bits are not guessed.
   */
  check({ host, origin, token }: Credentials): Verdict {
    const asked = host?.toLowerCase();
    if (asked === undefined || !this.names.some((name) => this.hostOf(name) === asked))
      return { ok: false, status: 421, reason: `this server answers to ${this.origins()[0]} only` };
    if (origin !== undefined && origin.toLowerCase() !== `${this.scheme}://${asked}`)
      return { ok: false, status: 403, reason: 'requests from pages of other origins are refused' };
    if (token === null) return { ok: true };
    if (token !== undefined && timingSafeEqual(sha256(token), this.digest)) return { ok: true };
    const reason = token === undefined ? 'the link of the class is needed' : 'this link is of another class';
    return { ok: false, status: 401, reason: `${reason}: ask the presenter for the current one` };
  }

  /** Written as a browser writes it: without the scheme's own port. */
  private hostOf(name: string): string {
    const plain = this.port === (this.scheme === 'http' ? 80 : 443);
    const full = hostPort(name.toLowerCase(), this.port);
    return plain ? full.slice(0, full.lastIndexOf(':')) : full;
  }
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
