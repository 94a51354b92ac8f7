/** A recording of the node that this process runs, written by a thread of its own. */
import { Worker } from 'node:worker_threads';
import type { RecordingInfo } from '@syncloop/core/trace';
import { built } from '../base/built.js';
import type { RecordBatch } from './record-feed.js';
import { keepOlderRecordings, openForRecording, type RecorderOptions } from './recorder.js';
import type { FromRecorder, RecorderSetup, ToRecorder } from './recorder-port.js';

/** Most characters that wait for a slow disk; more are left out, and the recording says so. */
const maxWaiting = 32 * 1024 * 1024;
const heapMiB = 96;
const youngMiB = 6;
/** Options that tests choose. */
export interface RecorderThreadOptions extends RecorderOptions {
  /** The longest waits of the end, ms: for a thread that is still starting, for the disk, and for the thread's end. */
  readonly startMillis?: number;
  readonly closeMillis?: number;
  readonly endMillis?: number;
  readonly start?: (setup: RecorderSetup) => Worker;
}

function startThread(setup: RecorderSetup): Worker {
  return new Worker(built('recording/recorder-worker.js'), {
    // The product's own way to load modules, whatever runs the main thread.
    execArgv: [],
    workerData: setup,
    // It keeps little, and batches are short-lived: a young generation of the usual size would be mostly garbage.
    resourceLimits: { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: youngMiB },
    // The file was opened here.
    trackUnmanagedFds: false,
  });
}

export interface RecorderThread {
  take(batch: RecordBatch): void;
  /** Writes the rest and the index, and closes the file; waits for that, but not for ever. */
  close(): Promise<void>;
}

/**
 * Starts writing to `file`; an existing recording is kept under another name. Throws a SetupError when the file cannot
 * be written. When the thread ends, or the disk is full, `warn` is called, and the recorded program goes on.
 */
export function startRecorderThread(
  file: string,
  header: RecordingInfo,
  warn: (text: string) => void,
  {
    startMillis = 30_000,
    closeMillis = 2000,
    endMillis = 500,
    start = startThread,
    ...options
  }: RecorderThreadOptions = {},
): RecorderThread {
  const older = keepOlderRecordings(file);
  const setup: RecorderSetup = {
    fd: openForRecording(file),
    file,
    header,
    options,
  };
  if (older !== null) warn(`the recording of the previous run is now in ${older}`);
  const worker = start(setup);
  let waiting = 0;
  let left = 0;
  let over = false;
  const end = (why: string) => {
    if (over) return;
    over = true;
    warn(`recording ${file} ends here: ${why}`);
  };
  let begin: () => void = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  worker.on('message', (message: FromRecorder) => {
    if (message.type === 'written') waiting -= message.length;
    else if (message.type === 'warning') warn(message.text);
    else begin();
  });
  worker.on('error', (err) => end(`its thread ended: ${err.message}`));
  worker.on('exit', () => {
    over = true;
    begin();
  });
  const post = (message: ToRecorder) => worker.postMessage(message);
  return {
    take(batch) {
      if (over) return;
      if (waiting > maxWaiting) {
        if (left === 0) warn(`the disk is too slow for the recording ${file}: records are left out`);
        left += batch.count;
        return;
      }
      if (left > 0) warn(`the recording ${file} goes on; ${left} records were left out`);
      left = 0;
      waiting += batch.json.length;
      post({ type: 'records', json: batch.json });
    },
    async close() {
      if (over) return;
      const gone = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
      post({ type: 'close' });
      // A program that ends soon after it began must not lose what its thread has not had the time to write.
      await within(startMillis, begun);
      if (await within(closeMillis, gone)) return;
      void worker.terminate();
      if (await within(endMillis, gone)) return;
      // It is in the middle of a write that does not come back: a thread cannot be ended there, and Node waits for it
      // at the process's own end, for as long as the disk likes. All else is closed by then.
      end('the disk does not answer');
      worker.unref();
      const kill = () => process.kill(process.pid, 'SIGKILL');
      process.once('exit', kill);
      void gone.then(() => process.off('exit', kill));
    },
  };
}

/** Resolves to true if the event came within that time. */
async function within(millis: number, event: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | null = null;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), millis);
  });
  const came = await Promise.race([event.then(() => true), late]);
  if (timer) clearTimeout(timer);
  return came;
}
