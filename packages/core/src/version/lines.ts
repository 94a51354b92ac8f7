/** Dates a log that does not report its version by the lines that only some versions of the kubelet print. */
import { laterThanAll, type MinorSpan } from '../kubelet/era/nearest.js';
import type { Json } from '../trace/index.js';

/** A line of a log: its message, and the fields after it. */
export interface DatingLine {
  readonly msg: string;
  readonly fields: { readonly [key: string]: Json | undefined };
}

const span = (since: number, until: number): MinorSpan => ({ since, until });
const from = (since: number): MinorSpan => span(since, laterThanAll);
const upTo = (until: number): MinorSpan => span(0, until);

/** Messages of structured logging, whole. */
const messages = new Map<string, MinorSpan | ((fields: DatingLine['fields']) => MinorSpan | null)>([
  ...['ADD', 'UPDATE', 'REMOVE', 'DELETE', 'RECONCILE'].map((op) => [`SyncLoop ${op}`, ofPods] as const),
  ['SyncLoop (PLEG): event for pod', from(21)],
  ['Killing unwanted pod', span(20, 21)],
  ['Marking api pod pending termination', span(20, 21)],
  ['Marking running pod pending termination', span(20, 21)],
  ['Api pod and running pod are pending termination', span(20, 21)],
  [
    'Pod has completed and its containers have been terminated, ignoring remaining sync work',
    // upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).dispatchWork
    span(21, 21),
  ],
  ['SyncLoop (housekeeping) end', from(22)],
  ['Housekeeping took longer than 15s', span(22, 26)],
  ['Housekeeping took longer than expected', from(27)],
  ['Pod is being synced for the first time', from(22)],
  ['Pod worker has observed request to terminate', from(22)],
  ['Got phase for pod', from(22)],
  ['Generic (PLEG): container finished', from(22)],
  ['Pod is restartable after termination due to UID reuse', span(22, 26)],
  ['syncPod enter', span(22, 26)],
  ['SyncPod enter', from(27)],
  ['Processing pod event', ({ updateType }) => (typeof updateType === 'number' ? span(22, 26) : from(27))],
  ['Notifying pod of pending update', ({ updateType }) => (updateType === undefined ? span(27, 35) : from(36))],
  ['SyncLoop (containermanager): event for pod', from(31)],
  ['Event occurred', ofEvent],
  // Structured logging came to these with v1.21.
  ...[
    'Probe failed',
    'Probe errored',
    'Container runtime network not ready',
    'Recording event message for node',
    'Node became not ready',
    'Skipping pod synchronization',
    'There were many similar errors. Turn up verbosity to see them.',
    'Pod was deleted and then recreated, skipping status update',
    'No sandbox for pod can be found. Need to start a new one',
    'Eviction manager: attempting to reclaim',
    'Eviction manager: must evict pod(s) to reclaim',
    'Eviction manager: pods ranked for eviction',
    'Starting kubelet main sync loop',
    'Topology Admit Handler',
  ].map((msg) => [msg, from(21)] as const),
  ['Error syncing pod, skipping', ofSync],
  ['Failed to admit pod to node', span(21, 30)],
  ['Pod admission denied', from(31)],
  ['Deleted mirror pod because it is outdated', span(21, 31)],
  ["Deleted mirror pod as it didn't match the static Pod", from(32)],
]);

