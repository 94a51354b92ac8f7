/** The sync methods and housekeeping: list 4, chapter 4.4. Steps are numbered as in our own kubelet. */
import { known, type Row, row } from './row.js';

const METHODS = ['SyncPod', 'SyncTerminatingPod', 'SyncTerminatedPod', 'SyncTerminatingRuntimePod'];
const methods = METHODS.flatMap((fn): Row[] => {
  // Up to 1.26 with a small letter.
  const small = fn.replace('S', 's');
  return (['enter', 'exit'] as const).flatMap((at) => [
    row('L-60', 4, `${fn} ${at}`, 'pod podUID', { is: 'method', fn, at }, { since: 27 }),
    row('L-60', 4, `${small} ${at}`, 'pod podUID', { is: 'method', fn, at }, { since: 22, until: 26 }),
  ]);
});
const step = (id: string, v: number | 'E', msg: string, fn: string, n: number, name: string, fields = 'pod podUID') =>
  row(id, v, msg, fields, { is: 'step', fn, n, name });

export const syncs: readonly Row[] = [
  ...methods,
  ...known('L-62', 3, ['Generating pod status'], 'podIsTerminal pod'),
  row('L-62', 4, 'Got phase for pod', 'pod oldPhase phase', { is: 'phase' }, { since: 22 }),
  row('L-63', 0, 'Creating a mirror pod for static pod', 'pod', { is: 'mirror' }, { mirror: true }),
  row(
    'L-63',
    0,
    /^Creating a mirror pod for static pod "(?<pod>[^"]*)"$/,
    'pod',
    { is: 'mirror' },
    { until: 20, mirror: true },
  ),
  row(
    'L-69',
    2,
    /^Killing unwanted pod "(?<podName>[^"]*)"$/,
    'podName',
    { is: 'killer', moment: 'begin' },
    { until: 20 },
  ),
  ...known('L-63', 0, ['Trying to delete pod', "Deleted mirror pod as it didn't match the static Pod"], 'pod podUID', {
    mirror: true,
  }),
  ...known('L-63', 2, ['Deleting a mirror pod'], 'pod podUID', { mirror: true }),
  ...known('L-63', 'E', ['Failed deleting mirror pod', 'Failed creating a mirror pod for'], 'err pod', {
    mirror: true,
  }),
  ...known('L-64', 'E', ['Unable to make pod data directories for pod'], 'err pod'),
  ...known('L-64', 'E', ['Unable to attach or mount volumes for pod; skipping pod'], 'err pod'),
  step('L-65', 4, 'Pod terminating with grace period', 'SyncTerminatingPod', 4, 'killPod', 'pod podUID gracePeriod'),
  ...known('L-66', 4, ['Post-termination container state'], 'pod podUID containers'),
  step('L-67', 4, 'Pod termination stopped all running containers', 'SyncTerminatingPod', 5, 'remove probes'),
  step('L-67', 4, 'Pod termination unmounted volumes', 'SyncTerminatedPod', 3, 'unmount volumes'),
  step('L-67', 3, 'Pod termination cleaned up volume paths', 'SyncTerminatedPod', 4, 'volume paths'),
  step('L-67', 4, 'Pod termination removed cgroups', 'SyncTerminatedPod', 6, 'destroy cgroup'),
  step('L-67', 4, 'Pod is terminated and will need no more status updates', 'SyncTerminatedPod', 8, 'TerminatePod'),
  ...known('L-68', 3, ['OnPodSandboxReady callback invoked'], 'pod podUID', { since: 36 }),
  ...known(
    'L-68',
    3,
    ['Successfully updated PodReadyToStartContainers condition after sandbox creation'],
    'pod podUID',
    { since: 36 },
  ),
  ...known('L-69', 3, [
    'Clean up pod workers for terminated pods',
    'Clean up probes for terminated pods',
    'Clean up orphaned pod statuses',
    'Clean up orphaned pod user namespace allocations',
    'Clean up orphaned pod directories',
    'Clean up orphaned mirror pods',
    'Clean up orphaned pod cgroups',
    'Clean up containers for orphaned pods',
  ]),
  ...known('L-70', 3, ['Handling termination and deletion of the pod to pod workers'], 'pod podUID'),
  ...known('L-70', 2, ['Clean up containers for orphaned pod we had not seen before'], 'podUID killPodOptions'),
  ...known(
    'L-70',
    3,
    [
      'Pod will be restarted because it is in the desired set and not known to the pod workers (likely due to UID reuse)',
    ],
    'podUID',
  ),
  ...known('L-71', 0, ['Observed pod startup duration'], 'pod podStartSLOduration podStartE2EDuration'),
  ...known('L-71', 3, ['Mark when the pod was running for the first time'], 'pod rv'),
  // 1.21 has no worker that outlives a pod: these are its housekeeping's.
  row('L-69', 2, 'Killing unwanted pod', 'podName', { is: 'killer', moment: 'begin' }, { until: 21 }),
  row('L-69', 4, 'Marking pod termination', 'podUID', { is: 'killer', moment: 'end' }, { until: 21 }),
  row(
    'L-69',
    4,
    'Marking running pod pending termination',
    'podName podUID',
    { is: 'killer', moment: 'marked' },
    { until: 21 },
  ),
  ...known('L-69', 4, ['Marking api pod pending termination'], 'podName podUID', { until: 21 }),
];
