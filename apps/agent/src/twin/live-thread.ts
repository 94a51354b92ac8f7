/** A twin that follows a kubelet, in a thread of its own. */
import { Worker } from 'node:worker_threads';
import { built } from '../base/built.js';
import type { Beat, LiveSetup, ToLive } from './live-port.js';

const heapMiB = 512;

export interface LiveThreadOptions extends Omit<LiveSetup, 'everyMillis'> {
  readonly everyMillis?: number;
  /** Called after each beat. */
  readonly onBeat: (beat: Beat) => void;
  /** Called with the reason when the thread has ended by itself. What it followed is not affected. */
  readonly onEnd: (why: string) => void;
}

export interface LiveThread {
  /** A JSON list of records. */
  take(batch: { readonly json: string }): void;
  close(): Promise<void>;
}

export function startLiveThread({ onBeat, onEnd, everyMillis = 1000, ...setup }: LiveThreadOptions): LiveThread {
  const worker = new Worker(built('twin/live-worker.js'), {
    execArgv: [],
    workerData: { ...setup, everyMillis } satisfies LiveSetup,
    resourceLimits: { maxOldGenerationSizeMb: heapMiB },
  });
  let over = false;
  const end = (why: string) => {
    if (over) return;
    over = true;
    onEnd(why);
  };
  worker.on('message', onBeat);
  worker.on('error', (err) => end(err.message));
  worker.on('exit', () => end('its thread has ended'));
  const post = (message: ToLive) => {
    if (!over) worker.postMessage(message);
  };
  return {
    take: ({ json }) => post({ type: 'records', json }),
    async close() {
      over = true;
      await worker.terminate();
    },
  };
}
