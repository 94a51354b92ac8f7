/** The thread that works on the copy of a tap: its work and its failures do not concern the pipe. */
import { Worker } from 'node:worker_threads';
import { built } from '../base/built.js';
import type { AsideSetup, FromAside, ToAside } from './aside-work.js';
import { Copy } from './copy.js';
import type { PipeEvent } from './pipe.js';

const heapMiB = 256;
/** Events wait this long for others, ms. */
const gatherMillis = 5;
/** A thread that failed is started again after this long, ms. */
const restartMillis = 1000;
/** The time that a closing thread may work on its queue, ms: on a busy machine a large answer takes seconds. */
const closeMillis = 10_000;

export interface AsideOptions extends AsideSetup {
  /** A line about a call. */
  readonly line?: (text: string) => void;
  /** Reports what somebody should know: the capture has ended, the thread has failed. A full sentence. */
  readonly warn: (text: string) => void;
  /** For tests: another thread. */
  readonly start?: (setup: AsideSetup) => Worker;
}

export interface Aside {
  /** Takes the events of the pipe; never waits and never throws. */
  take(event: PipeEvent): void;
  /** Bytes that were left out because the thread was too slow, or away. */
  readonly dropped: number;
  /** Finishes its work, closes the files, and ends the thread. */
  close(): Promise<void>;
}

const startThread = (setup: AsideSetup): Worker =>
  new Worker(built('tap/aside-worker.js'), {
    execArgv: [],
    workerData: setup,
    resourceLimits: { maxOldGenerationSizeMb: heapMiB },
    trackUnmanagedFds: false,
  });

/** Starts the thread. When it fails it is started again, and sees connections that are open from their middle. */
export function startAside({ line, warn, start = startThread, ...setup }: AsideOptions): Aside {
  let worker: Worker | null = null;
  let closing: (() => void) | null = null;
  let timer: NodeJS.Timeout | undefined;
  let number = 0;
  const waiting = new Map<number, () => void>();
  const copy = new Copy({
    send: (batch, done) => {
      if (!worker) return done();
      waiting.set(++number, done);
      const message: ToAside = { type: 'batch', number, batch };
      worker.postMessage(message, [batch.bytes.buffer]);
    },
    now: () => performance.timeOrigin + performance.now(),
    later: (flush) => void setTimeout(flush, gatherMillis).unref(),
  });
  const begin = () => {
    const one = start(setup);
    worker = one;
    one.on('message', (message: FromAside) => {
      if (message.type === 'done') {
        waiting.get(message.number)?.();
        waiting.delete(message.number);
      } else if (message.type === 'lines') for (const text of message.lines) line?.(text);
      else if (message.type === 'warning') warn(message.text);
    });
    one.on('error', (err) =>
      warn(`the decoder of the tap failed and is started again; the pipe goes on: ${err.message}`),
    );
    one.once('exit', () => {
      worker = null;
      for (const done of waiting.values()) done();
      waiting.clear();
      if (closing) closing();
      else timer = setTimeout(begin, restartMillis).unref();
    });
  };
  begin();
  return {
    take: (event) => copy.take(event),
    get dropped() {
      return copy.dropped;
    },
    async close() {
      clearTimeout(timer);
      copy.flush();
      const one = worker;
      if (!one) return;
      const gone = new Promise<void>((resolve) => {
        closing = resolve;
      });
      const message: ToAside = { type: 'close' };
      one.postMessage(message);
      const late = setTimeout(() => void one.terminate(), closeMillis);
      await gone;
      clearTimeout(late);
    },
  };
}
