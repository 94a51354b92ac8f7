/** A recording of the node that this process runs, written by a thread of its own. */
import { Worker } from 'node:worker_threads';
import type { RecordingInfo } from '@syncloop/core/trace';
import { built } from '../built.js';
import type { RecordBatch } from './record-feed.js';
import { keepOlderRecordings, openForRecording, type RecorderOptions } from './recorder.js';
import type { FromRecorder, RecorderSetup, ToRecorder } from './recorder-port.js';

/** Characters that may wait for a disk that is slow; what comes then is left out, and the recording says so. */
const maxWaiting = 32 * 1024 * 1024;
const heapMiB = 96;
/** How long an end waits for the disk, ms. */
const closeMillis = 2000;

export interface RecorderThread {
  take(batch: RecordBatch): void;
  /** Writes the rest and the index, and closes the file; waits for that, but not for ever. */
  close(): Promise<void>;
}

/**
 * Starts writing to `file`; a recording that is there is kept under another name. Throws a SetupError when the file cannot be
 * written. When the thread ends, or the disk is full, `warn` is told, and whatever it records goes on.
 */
export function startRecorderThread(
  file: string,
  header: RecordingInfo,
  warn: (text: string) => void,
  options: RecorderOptions = {},
): RecorderThread {
  const older = keepOlderRecordings(file);
  const setup: RecorderSetup = {
    fd: openForRecording(file),
    file,
    header,
    options,
  };
  if (older !== null) warn(`the recording of the run before is in ${older} now`);
  const worker = new Worker(built('node/recorder-worker.js'), {
    // The product's own way to load modules, whatever runs the main thread.
    execArgv: [],
    workerData: setup,
    resourceLimits: { maxOldGenerationSizeMb: heapMiB },
    // The file was opened here.
    trackUnmanagedFds: false,
  });
  let waiting = 0;
  let left = 0;
  let over = false;
  const end = (why: string) => {
    if (over) return;
    over = true;
    warn(`recording ${file} ends here: ${why}`);
  };
  worker.on('message', (message: FromRecorder) => {
    if (message.type === 'written') waiting -= message.length;
    else warn(message.text);
  });
  worker.on('error', (err) => end(`its thread ended: ${err.message}`));
  worker.on('exit', () => {
    over = true;
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
      const timer = setTimeout(() => void worker.terminate(), closeMillis);
      await gone;
      clearTimeout(timer);
    },
  };
}
