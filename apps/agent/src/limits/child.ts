/** The program of a process that is watched: a command, which tells how far it is. See bounded-process.ts. */
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
    // Whoever started this may be gone: then it ends by `disconnect`.
    if (process.connected) process.send?.(at, undefined, undefined, () => {});
  };
  // Nobody is left to watch over it.
  process.once('disconnect', () => process.exit(1));
  // Only messages, not the wish for them, keep a process.
  process.channel?.unref();
  return { ...processIO(), progress };
}
