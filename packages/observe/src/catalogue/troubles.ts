/** Messages of structured logging that report trouble: the symptom of each, whatever else its row says. */
import type { SymptomCode } from '@syncloop/core/trace';
import type { Family } from './causes.js';
import type { Gate, Row, RowSymptom } from './row.js';
import { row } from './row.js';

interface Trouble {
  /** The row of messages that have none of their own. */
  readonly id: string;
  readonly v: Gate;
  readonly family?: Family;
  readonly symptom: RowSymptom;
  readonly msgs: readonly string[];
}
const of = (
  id: string,
  v: Gate,
  code: RowSymptom['code'],
  msgs: readonly string[],
  more: Partial<RowSymptom> & { family?: Family } = {},
): Trouble => {
  const { family, ...symptom } = more;
  return { id, v, msgs, symptom: { code, ...symptom }, ...(family && { family }) };
};
const fixed = { fixed: true } as const;
const calls = (suffix: string, methods: string) => methods.split(' ').map((method) => `${method} ${suffix}`);

const starting: readonly Trouble[] = [
  of(
    'L-00',
    'E',
    'kubelet-cannot-start',
    [
      'Failed to run kubelet',
      'command failed',
      'Failed to initialize kubelet',
      'Failed to validate kubelet flags',
      'Failed to validate kubelet configuration',
      'failed to parse kubelet flag',
      'failed to load kubelet config file',
      'Failed to load kubelet config file',
      'failed to merge kubelet configs',
      'failed to validate kubelet configuration',
      'Failed to set feature gates from initial flags-based config',
      'Failed to set up signal handlers',
      'Failed to create kubelet',
      'Failed to start ContainerManager',
      'Failed to start cAdvisor',
      'Failed to initialize internal modules',
      'Failed to register CRI auth plugins',
      'Kubelet failed to get node info',
      'Kubelet running with insufficient permissions',
      'kubelet running with insufficient permissions',
      'Unable to load bootstrap kubeconfig',
      'Failed to create kubelet lock file',
      'Failed to listen and serve',
      'Failed to serve',
      'Failed to construct kubelet dependencies',
      'Failed to start OOM watcher',
      'invalid certificate and key pair from file',
    ],
    { family: 'start' },
  ),
  of('L-00', 'E', 'kubelet-cannot-start', ['Standalone mode, no API client is configured'], { family: 'start' }),
  of(
    'L-14',
    'E',
    'certificate-invalid',
    [
      'Part of the existing bootstrap client certificate in /etc/kubernetes/kubelet.conf is expired',
      'Part of the existing bootstrap client certificate is expired',
      'The currently active client certificate has expired and the server is responsive, exiting.',
      'The currently active client certificate has expired, but the server is not responsive. A restart may be necessary to retrieve new initial credentials.',
      'No valid client certificate is found and the server is responsive, exiting.',
      'No valid client certificate is found but the server is not responsive. A restart may be necessary to retrieve new initial credentials.',
      'Current certificate is expired',
    ],
    { facts: { reason: 'expired' }, family: 'api', fixed: true },
  ),
];

