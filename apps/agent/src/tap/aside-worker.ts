/** The thread next to a tap's pipe: decodes, writes the capture, and serves clients of the evidence socket. */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type AsidePort, type AsideSetup, workAside } from './aside-work.js';

try {
  // A thread that is started again would inherit the pipe thread's priority.
  setPriority(5);
} catch {
  // It goes on with its present priority.
}
await workAside(parentPort as unknown as AsidePort, workerData as AsideSetup);
