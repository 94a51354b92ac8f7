/** The thread that writes a recording: encoding, compression and the disk are none of the kubelet's business. */
import { parentPort, workerData } from 'node:worker_threads';
import { type RecorderPort, type RecorderSetup, writeFromPort } from './recorder-port.js';

writeFromPort(parentPort as unknown as RecorderPort, workerData as RecorderSetup);