const runtime: readonly Trouble[] = [
  of('L-12', 'E', 'runtime-down', [
    'Container runtime sanity check failed',
    'Container runtime status is nil',
    'Container runtime not ready',
    'Get runtime version failed',
    'Get remote runtime typed version failed',
    'Connect remote runtime failed',
    'Connect remote image service failed',
    'Failed to get the runtime type',
    'GenericPLEG: Unable to retrieve pods',
  ]),
  of('L-11', 0, 'network-not-ready', ['Container runtime network not ready'], fixed),
  of('L-09', 'E', 'runtime-down', ['Skipping pod synchronization']),
  of('L-87', 'E', 'pleg-unhealthy', [
    'Event channel is full, discard this relist() cycle event',
    'Relist request channel full; dropping relist request',
  ]),
  of('L-86', 4, null, ['PLEG: Ignoring events for pod', 'PLEG: pod failed reinspection']),
  of('L-47', 'E', 'sync-failed', ['Error syncing pod, skipping']),
  of('L-96', 'E', 'sandbox-failed', [
    'CreatePodSandbox for pod failed',
    'Failed to create sandbox for pod',
    'Failed to generate sandbox config for pod',
    'GeneratePodSandboxConfig for pod failed',
    'RunPodSandbox from runtime service failed',
    'RunPodSandbox failed',
  ]),
  of('L-90', 2, 'sandbox-changed', ['Sandbox for pod has changed. Need to start a new one'], {
    facts: { reason: 'has changed' },
  }),
  of('L-90', 2, 'sandbox-changed', ['Sandbox for pod has no IP address. Need to start a new one'], {
    facts: { reason: 'has no IP address' },
  }),
  of('L-107', 'E', 'container-create-failed', [
    'CreateContainer in sandbox from runtime service failed',
    'CreateContainer failed',
  ]),
  of('L-107', 'E', 'container-start-failed', ['StartContainer from runtime service failed']),
  of('L-106', 'E', 'kill-failed', [
    ...calls('from runtime service failed', 'StopPodSandbox StopContainer'),
    'killContainer for pod failed',
    'Kill container failed',
    'killPodWithSyncResult failed',
    'KillPod failed',
    'Failed to stop sandbox',
    'Failed to stop sandbox before removing',
    'Failed to stop container',
    'Failed to kill container',
    'Container termination failed with gracePeriod',
    'Failed killing the pod',
    'StopPodSandbox from runtime service failed',
  ]),
  of(
    'L-107',
    'E',
    'gc-failed',
    [
      ...calls('from runtime service failed', 'RemoveContainer RemovePodSandbox'),
      'Failed to remove container',
      'Failed to remove sandbox',
    ],
    { facts: { object: 'containers' } },
  ),
  of('L-107', 'E', 'call-failed', [
    ...calls(
      'from runtime service failed',
      'Version PodSandboxStatus ListPodSandbox ListContainers ContainerStatus UpdateContainerResources Status ContainerStats ListContainerStats PodSandboxStats ListPodSandboxStats ReopenContainerLog Exec Attach PortForward GetContainerEvents',
    ),
    ...calls(
      'with filter from runtime service failed',
      'ListPodSandbox ListContainers ListContainerStats ListPodSandboxStats',
    ),
    'ListImages with filter from image service failed',
    'Get ImageStatus from image service failed',
    'ImageFsInfo from image service failed',
    'RemoveImage from image service failed',
    'getPodContainerStatuses for pod failed',
    'PodSandboxStatus of sandbox for pod',
    'DeleteContainer returned error',
  ]),
  of(
    'L-107',
    'E',
    'image-pull-failed',
    ['PullImage from image service failed', 'Failed to pull image', 'PullImage failed'],
    fixed,
  ),
  of('L-106', 'E', null, ['Unhandled Error']),
  of('L-104', 'E', 'hook-failed', ['PreStop hook failed', 'PreStop hook not completed in grace period'], {
    facts: { hook: 'preStop' },
    fixed: true,
  }),
  of('L-106', 'E', 'hook-failed', ['Failed to execute PostStartHook'], { facts: { hook: 'postStart' }, fixed: true }),
  of(
    'L-104',
    'E',
    'hook-failed',
    [
      'Exec lifecycle hook for Container in Pod failed',
      'HTTP lifecycle hook for Container in Pod failed',
      'Sleep lifecycle hook for Container in Pod failed',
    ],
    fixed,
  ),
  of('L-100', 3, 'crash-loop', ['Back-off restarting failed container'], fixed),
  of('L-99', 3, null, ['Container start failed in pod']),
];

