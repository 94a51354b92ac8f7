/** The thread that writes a recording, so that encoding, compression and the disk do not hold up the kubelet. */
import { parentPort, workerData } from 'node:worker_threads';
import { type RecorderPort, type RecorderSetup, writeFromPort } from './recorder-port.js';

writeFromPort(parentPort as unknown as RecorderPort, workerData as RecorderSetup);