/** Messages with values in them, and those of printf, by the characters that they begin with. */
const expressions: readonly (readonly [beginning: string, MinorSpan, RegExp?])[] = [
  ['SyncLoop (', upTo(20), /^SyncLoop \((ADD|UPDATE|REMOVE|DELETE|RECONCILE|RESTORE), "[^"]*"\): "/],
  ['SyncLoop (PLEG): "', upTo(20), /^SyncLoop \(PLEG\): "[^"]+", event: /],
  ['SyncLoop (SYNC): ', upTo(20), /^SyncLoop \(SYNC\): \d+ pods; /],
  ['SyncLoop (container unhealthy): "', upTo(20)],
  ['skipping pod synchronization - ', upTo(20)],
  // upstream: kubernetes#92442
  ['marking pod pending termination "', span(19, 20)],
  ['Pod will be restarted because it is in the desired set and not known to the pod workers', from(27)],
  // Up to v1.5 with the pod's UID alone.
  ['Error syncing pod ', upTo(5), /^Error syncing pod [^ ,("]+, skipping: /],
  ['Error syncing pod ', span(5, 20), /^Error syncing pod \S+ \("[^"]*"\), skipping: /],
  ['Readiness probe for "', upTo(20)],
  ['Liveness probe for "', upTo(20)],
  // Startup probes came with v1.16.
  ['Startup probe for "', span(16, 20)],
  ['Container runtime network not ready: NetworkReady', upTo(20)],
  ['Node became not ready: {', upTo(20)],
  ['Recording ', upTo(20), /^Recording \S+ event message for node /],
  ['node "', upTo(20), /^node "[^"]*" not found$/],
  ['Unable to register node "', upTo(20)],
  ['Successfully registered node ', upTo(20)],
  ['eviction manager: attempting to reclaim ', upTo(20)],
  ['eviction manager: must evict pod(s) to reclaim ', upTo(20)],
  ['eviction manager: pods ranked for eviction: ', upTo(20)],
  ['[topologymanager] ', span(16, 20)],
  ['[cpumanager] ', span(8, 20)],
  ['No sandbox for pod "', upTo(20)],
  ['Unable to mount volumes for pod "', upTo(20)],
  ['Killing container "', upTo(20)],
  ['killPodWithSyncResult failed: ', upTo(20)],
  ['Orphaned pod "', upTo(20)],
  ['Container garbage collection failed: ', upTo(20)],
];
const HEAD = 6;
const byHead = new Map<string, (typeof expressions)[number][]>();
for (const one of expressions) {
  const head = one[0].slice(0, HEAD);
  byHead.set(head, [...(byHead.get(head) ?? []), one]);
}

/** Flags that a version no longer has, or has had since: each is printed at the start at -v=1 and more. */
const flags: Readonly<Record<string, MinorSpan>> = {
  // The docker shim and its networks went with 1.24.
  'cni-bin-dir': upTo(23),
  'network-plugin': upTo(23),
  'container-runtime': upTo(26),
  'keep-terminated-pod-volumes': upTo(32),
  'pod-infra-container-image': upTo(35),
  'seccomp-default': from(22),
  'local-storage-capacity-isolation': from(25),
  'config-dir': from(28),
  'fail-cgroupv1': from(31),
};

/** Lists of pods: klog puts references in quotes since the slices have a type of their own. */
function ofPods({ pods }: DatingLine['fields']): MinorSpan | null {
  if (typeof pods === 'string') return pods.startsWith('[') ? span(21, 26) : from(21);
  // In JSON they are objects in every version.
  return Array.isArray(pods) && pods.length > 0 && pods.every((one) => typeof one === 'string') ? from(26) : from(21);
}

/** A failed sync: v1.27 has the volumes that could not be processed in its error. */
function ofSync({ err }: DatingLine['fields']): MinorSpan {
  return typeof err === 'string' && err.includes(', failed to process volumes=[') ? from(27) : from(21);
}

/** The words of events of containers. */
function ofEvent({ reason, message }: DatingLine['fields']): MinorSpan | null {
  if (typeof message !== 'string') return null;
  if (reason === 'Created') {
    if (message === 'Container created') return from(35);
    // The colon came to v1.29.14, v1.30.10, v1.31.6 and v1.32 at once, in patch releases of early 2025.
    if (message.startsWith('Created container: ')) return span(29, 34);
    if (message.startsWith('Created container ')) return span(14, 32);
    if (message === 'Created container') return upTo(13);
  }
  if (reason === 'Started') {
    if (message === 'Container started') return from(35);
    if (message.startsWith('Started container ')) return span(14, 34);
    if (message === 'Started container') return upTo(13);
  }
  if (reason === 'Killing') {
    if (message.startsWith('Stopping container ')) return from(14);
    if (message.startsWith('Killing container with id ')) return upTo(13);
  }
  if (reason === 'Pulling') {
    if (message.startsWith('Pulling image ')) return from(14);
    if (message.startsWith('pulling image ')) return upTo(13);
  }
  if (reason === 'Pulled' && message.startsWith('Successfully pulled image ')) {
    if (message.includes('Image size: ')) return from(30);
    if (message.includes(' including waiting)')) return span(25, 29);
    if (/^Successfully pulled image "[^"]*" in /.test(message)) return span(13, 24);
  }
  if (reason === 'BackOff') {
    if (message === 'Back-off restarting failed container') return upTo(25);
    if (/^Back-off restarting failed container \S+ in pod /.test(message)) return from(26);
  }
  return null;
}

/** The versions that print such a line; null if it gives no clue. */
export function dateOfLine({ msg, fields }: DatingLine): MinorSpan | null {
  const known = messages.get(msg);
  if (known) return typeof known === 'function' ? known(fields) : known;
  const flag = msg.startsWith('FLAG: --') ? /^FLAG: --([a-z0-9-]+)=/.exec(msg)?.[1] : undefined;
  if (flag !== undefined) return Object.hasOwn(flags, flag) ? (flags[flag] as MinorSpan) : null;
  return (
    byHead.get(msg.slice(0, HEAD))?.find(([begin, , all]) => msg.startsWith(begin) && (all?.test(msg) ?? true))?.[1] ??
    null
  );
}

/** Returns the overlap of two spans; null if there is none. */
export function inBoth(a: MinorSpan | null, b: MinorSpan): MinorSpan | null {
  if (!a) return b;
  const both = span(Math.max(a.since, b.since), Math.min(a.until, b.until));
  return both.since <= both.until ? both : null;
}