const podsAndNode: readonly Trouble[] = [
  of('L-121', 1, 'probe-failed', ['Probe failed'], { facts: { result: 'failure' }, fixed: true }),
  of('L-121', 1, 'probe-failed', ['Probe errored'], { facts: { result: 'unknown' }, fixed: true }),
  of('L-120', 3, 'probe-failed', ['Probe succeeded with a warning'], { facts: { result: 'warning' }, fixed: true }),
  of(
    'L-32',
    0,
    'admission-refused',
    ['Pod admission denied', 'Failed to admit pod', 'Failed to admit pod to node', 'Predicate failed on Pod'],
    { fixed: true },
  ),
  of('L-117', 2, 'pod-recreated', ['Pod was deleted and then recreated, skipping status update']),
  of(
    'L-118',
    'E',
    'status-refused',
    [
      'Failed to update status for pod',
      'Failed to get status for pod',
      'Failed to delete status for pod',
      'Status update on pod aborted',
      'Pod attempted illegal phase transition',
    ],
    { family: 'api' },
  ),
  of(
    'L-63',
    'E',
    null,
    [
      'Failed deleting mirror pod',
      'Failed deleting a mirror pod',
      'Failed creating a mirror pod for',
      'Failed creating a mirror pod',
    ],
    { family: 'api' },
  ),
  of('L-63', 0, 'pod-recreated', [
    "Deleted mirror pod as it didn't match the static Pod",
    'Deleted mirror pod because it is outdated',
    'Deleting mirror pod because it is outdated',
  ]),
  of(
    'L-64',
    'E',
    'volume-not-mounted',
    [
      'Unable to attach or mount volumes for pod; skipping pod',
      'Unable to mount volumes for pod; skipping pod',
      'Error preparing data for projected volume',
      'Failed to add volume to desiredStateOfWorld',
      'Error processing volume',
      'Mount cannot be satisfied for the container, because the volume is missing or the volume mounter (vol.Mounter) is nil',
      'Failed to prepare subPath for volumeMount of the container',
      'Failed to create subPath directory for volumeMount of the container',
    ],
    { family: 'volume' },
  ),
  of(
    'L-126',
    'E',
    'orphaned-pod',
    [
      'There were many similar errors. Turn up verbosity to see them.',
      'Orphaned pod found, but failed to remove volumes subdir',
      'Orphaned pod found, but error occurred during reading volume dir from disk',
      'Orphaned pod found, but volume subpaths are still present on disk',
      'Orphaned pod found, but volume paths are still present on disk',
      'Failed to remove orphaned pod dir',
      'Failed to remove orphaned pod subdir',
      'Pod found, but error occurred during checking mounted volumes from disk',
      'Failed cleaning up orphaned pod directories',
    ],
    fixed,
  ),
  of('L-14', 0, 'node-not-ready', ['Node became not ready', 'Node not becoming ready in time after startup'], fixed),
  of('L-15', 0, 'node-not-registered', ['Successfully registered node', 'Node was previously registered'], {
    healed: true,
  }),
  of(
    'L-15',
    'E',
    'node-not-registered',
    [
      'Unable to register node with API server',
      'Unable to register node with API server, error getting existing node',
      'Unable to register node with API server, reason is forbidden',
      'Unable to reconcile node with API server,error updating node',
      'Unable to reconcile node with API server, error updating node',
    ],
    { family: 'api', facts: { operation: 'register' }, fixed: true },
  ),
  of(
    'L-15',
    'E',
    'node-not-registered',
    [
      'Error getting node',
      'Error getting the current node from lister',
      'Failed to wait until node is registered',
      'Unable to register mirror pod because node is not registered yet',
      'No need to create a mirror pod, since failed to get node info from the cluster',
    ],
    { family: 'api' },
  ),
  of(
    'L-15',
    'E',
    'api-unreachable',
    [
      'Error updating node status, will retry',
      'Error updating node status, will retry with syncNodeStatus',
      'Unable to update node status',
    ],
    { family: 'api', facts: { operation: 'status' } },
  ),
  of(
    'L-15',
    'E',
    'lease-failed',
    [
      'Failed to ensure lease exists, will retry',
      'Failed to update lease',
      'Failed to get node when trying to set owner ref to the node lease',
      'Failed to update node lease',
    ],
    { family: 'api', facts: { operation: 'lease' }, fixed: true },
  ),
  of('L-15', 'E', 'lease-failed', ['Failed to update lease optimistically, fallback to ensure lease'], {
    family: 'api',
    facts: { operation: 'lease' },
    fixed: true,
  }),
  of(
    'L-140',
    'E',
    'api-unreachable',
    [
      'Unable to write event (may retry after sleeping)',
      'Unable to write event',
      'Server rejected event (will not retry!)',
      'Server rejected event',
      'Unable to write event (retry limit exceeded!)',
      'Unable to write event, retry limit exceeded',
    ],
    { family: 'api', facts: { operation: 'event' } },
  ),
  of('L-131', 3, 'eviction-threshold', [
    'Eviction manager: threshold observed resource',
    'Eviction manager: must evict pod(s) to reclaim',
  ]),
  of('L-132', 0, 'pressure', ['Eviction manager: attempting to reclaim']),
  of('L-132', 0, 'pressure', ['Eviction manager: able to reduce resource pressure without evicting pods.'], {
    healed: true,
  }),
  of('L-132', 0, 'eviction-ranking', ['Eviction manager: pods ranked for eviction']),
  of('L-132', 0, 'evicted', ['Eviction manager: pod is evicted successfully']),
  of(
    'L-132',
    'E',
    'pressure',
    [
      'Eviction manager: pod failed to evict',
      'Eviction manager: unable to evict any pods from the node',
      'Eviction manager: eviction thresholds have been met, but no pods are active to evict',
      'Eviction manager: cannot evict a critical pod',
      'Eviction manager: unexpected error when attempting to reduce resource pressure',
      'Eviction manager: eviction criteria not yet met',
    ],
    fixed,
  ),
  of(
    'L-132',
    'E',
    null,
    [
      'Eviction manager: failed to synchronize',
      'Eviction manager: failed to get summary stats',
      'Eviction manager: failed to get HasDedicatedImageFs',
    ],
    { family: 'start' },
  ),
  of(
    'L-134',
    0,
    'pressure',
    ['Disk usage on image filesystem is over the high threshold, trying to free bytes down to the low threshold'],
    { facts: { condition: 'DiskPressure', resource: 'ephemeral-storage' }, fixed: true },
  ),
  of(
    'L-133',
    'E',
    'image-gc-failed',
    [
      'Image garbage collection failed multiple times in a row',
      'Failed to garbage collect required amount of images. Attempted to free bytes, but only found bytes eligible to free',
    ],
    fixed,
  ),
  of('L-133', 'E', 'gc-failed', ['Container garbage collection failed'], { facts: { object: 'containers' } }),
  of('L-12', 1, 'oom-kill', ['Got sys oom event'], fixed),
  of(
    'L-27',
    'E',
    'device-failed',
    [
      'ListAndWatch ended unexpectedly for device plugin',
      'Endpoint became unhealthy',
      'Mark all resources Unhealthy for resource',
      'Device plugin disconnected',
      'Bad registration request from device plugin',
      'Bad registration request from device plugin with resource',
      'Error connecting to device plugin client',
      'Failed to allocate device plugin resource for pod',
      'Unable to connect to device plugin client with socket path',
      'Failed to prepare dynamic resources',
    ],
    fixed,
  ),
  of('L-04', 1, 'terminating', ['Shutdown manager detected new shutdown event, isNodeShuttingDownNow'], {
    facts: { reason: 'the node shuts down' },
    fixed: true,
  }),
  of('L-04', 'E', 'resources-failed', ['Failed to start node shutdown manager'], fixed),
  of('L-30', 'E', null, ['Failed cleaning pods', 'Housekeeping took longer than expected']),
  of(
    'L-132',
    0,
    'admission-refused',
    ['Preempting pod to free up resources', 'Attempting to evict pods in order to free up resources'],
    { facts: { reason: 'Preempting' }, fixed: true },
  ),
];

