/** Recordings on disk, written as things happen. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { type RecordingHeader, RecordingWriter, type TraceRecord } from '@syncloop/core/trace';
import { SetupError } from '../cli/errors.js';

/** A recording never grows beyond this, so that it cannot fill a node's disk. */
const maxBytes = 1024 * 1024 * 1024;
const flushMillis = 1000;

/** A recording that is being written. */
export interface Recorder {
  /** Takes a record from which secrets have been taken out. */
  push(record: TraceRecord): void;
  /** Writes the rest and closes the file. */
  close(): void;
}

/**
 * Writes to `file` (mode 0600; what was there is replaced). What is flushed, once a second, survives a crash. When the
 * disk is full or the file too large, writing ends and `warn` is told once.
 */
export function startRecorder(
  file: string,
  header: Omit<RecordingHeader, 'format' | 'version'>,
  warn: (text: string) => void,
  options: { readonly flushEvery?: number | null } = {},
): Recorder {
  let fd: number | null;
  try {
    fd = openSync(file, 'w', 0o600);
  } catch (err) {
    throw new SetupError(
      `cannot write the recording ${file}: ${(err as Error).message}; choose another file with --record`,
    );
  }
  let written = 0;
  const end = (why?: string) => {
    if (fd === null) return;
    closeSync(fd);
    fd = null;
    if (why !== undefined) warn(`recording ${file} ends here: ${why}`);
  };
  const writer = new RecordingWriter((chunk) => {
    if (fd === null) return;
    try {
      let data = Buffer.from(chunk);
      written += data.length;
      while (data.length > 0) data = data.subarray(writeSync(fd, data));
    } catch (err) {
      return end((err as Error).message);
    }
    if (written > maxBytes) end('it has reached 1 GiB');
  }, header);
  const every = options.flushEvery === undefined ? flushMillis : options.flushEvery;
  const timer = every === null ? null : setInterval(() => writer.flush(), every);
  timer?.unref();
  return {
    push(record) {
      if (fd !== null) writer.push(record);
    },
    close() {
      if (timer) clearInterval(timer);
      writer.flush();
      end();
    },
  };
}
