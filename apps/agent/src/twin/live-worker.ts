/** The thread of a twin that follows a kubelet, so that what it computes holds up nobody. */
import { parentPort, workerData } from 'node:worker_threads';
import { followFromPort, type LivePort, type LiveSetup } from './live-port.js';

followFromPort(parentPort as unknown as LivePort, workerData as LiveSetup);
