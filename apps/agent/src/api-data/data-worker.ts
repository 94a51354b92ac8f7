/** Runs the database in a thread of its own, so that a slow disk does not hold up the kubelet. */
import { parentPort, workerData } from 'node:worker_threads';
import { Database } from './database.js';
import { realDisk } from './disk.js';
import { type DataPort, serveData, type WorkerData } from './port.js';

const { folder, encryption } = workerData as WorkerData;
void serveData(parentPort as unknown as DataPort, () => Database.open(realDisk, folder, undefined, { encryption }));
