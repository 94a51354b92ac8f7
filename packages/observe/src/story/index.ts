/** The consequences of a line that the catalogue knows: one function for each fact that a message can prove. */
import type { Says } from '../catalogue/index.js';
import * as backoffs from './backoff.js';
import * as killers from './killer.js';
import * as loop from './loop.js';
import * as node from './node.js';
import * as pleg from './pleg.js';
import type { LineContext, LineHandler } from './process.js';
import * as runtime from './runtime.js';
import * as workers from './workers.js';

type Tellers = { readonly [K in Says['is']]: LineHandler<Extract<Says, { is: K }>> | null };

const HANDLERS: Tellers = {
  nothing: null,
  version: null,
  runtime: null,
  node: null,
  identity: null,
  'sandbox-ids': null,
  'mirror-unknown': null,
  manager: ({ writer }, { name, state }) => void writer.write({ kind: 'manager', name, state }),
  loop: loop.loopPhase,
  gate: loop.gateClosed,
  'runtime-status': loop.runtimeStatus,
  network: loop.runtimeStatus,
  config: loop.podConfig,
  pleg: loop.plegEvent,
  tick: loop.tick,
  'probe-update': loop.probeUpdate,
  devices: loop.devices,
  housekeeping: loop.housekeeping,
  admission: loop.admission,
  worker: workers.worker,
  update: loop.podUpdate,
  'update-dropped': loop.updateDropped,
  'start-held': workers.startHeld,
  work: workers.work,
  terminal: workers.terminal,
  'worker-stopped': workers.workerStopped,
  killer: killers.killer,
  method: workers.method,
  step: workers.step,
  phase: workers.phase,
  mirror: workers.mirror,
  'cgroup-seen': pleg.cgroupSeen,
  transition: pleg.transition,
  finished: pleg.finished,
  'sandbox-decision': runtime.sandboxDecision,
  actions: runtime.actions,
  'container-decision': runtime.containerDecision,
  sandbox: runtime.sandbox,
  start: runtime.start,
  backoff: backoffs.backoff,
  kill: runtime.kill,
  hook: runtime.hook,
  'call-failed': runtime.callFailed,
  'status-patch': node.statusPatch,
  status: node.status,
  probe: node.probe,
  volume: node.volume,
  'volume-failed': node.volumeFailed,
  eviction: node.eviction,
  'node-condition': node.nodeCondition,
  'node-event': node.nodeEvent,
  'node-status': (context, says) => node.nodeStatus(context, says, ''),
  'kube-event': node.kubeEvent,
};

/** Writes what a line proves. Returns true if it proves anything that a record can express. */
export function handleLine(context: LineContext): boolean {
  const { says } = context.line.found.row;
  const handler = HANDLERS[says.is] as LineHandler<Says> | null;
  handler?.(context, says);
  return handler !== null;
}
