import { type Proc, ProcessDied } from '../process/process.js';
import type { World } from '../process/world.js';

/** Ends the process, which asked for more memory than its container may have. */
export function outOfMemory(proc: Proc, world: World): never {
  world.oom(proc);
  throw new ProcessDied();
}

/** Has the process hold this much memory; more than its container may have ends it. */
export function holdMemory(proc: Proc, world: World, bytes: number): void {
  if (bytes > (world.memoryLimit ?? Number.POSITIVE_INFINITY)) outOfMemory(proc, world);
  proc.memory = bytes;
}
