/** The simulation's worker: core runs here, the page sees only messages. */
import { SimulationSession, simulationSource } from '@syncloop/core/debug';
import { WorkerHost } from './session-host.js';

declare const self: DedicatedWorkerGlobalScope;

const session = new SimulationSession(simulationSource(), {
  scenario: 'hello',
  id: `page-${Math.random().toString(36).slice(2, 10)}`,
});
const host = new WorkerHost(session, {
  now: () => performance.now(),
  after: (millis, then) => setTimeout(then, millis),
  cancel: (timer) => clearTimeout(timer as number),
});
const client = host.server.connect((message) => self.postMessage(message));
self.onmessage = (event) => client.receive(event.data);
