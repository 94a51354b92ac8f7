/** A pod's row in `kubectl get pods`. upstream: pkg/printers/internalversion printPod */
import type { ContainerState, ContainerStatus, Pod } from '../api/types.js';
import { since } from './duration.js';

export interface PodRow {
  readonly namespace: string;
  readonly name: string;
  readonly ready: string;
  readonly status: string;
  readonly restarts: string;
  readonly age: string;
  readonly ip: string;
  readonly node: string;
  readonly nominatedNode: string;
  readonly readinessGates: string;
}

/** Makes the row of a pod. `now`: ms since 1970. */
export function podRow(pod: Pod, now: number): PodRow {
  const { metadata, spec, status } = pod;
  const summary = summarize(pod);
  const { restarts, lastRestart } = summary;
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    ready: `${summary.ready}/${summary.total}`,
    status: summary.reason,
    restarts: restarts !== 0 && lastRestart !== '' ? `${restarts} (${since(now, lastRestart)} ago)` : String(restarts),
    age: since(now, metadata.creationTimestamp),
    ip: status.podIPs?.[0]?.ip || status.podIP || '<none>',
    node: spec.nodeName || '<none>',
    nominatedNode: status.nominatedNodeName || '<none>',
    readinessGates: readinessGates(pod),
  };
}

interface Summary {
  readonly reason: string;
  readonly ready: number;
  readonly total: number;
  readonly restarts: number;
  /** The time at which the last restart's container had ended, '' for none. */
  readonly lastRestart: string;
}

/**
 * Counts only what has begun or is to begin: while a pod initializes its init containers, then its containers and
 * sidecars.
 */
function summarize({ metadata, spec, status }: Pod): Summary {
  const sidecars = new Set((spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always').map((c) => c.name));
  const total = spec.containers.length + sidecars.size;
  const conditions = status.conditions ?? [];
  let reason: string = status.reason || (status.phase ?? '');
  for (const c of conditions) if (c.type === 'PodScheduled' && c.reason === 'SchedulingGated') reason = c.reason;

  let ready = 0;
  const counted = new Restarts();
  const ofSidecars = new Restarts();
  let initializing = false;
  for (const [i, c] of (status.initContainerStatuses ?? []).entries()) {
    const sidecar = sidecars.has(c.name);
    counted.add(c);
    if (sidecar) ofSidecars.add(c);
    const { terminated, waiting } = c.state;
    if (terminated?.exitCode === 0) continue;
    if (sidecar && c.started) {
      if (c.ready) ready++;
      continue;
    }
    initializing = true;
    if (terminated) reason = `Init:${terminated.reason || endedBy(terminated)}`;
    else if (waiting?.reason && waiting.reason !== 'PodInitializing') reason = `Init:${waiting.reason}`;
    else reason = `Init:${i}/${(spec.initContainers ?? []).length}`;
    break;
  }

  let restarts = counted;
  if (!initializing || isTrue(conditions, 'Initialized')) {
    restarts = ofSidecars;
    let running = false;
    for (const c of [...(status.containerStatuses ?? [])].reverse()) {
      restarts.add(c);
      const { waiting, terminated } = c.state;
      if (waiting?.reason) reason = waiting.reason;
      else if (terminated) reason = terminated.reason || endedBy(terminated);
      else if (c.ready && c.state.running) {
        running = true;
        ready++;
      }
    }
    // One that has done its work does not make the pod done.
    if (reason === 'Completed' && running) reason = isTrue(conditions, 'Ready') ? 'Running' : 'NotReady';
  }

  if (metadata.deletionTimestamp) {
    if (status.reason === 'NodeLost') reason = 'Unknown';
    else if (status.phase !== 'Failed' && status.phase !== 'Succeeded') reason = 'Terminating';
  }
  return { reason, ready, total, restarts: restarts.count, lastRestart: restarts.last };
}

class Restarts {
  count = 0;
  last = '';
  add(c: ContainerStatus): void {
    this.count += c.restartCount;
    const ended = c.lastState?.terminated?.finishedAt ?? '';
    if (ended && (this.last === '' || Date.parse(ended) > Date.parse(this.last))) this.last = ended;
  }
}

const endedBy = ({ signal, exitCode }: NonNullable<ContainerState['terminated']>): string =>
  signal ? `Signal:${signal}` : `ExitCode:${exitCode}`;

const isTrue = (conditions: readonly { type: string; status: string }[], type: string): boolean =>
  conditions.some((c) => c.type === type && c.status === 'True');

function readinessGates({ spec, status }: Pod): string {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const met = gates.filter(
    (g) => (status.conditions ?? []).find((c) => c.type === g.conditionType)?.status === 'True',
  ).length;
  return `${met}/${gates.length}`;
}
