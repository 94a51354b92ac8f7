/** The thread of a twin that follows a kubelet, so that its work holds up nobody. */
import { parentPort, workerData } from 'node:worker_threads';
import { loadEras } from '@syncloop/core/kubelet';
import { followFromPort, type LivePort, type LiveSetup } from './live-port.js';

// The version to load is known only when the kubelet has reported its own.
await loadEras();
followFromPort(parentPort as unknown as LivePort, workerData as LiveSetup);
