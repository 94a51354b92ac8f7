/** Statuses, probes, volumes and the pods' own events: list 4, chapters 4.7 to 4.9. */
import { known, type Row, row } from './row.js';

const PROBE = 'probeType pod podUID containerName';
/** The part of a message of the operation executor and its operations that names a volume. */
const VOLUME = 'for volume "(?<volume>[^"]+)" \\(UniqueName: "(?<unique>[^"]+)"\\)';
const OF_POD = ' pod "(?<podText>[^"]*)" \\(UID: "(?<podUID>[^"]*)"\\)';
const volume = (
  v: number,
  verb: string,
  op: 'verify_controller_attached_volume' | 'volume_mount' | 'volume_unmount',
  phase: 'start' | 'done',
): Row =>
  row('L-124', v, new RegExp(`^${verb} ${VOLUME}${OF_POD}`), 'volume unique podUID', { is: 'volume', op, phase });

export const pods: readonly Row[] = [
  ...known('L-110', 5, ['updateStatusInternal'], 'version podIsFinished pod podUID containers'),
  ...known('L-111', 3, ['Ignoring same status for pod'], 'pod status'),
  ...known('L-112', 4, ['Syncing updated statuses', 'Syncing all statuses']),
  row('L-113', 3, 'Patch status for pod', 'pod podUID patch', { is: 'status-patch' }),
  row(
    'L-113',
    3,
    /^Patch status for pod "(?<pod>[^"]*)" with "(?<patch>[\s\S]*)"$/,
    'pod patch',
    { is: 'nothing' },
    { until: 21 },
  ),
  row('L-114', 3, 'Status for pod updated successfully', 'pod statusVersion status', { is: 'status', changed: true }),
  row('L-114', 3, 'Status for pod is up-to-date', 'pod statusVersion', { is: 'status', changed: false }),
  ...known(
    'L-115',
    3,
    ['Pod status is inconsistent with cached status for pod, a reconciliation should be triggered'],
    'pod statusDiff',
  ),
  ...known('L-116', 4, ['Container readiness unchanged'], 'ready pod containerID'),
  ...known('L-116', 4, ['Container startup unchanged'], 'started pod containerID'),
  ...known(
    'L-117',
    3,
    [
      'Delaying pod deletion as the phase is non-terminal',
      'The pod termination is finished as SyncTerminatedPod completes its execution',
    ],
    'phase localPhase pod podUID',
  ),
  ...known('L-117', 3, ['Pod fully terminated and removed from etcd'], 'pod'),
  ...known('L-118', 'E', ['Failed to update status for pod', 'Failed to get status for pod'], 'pod err'),
  ...known('L-119', 2, ['Pod status updated'], 'pod status', { until: 31 }),
  row('L-120', 3, 'Probe succeeded', PROBE, { is: 'probe', outcome: 'success' }),
  row('L-120', 3, 'Probe succeeded with a warning', `${PROBE} output`, { is: 'probe', outcome: 'warning' }),
  row('L-121', 1, 'Probe failed', `${PROBE} probeResult output`, { is: 'probe', outcome: 'failure' }),
  row('L-121', 1, 'Probe errored', `${PROBE} probeResult err`, { is: 'probe', outcome: 'unknown' }),
  ...known(
    'L-121',
    3,
    [
      'No status for pod',
      'Pod is terminated, exiting probe worker',
      'Probe target container not found',
      'Non-running container probed',
      'Pod deletion requested, setting probe result to success',
    ],
    'pod containerName',
  ),
  ...known('L-121', 4, ['HTTP-Probe', 'TCP-Probe', 'GRPC-Probe'], ''),
  ...known('L-110', 3, ['Marking terminal pod as failed'], 'oldPhase pod podUID', { since: 27 }),
  ...known('L-118', 'E', ['Status update on pod aborted', 'Pod attempted illegal phase transition'], 'pod'),
  ...known('L-117', 3, ['Pod does not exist on the server'], 'podUID pod'),
  ...known('L-117', 2, ['Pod was deleted and then recreated, skipping status update'], 'pod oldPodUID podUID'),
  ...known('L-116', 4, ['Pod has been deleted, no need to update readiness'], 'pod'),
  ...known('L-121', 4, ['Exec-Probe runProbe'], 'pod containerName execCommand'),
  row('L-122', 3, 'Waiting for volumes to attach and mount for pod', 'pod', {
    is: 'step',
    fn: 'SyncPod',
    n: 11,
    name: 'volumes',
  }),
  ...known(
    'L-122',
    3,
    [
      'All volumes are attached and mounted for pod',
      'Waiting for volumes to unmount for pod',
      'All volumes are unmounted for pod',
    ],
    'pod',
  ),
  ...known('L-123', 4, ['Added volume to desired state'], 'pod volumeName volumeSpecName'),
  ...known('L-123', 4, ['Removing volume from desired state'], 'pod podUID volumeName'),
  volume(0, 'operationExecutor\\.VerifyControllerAttachedVolume started', 'verify_controller_attached_volume', 'start'),
  volume(1, 'operationExecutor\\.MountVolume started', 'volume_mount', 'start'),
  row(
    'L-124',
    0,
    /^operationExecutor\.UnmountVolume started for volume "(?<volume>[^"]+)" \(UniqueName: "(?<unique>[^"]+)"\) pod "(?<podText>[^"]*)" \(UID: "(?<podUID>[^"]*)"\)/,
    'volume unique podUID',
    { is: 'volume', op: 'volume_unmount', phase: 'start' },
  ),
  volume(1, 'MountVolume\\.SetUp succeeded', 'volume_mount', 'done'),
  row('L-124', 1, /^MountVolume\.(?!SetUp succeeded)/, '', { is: 'nothing' }),
  row('L-124', 1, /^operationExecutor\.(?!VerifyControllerAttachedVolume|MountVolume|UnmountVolume)/, '', {
    is: 'nothing',
  }),
  row(
    'L-125',
    0,
    /^UnmountVolume\.TearDown succeeded for volume "(?<unique>[^"]+)" \(OuterVolumeSpecName: "(?<volume>[^"]*)"\) pod "(?<podText>[^"]*)" \(UID: "(?<podUID>[^"]*)"\)/,
    'volume unique podUID',
    { is: 'volume', op: 'volume_unmount', phase: 'done' },
  ),
  row('L-125', 0, /^Volume detached for volume [\s\S]*/, '', { is: 'nothing' }),
  row(
    'L-125',
    'E',
    /^Operation for "(?<operation>[\s\S]*?)" failed\. No retries permitted until (?<until>[\s\S]*?) \(durationBeforeRetry (?<delay>[^)]*)\)\. (?:Error: )?"?(?<err>[\s\S]*?)"?$/,
    'operation err',
    { is: 'volume-failed' },
  ),
  ...known('L-126', 0, ['Cleaned up orphaned pod volumes dir'], 'podUID path'),
  ...known(
    'L-126',
    3,
    ['Orphaned pod found, but volumes are not cleaned up', 'Orphaned pod found, removing'],
    'podUID',
  ),
  row(
    'L-140',
    3,
    'Event occurred',
    'object fieldPath kind apiVersion type reason message',
    { is: 'kube-event' },
    {
      anyone: true,
    },
  ),
  row(
    'L-140',
    3,
    /^Event\(v1\.ObjectReference\{Kind:"(?<kind>[^"]*)", Namespace:"(?<namespace>[^"]*)", Name:"(?<name>[^"]*)", UID:"(?<uid>[^"]*)",[^}]*?FieldPath:"(?<fieldPath>[^"]*)"\}\): type: '(?<type>[^']*)' reason: '(?<reason>[^']*)' (?<message>[\s\S]*)$/,
    'kind namespace name uid fieldPath type reason message',
    { is: 'kube-event' },
    { until: 21, anyone: true },
  ),
];
