/** The program of a process that is watched: a command that reports its progress. See bounded-process.ts. */
import { processIO } from '../cli/io.js';
import type { OnProgress } from './progress.js';

/** Milliseconds between two messages about the same part of the work. */
const EVERY = 200;

/** Standard streams and signals of this process, and progress for the one that started it. */
export function childIO() {
  let doing = '';
  let last = Number.NEGATIVE_INFINITY;
  const progress: OnProgress = (at) => {
    const now = performance.now();
    if (at.doing === doing && now - last < EVERY) return;
    doing = at.doing;
    last = now;
    // The process that started this one may be gone: then `disconnect` ends this one.
    if (process.connected) process.send?.(at, undefined, undefined, () => {});
  };
  // No process is left that watches this one.
  process.once('disconnect', () => process.exit(1));
  // A listener for messages must not keep the process alive.
  process.channel?.unref();
  return { ...processIO(), progress };
}
