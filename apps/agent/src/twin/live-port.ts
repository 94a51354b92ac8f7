/** The thread's side of the port of a twin that follows. */

import { redactRecord } from '@syncloop/core/redaction';
import type { TraceRecord } from '@syncloop/core/trace';
import { type LiveStatus, LiveTwin, type LiveTwinOptions } from '@syncloop/observe/twin/live';

/** The records that come are redacted. */
export interface LiveSetup extends Omit<LiveTwinOptions, 'redact'> {
  /** Least time between two beats, ms. */
  readonly everyMillis: number;
}
export type ToLive = { readonly type: 'records'; readonly json: string } | { readonly type: 'close' };
/** `tookMillis`: how long the beat took; `held`: records in the twin's memory; `heap`: bytes of the thread's heap. */
export interface Beat {
  readonly type: 'beat';
  readonly status: LiveStatus;
  readonly tookMillis: number;
  readonly held: number;
  readonly heap: number;
}
export type FromLive = Beat;

export interface LivePort {
  on(event: 'message', listen: (message: ToLive) => void): void;
  postMessage(message: FromLive): void;
  close(): void;
}

/** A beat takes at most this part of the thread's time, so that a node that is too large only makes the twin later. */
const SHARE = 2;
/** Sources whose clock differs by more than this from this machine's have one of their own. */
const OTHER_CLOCK_MICROS = 60e6;

/** Follows the observed kubelet until a message says to close. */
export function followFromPort(
  port: LivePort,
  { everyMillis, ...options }: LiveSetup,
  clocks: { readonly now: () => number; readonly monotonic: () => number } = {
    now: Date.now,
    monotonic: () => performance.now(),
  },
): void {
  const twin = new LiveTwin({ ...options, redact: redactRecord });
  let newest = 0;
  let cameAt = clocks.monotonic();
  let closed = false;
  let timer: ReturnType<typeof setTimeout> | null = null;
  /** The observed run's clock at this moment. */
  const clock = () => {
    const wall = clocks.now() * 1000 - options.epochMicros;
    const expected = newest + (clocks.monotonic() - cameAt) * 1000;
    return Math.abs(wall - expected) < OTHER_CLOCK_MICROS ? wall : expected;
  };
  const beat = () => {
    const begun = clocks.monotonic();
    const status = twin.beat(clock);
    const tookMillis = clocks.monotonic() - begun;
    port.postMessage({ type: 'beat', status, tookMillis, held: twin.held, heap: process.memoryUsage().heapUsed });
    if (!closed && status.state !== 'gone') timer = setTimeout(beat, Math.max(everyMillis, tookMillis * (SHARE - 1)));
  };
  port.on('message', (message) => {
    if (message.type === 'close') {
      closed = true;
      if (timer) clearTimeout(timer);
      port.close();
      return;
    }
    for (const record of JSON.parse(message.json) as TraceRecord[]) {
      if (record.time > newest) {
        newest = record.time;
        cameAt = clocks.monotonic();
      }
      twin.take(record);
    }
  });
  timer = setTimeout(beat, everyMillis);
}
