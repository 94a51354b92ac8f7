/** How much the API server's door lets in at once. All of its limits are here. */
import type { Pace } from '../net/seats.js';

const MiB = 1024 * 1024;

/** Of one server; counts are at one time. */
export interface ServeLimits {
  /** Connections, whatever they do. Where there are more, one that has no request goes, the oldest first. */
  readonly connections: number;
  /**
   * How fast new connections come in: each costs a handshake. Who comes when others wait has its turn within a second.
   */
  readonly pace: Pace;
  /** Requests that are answered at once, and of these such that change something. upstream: --max-requests-inflight */
  readonly requests: number;
  readonly mutating: number;
  /** Watches, which take no part in `requests`. */
  readonly watches: number;
  /** Logs, exec, attach, port-forward and proxied requests. */
  readonly streams: number;
  /** The part of each of these that one user may have, so that some is left for all others. */
  readonly share: number;
  /** Bytes of one body. upstream: MaxRequestBodyBytes */
  readonly body: number;
  /** Bytes of all bodies that are on their way in. */
  readonly bodies: number;
  /**
   * Bytes of all whole answers that wait for their readers. Where there are more, the reader that is slow for longest
   * goes.
   */
  readonly answers: number;
  /** Bytes of objects that one watch may be behind. */
  readonly behind: number;
  /** Bytes of a request's line and headers. */
  readonly headers: number;
  /** Milliseconds that a reader may take nothing of an answer that waits for it. */
  readonly stalled: number;
}

export const serveLimits: ServeLimits = {
  connections: 1024,
  pace: { atOnce: 5, millis: 10, waiting: 512 },
  requests: 400,
  mutating: 200,
  watches: 512,
  streams: 128,
  share: 0.75,
  body: 3 * MiB,
  bodies: 48 * MiB,
  answers: 48 * MiB,
  behind: 4 * MiB,
  headers: 16 * 1024,
  stalled: 30_000,
};
