/** All limits of the API server's port: how much it accepts at once. */
import type { Pace } from '../net/seats.js';

const MiB = 1024 * 1024;

/** The limits of one server; counts are of what is in use at one time. */
export interface ServeLimits {
  /** Connections. If there are more, the oldest one without a request is closed. */
  readonly connections: number;
  /**
   * The rate at which new connections are accepted, because each costs a handshake. A client that comes while others
   * wait has its turn within a second.
   */
  readonly pace: Pace;
  /** Requests in flight; and those of them that change something. upstream: --max-requests-inflight */
  readonly requests: number;
  readonly mutating: number;
  /** Watches, which do not count as `requests`. */
  readonly watches: number;
  /** Logs, exec, attach, port-forward and proxied requests. */
  readonly streams: number;
  /** The part of each of these that one user may have, so that some is left for all others. */
  readonly share: number;
  /** Most bytes of one body. upstream: MaxRequestBodyBytes */
  readonly body: number;
  /** Bytes of all bodies that are being received. */
  readonly bodies: number;
  /**
   * Bytes of all whole answers that wait for their readers. If there are more, the connection of the reader that has
   * been slow for longest is closed.
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
