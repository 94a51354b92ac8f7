/** A whole tap: the pipe, and the thread that decodes a copy of its bytes. */
import { openSync } from 'node:fs';
import { setPriority } from 'node:os';
import { SetupError } from '../base/errors.js';
import { startAside } from './aside.js';
import type { AsideSetup } from './aside-work.js';
import { type RunningTap, startTap, type TapOptions } from './pipe.js';
import { checkFolder, checkTarget } from './target.js';

export interface RunTapOptions {
  readonly listen: TapOptions['listen'];
  /** Path of the runtime's socket. */
  readonly target: string;
  /** A file for the capture, and how many bytes it may have. */
  readonly capture?: { readonly file: string; readonly most: number };
  readonly evidence?: string;
  readonly lines?: AsideSetup['lines'];
  readonly line: (text: string) => void;
  readonly warn: (text: string) => void;
}

/** Starts a tap; rejects with a SetupError or an EndpointError with the remedy. */
export async function runTap(options: RunTapOptions): Promise<RunningTap> {
  const { listen, target, capture, evidence, lines, line, warn } = options;
  await checkTarget(target);
  for (const path of [listen, evidence]) if (typeof path === 'string') await checkFolder(path);
  const setup: AsideSetup = {
    ...(capture && { capture: { ...capture, fd: openCapture(capture.file) } }),
    ...(evidence !== undefined && { evidence }),
    ...(lines && { lines }),
  };
  const aside = Object.keys(setup).length > 0 ? startAside({ ...setup, line, warn }) : null;
  let reported = 0;
  const watch = setInterval(() => {
    const dropped = aside?.dropped ?? 0;
    if (dropped > reported)
      warn(`the decoder is too slow: ${dropped - reported} bytes of the copy were left out; the pipe goes on`);
    reported = dropped;
  }, 5000).unref();
  let tap: RunningTap;
  try {
    tap = await startTap({
      listen,
      target,
      ...(aside && { onChunk: (event) => aside.take(event) }),
      onFault: (err) => warn(`the copy ends here, the pipe goes on: ${err instanceof Error ? err.stack : err}`),
    });
  } catch (err) {
    clearInterval(watch);
    await aside?.close();
    throw err;
  }
  preferPipe();
  return {
    get connections() {
      return tap.connections;
    },
    async close() {
      clearInterval(watch);
      await tap.close();
      await aside?.close();
    },
  };
}

/**
 * Raises the pipe's priority: on a busy node the kubelet should not wait for its turn twice. On Linux this is the
 * calling thread's alone: the decoder, which was started before, has no more right to a processor than others.
 */
function preferPipe(): void {
  try {
    setPriority(-10);
  } catch {
    // Only root may.
  }
}

/** Secrets go through the socket: the file is for this user only, and none that is there is written over. */
function openCapture(file: string): number {
  try {
    return openSync(file, 'wx', 0o600);
  } catch (err) {
    const { code, message } = err as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new SetupError(`${file} is there already: choose another file with --output`);
    throw new SetupError(`cannot write ${file}: ${message}; choose another file with --output`);
  }
}
