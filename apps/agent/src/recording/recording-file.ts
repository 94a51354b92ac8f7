/** Recordings on disk, whose parts are read when they are needed. */
import { closeSync, readSync } from 'node:fs';
import {
  bytesSource,
  openRecording,
  RecordingError,
  type RecordingFile,
  type RecordingSource,
} from '@syncloop/core/trace';
import { SetupError } from '../base/errors.js';
import { openRegularSync, readStdinSync } from '../base/read-file.js';

/** An open recording. */
export interface OpenRecording {
  readonly recording: RecordingFile;
  close(): void;
}

/**
 * Most bytes of a recording that comes through standard input: it is kept in memory as a whole, for its parts are read
 * in any order.
 */
const largestPiped = 512 * 1024 * 1024;

/**
 * Opens the recording in `file`, `-` for standard input. Throws a SetupError for a file that cannot be read or is not a
 * regular file, and a RecordingError, with the file's name before it, for one that is not a recording.
 */
export function openRecordingFile(file: string): OpenRecording {
  if (file === '-') {
    const source = bytesSource(attempt('standard input', () => readStdinSync(largestPiped)));
    return { recording: withFileName('standard input', () => openRecording(source)), close() {} };
  }
  const { fd, stats } = attempt(file, () => openRegularSync(file));
  try {
    const source = fileSource(fd, stats.size, file);
    return { recording: withFileName(file, () => openRecording(source)), close: () => closeSync(fd) };
  } catch (err) {
    closeSync(fd);
    throw err;
  }
}

/** Reads at a given position: other readers do not move it. */
function fileSource(fd: number, size: number, file: string): RecordingSource {
  return {
    size,
    read(offset, length) {
      const bytes = new Uint8Array(length);
      for (let n = 0; n < length; ) {
        const got = attempt(file, () => readSync(fd, bytes, n, length - n, offset + n));
        if (got === 0) throw new SetupError(`${file} became shorter while it was read: was it replaced? open it again`);
        n += got;
      }
      return bytes;
    },
  };
}

function attempt<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (err) {
    if (err instanceof SetupError) throw err;
    throw new SetupError(`cannot read the recording ${file}: ${(err as Error).message}`);
  }
}

/** Errors of core know the place in the file, not its name. */
export function withFileName<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (err) {
    if (err instanceof RecordingError) throw new RecordingError(`${file}: ${err.message}`, err.place);
    throw err;
  }
}
