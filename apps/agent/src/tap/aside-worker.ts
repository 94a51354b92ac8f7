/** The thread beside a tap: decodes, writes the capture, and serves those who listen. */
import { parentPort, workerData } from 'node:worker_threads';
import { type AsidePort, type AsideSetup, workAside } from './aside-work.js';

await workAside(parentPort as unknown as AsidePort, workerData as AsideSetup);
