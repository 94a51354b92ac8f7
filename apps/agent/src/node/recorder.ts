/** Recordings on disk, written as things happen. */
import { closeSync, fchmodSync, fstatSync, openSync, writeSync } from 'node:fs';
import { type RecordedRun, type RecordingInfo, RecordingWriter, type TraceRecord } from '@syncloop/core/trace';
import { SetupError } from '../cli/errors.js';

/** A recording never grows beyond this, so that it cannot fill a node's disk. */
const maxBytes = 1024 * 1024 * 1024;
const flushMillis = 1000;

/** A recording that is being written. */
export interface Recorder {
  /** Takes a record from which secrets have been taken out. */
  push(record: TraceRecord): void;
  /** How to run a simulation again, now that more was done from outside. */
  run(run: RecordedRun): void;
  /** Writes the rest and the index, and closes the file. */
  close(): void;
}

/**
 * Writes to `file` (mode 0600; what was there is replaced). What is flushed, once a second, survives a crash. When the
 * disk is full or the file too large, writing ends and `warn` is told once.
 */
export function startRecorder(
  file: string,
  header: RecordingInfo,
  warn: (text: string) => void,
  options: { readonly flushEvery?: number | null; readonly maxBytes?: number } = {},
): Recorder {
  const most = options.maxBytes ?? maxBytes;
  let fd: number | null;
  try {
    fd = openSync(file, 'w', 0o600);
    // The mode above is for a file that was not there.
    if (fstatSync(fd).isFile()) fchmodSync(fd, 0o600);
  } catch (err) {
    throw new SetupError(
      `cannot write the recording ${file}: ${(err as Error).message}; choose another file with --record`,
    );
  }
  const end = (why?: string) => {
    if (fd === null) return;
    closeSync(fd);
    fd = null;
    if (why !== undefined) warn(`recording ${file} ends here: ${why}`);
  };
  const writer = new RecordingWriter((chunk) => {
    if (fd === null) return;
    try {
      for (let rest = chunk; rest.length > 0; ) rest = rest.subarray(writeSync(fd, rest));
    } catch (err) {
      end((err as Error).message);
    }
  }, header);
  const limit = () => {
    if (fd === null || writer.bytes <= most) return;
    writer.close();
    end(`it has reached ${Math.round(most / 1024 / 1024)} MiB`);
  };
  const flush = () => {
    if (fd !== null) writer.flush();
    limit();
  };
  const every = options.flushEvery === undefined ? flushMillis : options.flushEvery;
  const timer = every === null ? null : setInterval(flush, every);
  timer?.unref();
  return {
    push(record) {
      if (fd === null) return;
      writer.push(record);
      limit();
    },
    run(run) {
      if (fd !== null) writer.run(run);
    },
    close() {
      if (timer) clearInterval(timer);
      if (fd !== null) writer.close();
      end();
    },
  };
}