const TROUBLES: readonly Trouble[] = [...starting, ...runtime, ...podsAndNode];
const byMessage = new Map(TROUBLES.flatMap((one) => one.msgs.map((msg) => [msg, one] as const)));

/** The symptom of a row of printf that is not in a table of troubles. */
function ofText({ says }: Row): RowSymptom | undefined {
  if (says.is === 'gate') return { code: 'runtime-down' };
  if (says.is === 'volume-failed') return { code: 'volume-not-mounted' };
  return says.is === 'call-failed' ? { code: codeOfCall(says.method) } : undefined;
}
/** A failed call, by its method. */
const CALLS: { readonly [method: string]: SymptomCode } = {
  RunPodSandbox: 'sandbox-failed',
  CreateContainer: 'container-create-failed',
  StartContainer: 'container-start-failed',
  StopPodSandbox: 'kill-failed',
  StopContainer: 'kill-failed',
  RemovePodSandbox: 'gc-failed',
  RemoveContainer: 'gc-failed',
  PullImage: 'image-pull-failed',
};
const codeOfCall = (method: string): SymptomCode => CALLS[method] ?? 'call-failed';

const withSymptom = (one: Row, symptom: RowSymptom | undefined, family = one.family): Row =>
  symptom ? { ...one, symptom, ...(family && { family }) } : one;

/** The rows, each with what its message reports as trouble, and rows for the messages that had none. */
export function withTroubles(rows: readonly Row[]): readonly Row[] {
  const had = new Set<string>();
  const all = rows.map((one) => {
    if (typeof one.msg !== 'string') return one.symptom ? one : withSymptom(one, ofText(one));
    const found = byMessage.get(one.msg);
    if (!found) return one;
    had.add(one.msg);
    return withSymptom(one, found.symptom, found.family);
  });
  for (const [msg, { id, v, symptom, family }] of byMessage)
    if (!had.has(msg)) all.push(row(id, v, msg, 'err', { is: 'nothing' }, { symptom, ...(family && { family }) }));
  return all;
}
