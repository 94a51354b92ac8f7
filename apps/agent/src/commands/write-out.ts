import { closeSync, renameSync, rmSync, writeSync } from 'node:fs';
import { SetupError } from '../base/errors.js';
import { irregular, openRegularToWriteSync } from '../base/read-file.js';
import type { IO } from '../cli/io.js';

/** Writes to a file of mode 0600, which takes its name only when it is complete, or to standard output. */
export function writeOut(
  output: string | undefined,
  io: IO,
  produce: (write: (bytes: Uint8Array) => void) => void,
): void {
  const to = openOut(output, io);
  try {
    produce(to.write);
    to.done();
  } catch (err) {
    to.failed();
    throw err;
  }
}

/** The same for output that is produced over time. */
export async function writeOutLater(
  output: string | undefined,
  io: IO,
  produce: (write: (bytes: Uint8Array) => void) => Promise<void>,
): Promise<void> {
  const to = openOut(output, io);
  try {
    await produce(to.write);
    to.done();
  } catch (err) {
    to.failed();
    throw err;
  }
}

interface Out {
  write(bytes: Uint8Array): void;
  done(): void;
  failed(): void;
}

function openOut(output: string | undefined, io: IO): Out {
  if (output === undefined || output === '-')
    return { write: (bytes) => io.out(Buffer.from(bytes).toString('utf8')), done() {}, failed() {} };
  const unfinished = `${output}.part`;
  let fd: number;
  try {
    // Renaming would replace a device or a pipe.
    const there = irregular(output);
    if (there) throw there;
    fd = openRegularToWriteSync(unfinished);
  } catch (err) {
    throw new SetupError(`cannot write ${output}: ${(err as Error).message}; choose another file with --output`);
  }
  let waiting: Uint8Array[] = [];
  let size = 0;
  const flush = () => {
    try {
      for (let rest: Uint8Array = Buffer.concat(waiting); rest.length > 0; ) rest = rest.subarray(writeSync(fd, rest));
    } catch (err) {
      throw new SetupError(`cannot write ${output}: ${(err as Error).message}`);
    }
    waiting = [];
    size = 0;
  };
  return {
    write(bytes) {
      waiting.push(bytes);
      size += bytes.length;
      if (size > 1024 * 1024) flush();
    },
    done() {
      flush();
      closeSync(fd);
      renameSync(unfinished, output);
    },
    failed: () => rmSync(unfinished, { force: true }),
  };
}
