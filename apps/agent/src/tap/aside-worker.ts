/** The thread next to a tap's pipe: decodes, writes the capture, and serves clients of the evidence socket. */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type AsidePort, type AsideSetup, workAside } from './aside-work.js';

try {
  // One that was started again has what the pipe's thread has.
  setPriority(5);
} catch {
  // It goes on with what it has.
}
await workAside(parentPort as unknown as AsidePort, workerData as AsideSetup);
