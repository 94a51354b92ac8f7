/** Recordings on disk, written while the run goes on. */
import { closeSync, existsSync, fchmodSync, fstatSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { join, parse } from 'node:path';
import { type RecordedRun, type RecordingInfo, RecordingWriter, type TraceRecord } from '@syncloop/core/trace';
import { SetupError } from '../base/errors.js';
import { writeFlags } from '../base/read-file.js';

/** A recording never grows beyond this, so that it cannot fill a node's disk. */
const maxBytes = 1024 * 1024 * 1024;
const flushMillis = 1000;

/** A recording that is being written. */
export interface Recorder {
  /** Takes a record from which secrets have been taken out. */
  push(record: TraceRecord): void;
  /** Writes how to run a simulation again, after a further action from outside. */
  run(run: RecordedRun): void;
  /** Writes the rest and the index, and closes the file. */
  close(): void;
}

export interface RecorderOptions {
  /** The time after which records are written, in ms; null: only when a block is full. Default 1000. */
  readonly flushEvery?: number | null;
  readonly maxBytes?: number;
}

/**
 * Opens `file` for a recording, mode 0600; earlier content is replaced. Throws a SetupError with the remedy if that is
 * not possible.
 */
export function openForRecording(file: string): number {
  try {
    const fd = openSync(file, writeFlags, 0o600);
    // The mode above is for a file that was not there.
    if (fstatSync(fd).isFile()) fchmodSync(fd, 0o600);
    return fd;
  } catch (err) {
    throw new SetupError(
      `cannot write the recording ${file}: ${(err as Error).message}; choose another file with --record`,
    );
  }
}

/** Older recordings that are kept under the name of a new one. */
const keptRecordings = 4;

/**
 * Makes room for a new recording in `file`: the one that is there becomes `name.1.syncloop`, that one
 * `name.2.syncloop`, and so on; only the fifth is deleted. So the recording of a crash outlives the restarts after it.
 * Returns the newest old one's present name, or null when there was none.
 */
export function keepOlderRecordings(file: string): string | null {
  const { dir, name, ext } = parse(file);
  const older = (n: number) => join(dir, `${name}.${n}${ext}`);
  const there = statSync(file, { throwIfNoEntry: false });
  if (!there?.isFile() || there.size === 0) return null;
  try {
    for (let n = keptRecordings - 1; n >= 1; n--) if (existsSync(older(n))) renameSync(older(n), older(n + 1));
    renameSync(file, older(1));
  } catch (err) {
    throw new SetupError(
      `cannot keep the recording that is in ${file}: ${(err as Error).message}; choose another file with --record`,
    );
  }
  return older(1);
}

/**
 * Writes to `file` (mode 0600; replaces an existing file). It is flushed once a second, and flushed records survive a
 * crash. When the disk is full or the file too large, writing ends and `warn` is called once.
 */
export function startRecorder(
  file: string,
  header: RecordingInfo,
  warn: (text: string) => void,
  options: RecorderOptions = {},
): Recorder {
  return recordTo(openForRecording(file), file, header, warn, options);
}

/** The same on a file that is open; `file` is its name for warnings. */
export function recordTo(
  open: number,
  file: string,
  header: RecordingInfo,
  warn: (text: string) => void,
  options: RecorderOptions = {},
): Recorder {
  const most = options.maxBytes ?? maxBytes;
  let fd: number | null = open;
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
