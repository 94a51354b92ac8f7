/**
 * The limits of the kubelet's servers, all in one place. Upstream has none of them: its server does not share one
 * thread with the kubelet.
 */
import { HTTPError } from '@syncloop/core/kubelet/server';
import type { Seats } from '../net/seats.js';

const MiB = 1024 * 1024;

/** The limits of each server; counts are at one time. */
export const serverLimits = {
  /** Most connections, whatever they do, and of one address. Beyond that, the oldest without a request is closed. */
  connections: 1024,
  connectionsOfOne: 512,
  /** Most new connections of one address in a second. */
  newConnectionsOfOne: 200,
  /** The rate of new connections if each costs a handshake of TLS. */
  pace: { atOnce: 5, millis: 10, waiting: 512 },
  /** Logs, exec, attach, portForward, run and checkpoint, and the part of them that one address may have. */
  streams: 256,
  /** Most questions to the API server about a token's user, and the share of them that one address may have. */
  reviews: 32,
  share: 0.75,
  /** Bytes of a request's line and headers. */
  headers: 16 * 1024,
  /** Bytes of all whole answers that wait for their readers. */
  answers: 32 * MiB,
  /** Milliseconds that a reader may take nothing of an answer that waits for it. */
  stalled: 30_000,
} as const;

/** Takes a seat until the returned function is called. Throws an HTTPError 429. */
export function seat(seats: Seats, address: string | undefined, what: string): () => void {
  const leave = seats.take(address ?? '');
  if (!leave)
    throw new HTTPError(429, `too many ${what} at once: end some of them, or try again later\n`, {
      'Retry-After': '1',
    });
  return leave;
}
