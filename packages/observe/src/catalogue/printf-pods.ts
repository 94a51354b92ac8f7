/** Messages about pods of kubelets up to v1.20, as printf made them, in the chapters of fidelity list 4. */

import { old, says, wrong } from './printf-rows.js';
import { type ConfigOp, type Gate, type Row, row } from './row.js';
import { begins } from './template.js';

const quiet = (id: string, v: Gate, ...texts: readonly string[]): Row[] =>
  texts.map((text) => row(id, v, begins(text), '', { is: 'nothing' }, old));

const RESTORE: readonly (readonly [string, ConfigOp])[] = [['RESTORE', 'ADD']];

/** The kinds of probes as printf has them, with a capital letter. */
const probes = (['Liveness', 'Readiness', 'Startup'] as const).flatMap((kind): Row[] => {
  const probe = kind.toLowerCase();
  const said = (v: number, rest: string, outcome: 'success' | 'warning' | 'failure' | 'unknown') =>
    says(
      outcome === 'success' || outcome === 'warning' ? 'L-120' : 'L-121',
      v,
      `${kind} probe for "%{pod}:%{containerName}" ${rest}`,
      { is: 'probe', outcome },
      outcome === 'success' ? undefined : { code: 'probe-failed', facts: { probe, result: outcome }, fixed: true },
    );
  return [
    said(3, 'succeeded with a warning: %{output}', 'warning'),
    said(3, 'succeeded', 'success'),
    said(1, 'failed (%{probeResult}): %{output}', 'failure'),
    said(1, 'errored: %{output}', 'unknown'),
    // Up to 1.4 the result is in the words.
    said(1, 'failed: %{output}', 'failure'),
  ];
});

const loop: readonly Row[] = [
  ...RESTORE.map(([name, op]) => says('L-20', 2, `SyncLoop (${name}, "%{source}"): "%{pods}"`, { is: 'config', op })),
  says('L-30', 'E', 'Failed cleaning pods: %{err}', { is: 'nothing' }, { code: null }),
  says('L-31', 'E', 'Update channel is closed. Exiting the sync loop.', { is: 'loop', phase: 'end' }),
  says(
    'L-33',
    'W',
    'Failed to admit pod %{pod} - node has conditions: %{message}',
    { is: 'nothing' },
    { code: 'admission-refused', facts: { reason: 'Evicted' }, fixed: true },
  ),
  says(
    'L-33',
    'W',
    'Failed to admit pod %{pod} - %{message}',
    { is: 'nothing' },
    { code: 'admission-refused', fixed: true },
  ),
  says(
    'L-33',
    2,
    'Predicate failed on Pod: %{pod}, for reason: %{message}',
    { is: 'nothing' },
    { code: 'admission-refused', fixed: true },
  ),
  ...quiet('L-22', 4, 'SyncLoop (PLEG): ignore irrelevant event', 'SyncLoop: event for', 'SyncLoop (containermanager)'),
];

const syncs: readonly Row[] = [
  says(
    'L-47',
    'E',
    'Error syncing pod %{podUID} ("%{pod}"), skipping: %{err}',
    { is: 'work', moment: 'failed' },
    { code: 'sync-failed' },
    { until: 21 },
  ),
  // Up to 1.5 it has the UID alone.
  says(
    'L-47',
    'E',
    'Error syncing pod %{podUID}, skipping: %{err}',
    { is: 'work', moment: 'failed' },
    { code: 'sync-failed' },
    { until: 21 },
  ),
  says('L-62', 3, 'Generating status for "%{pod}"', { is: 'nothing' }),
  ...quiet('L-62', 3, 'Generating convert status for', 'First seen time not recorded for pod', 'status for pod '),
  says('L-69', 2, 'Killing unwanted pod "%{podName}"', { is: 'killer', moment: 'begin' }),
  ...quiet(
    'L-69',
    2,
    'pod_container_deletor',
    'marking pod pending termination',
    'Orphaned pod "',
    'Pod "',
    'deleted pod "',
  ),
  ...wrong('L-69', 'E', 'kill-failed', [
    'Failed killing the pod "%{podName}": %{err}',
    'killPod for pod "%{pod}" (podStatus=%{}) failed: %{err}',
    'killPodWithSyncResult failed: %{err}',
  ]),
  ...wrong(
    'L-63',
    'E',
    null,
    [
      'Failed creating a mirror pod for "%{pod}": %{err}',
      'Failed deleting mirror pod "%{pod}": %{err}',
      'Failed deleting a mirror pod "%{pod}": %{err}',
      'encountered error when deleting mirror pod "%{pod}" : %{err}',
    ],
    { mirror: true, family: 'api' },
  ),
  ...wrong(
    'L-63',
    'W',
    'pod-recreated',
    ['Deleting mirror pod "%{pod}" because it is outdated', 'Deleted mirror pod "%{pod}" because it is outdated'],
    { mirror: true },
  ),
  ...quiet('L-63', 0, 'Trying to delete pod '),
  ...wrong(
    'L-64',
    'E',
    'volume-not-mounted',
    [
      'Unable to attach or mount volumes for pod "%{pod}": %{err}; skipping pod',
      'Unable to mount volumes for pod "%{pod}": %{err}; skipping pod',
      'Unable to mount volumes for pod "%{pod}": %{err}',
    ],
    { family: 'volume' },
  ),
  ...wrong('L-64', 'E', 'sync-failed', ['Unable to make pod data directories for pod "%{pod}": %{err}']),
  ...wrong('L-110', 'E', 'status-refused', ['Pod attempted illegal phase transition from %{}: %{err}'], {
    family: 'api',
  }),
];

const runtime: readonly Row[] = [
  ...[
    'No ready sandbox for pod "%{pod}" can be found. Need to start a new one',
    'Multiple sandboxes are ready for Pod "%{pod}". Need to reconcile them',
    'More than 1 sandboxes for pod "%{pod}" are ready. Need to reconcile them',
  ].map((template) => says('L-90', 2, template, { is: 'sandbox-decision' })),
  ...[
    'Sandbox for pod "%{pod}" has changed. Need to start a new one',
    'Sandbox for pod "%{pod}" has no IP address. Need to start a new one',
    'Sandbox for pod "%{pod}" has no IP address.  Need to start a new one',
  ].map((template) =>
    says(
      'L-90',
      2,
      template,
      { is: 'sandbox-decision' },
      {
        code: 'sandbox-changed',
        facts: { reason: template.includes('changed') ? 'has changed' : 'has no IP address' },
      },
    ),
  ),
  says('L-91', 3, 'computePodContainerChanges got %{podActions} for pod "%{pod}"', { is: 'nothing' }),
  says(
    'L-93',
    2,
    'Container "%{containerName}" ({"docker" "%{containerStatusID}"}) of pod %{pod}: %{containerMessage}',
    { is: 'container-decision', verdict: 'kill' },
  ),
  says('L-93', 2, 'Container "%{containerName}" ("%{containerStatusID}") of pod %{pod}: %{containerMessage}', {
    is: 'container-decision',
    verdict: 'kill',
  }),
  ...wrong('L-96', 'E', 'sandbox-failed', [
    'CreatePodSandbox for pod "%{pod}" failed: %{err}',
    'createPodSandbox for pod "%{pod}" failed: %{err}',
    'GeneratePodSandboxConfig for pod "%{pod}" failed: %{err}',
    'Unable to create pod sandbox due to conflict. Attempting to remove sandbox "%{sandboxID}"',
  ]),
  ...wrong('L-99', 3, null, [
    'container start failed: %{err}',
    'Container start failed: %{err}',
    'init container start failed: %{err}',
    'Init container start failed: %{err}',
    'ephemeral container start failed: %{err}',
  ]),
  ...quiet(
    'L-100',
    3,
    'checking backoff for container',
    'Killing unwanted container',
    'Running pod ',
    'Pulling image "',
    'Stop pulling image',
    'Successfully removed conflicting container',
    'Create the container with randomized name',
  ),
  says(
    'L-100',
    3,
    'Backing off %{delay} restarting failed container=%{container} pod=%{pod}',
    { is: 'nothing' },
    { code: 'crash-loop', fixed: true },
  ),
  says(
    'L-100',
    3,
    'Back-off %{delay} restarting failed container=%{container} pod=%{pod}',
    { is: 'nothing' },
    { code: 'crash-loop', fixed: true },
  ),
  says(
    'L-100',
    3,
    'back-off %{delay} restarting failed container=%{container} pod=%{pod}',
    { is: 'nothing' },
    { code: 'crash-loop', fixed: true },
  ),
  ...wrong(
    'L-107',
    'E',
    'call-timed-out',
    ['Cancel pulling image "%{image}" because of no progress for %{elapsed}, latest progress: %{}'],
    { facts: { method: 'PullImage' }, fixed: true },
  ),
  ...wrong(
    'L-107',
    'E',
    'image-pull-failed',
    [
      'PullImage "%{image}" from image service failed: %{err}',
      'Pull image "%{image}" failed: %{err}',
      'Failed to pull image "%{image}": %{err}',
    ],
    { facts: { method: 'PullImage' }, fixed: true },
  ),
  ...wrong('L-107', 'E', 'image-pull-failed', ['ImageStatus "%{image}" from image service failed: %{err}'], {
    facts: { method: 'ImageStatus' },
  }),
  ...wrong('L-106', 'E', 'kill-failed', [
    'killContainer "%{containerName}"(id=%{containerID}) for pod "%{pod}" failed: %{err}',
    'Failed to kill container "%{containerName}"(id="%{containerID}") in pod "%{pod}": %{err}',
    'Container "%{containerID}" termination failed with gracePeriod %{gracePeriod}: %{err}',
    'Failed to stop sandbox "%{sandboxID}" before removing: %{err}',
    'Failed to stop sandbox "%{sandboxID}": %{err}',
    'Failed to stop sandbox {"docker" "%{sandboxID}"}',
    'Failed to stop container "%{containerID}": %{err}',
    'Failed to stop sandbox container "%{sandboxID}" for pod "%{}": %{err}',
  ]),
  ...wrong('L-104', 'E', 'hook-failed', ['preStop hook for container "%{containerName}" failed: %{err}'], {
    facts: { hook: 'preStop' },
    fixed: true,
  }),
  says(
    'L-104',
    2,
    'preStop hook for container "%{containerName}" did not complete in %{elapsed}',
    { is: 'nothing' },
    { code: 'hook-failed', facts: { hook: 'preStop' }, fixed: true },
  ),
  ...quiet('L-104', 3, 'preStop hook for container', 'Running preStop hook'),
  ...quiet('L-103', 3, 'Killing container "'),
  ...quiet(
    'L-106',
    'W',
    'No ref for container',
    "Can't make a ref to pod",
    "Couldn't make a ref to pod",
    'Non-root verification',
  ),
  ...wrong(
    'L-106',
    'E',
    'gc-failed',
    ['Failed to remove sandbox "%{sandboxID}": %{err}', 'Failed to remove container "%{containerID}": %{err}'],
    { facts: { object: 'containers' } },
  ),
  ...quiet(
    'L-105',
    'W',
    '[pod_container_deletor] DeleteContainer returned error',
    'Failed to issue the request to remove container',
    'Container "',
  ),
  ...wrong('L-96', 'W', 'network-not-ready', ['Unable to update cni config: %{err}'], { fixed: true }),
  ...wrong(
    'L-96',
    'E',
    'network-setup-failed',
    [
      'Error adding network: %{err}',
      'Error while adding to cni network: %{err}',
      'Error while adding to cni lo network: %{err}',
      'Error adding network when building cni runtime conf: %{err}',
      'Error adding %{pod} to network %{plugin}: %{err}',
    ],
    { fixed: true },
  ),
  ...wrong('L-96', 'E', 'network-teardown-failed', [
    'Error deleting network: %{err}',
    'Error deleting network when building cni runtime conf: %{err}',
    'Error deleting %{pod} from network %{plugin}: %{err}',
    'CNI failed to retrieve network namespace path: %{err}',
    'CNI failed to delete loopback network: %{err}',
  ]),
  ...quiet(
    'L-96',
    'W',
    'CNI config list',
    'Error validating CNI config',
    'Error loading CNI config',
    'Error converting CNI config',
    'failed to read pod IP from plugin/docker',
    'Both sandbox container and checkpoint',
  ),
  ...quiet(
    'L-96',
    'W',
    'Pod Sandbox status doesn',
    'Pod Sandbox reported an unparseable IP',
    'Failed to retrieve checkpoint for sandbox',
    'Removing corrupted checkpoint',
    'Unable to remove corrupted checkpoint',
  ),
];

const rest: readonly Row[] = [
  ...probes,
  ...quiet(
    'L-121',
    3,
    'No status for pod: ',
    'Pod %v %v, exiting',
    'Probe target container not found',
    'Non-running container probed',
    'No ref for container',
    'Liveness probe already',
    'Readiness probe already',
    'Container readiness changed before pod has synced',
    'Container readiness changed for unknown container',
    'Container startup changed',
  ),
  says(
    'L-117',
    2,
    'Pod "%{pod}" was deleted and then recreated, skipping status update; old UID "%{oldPodUID}", new UID "%{newPodUID}"',
    { is: 'nothing' },
    { code: 'pod-recreated' },
  ),
  says('L-114', 3, 'Status for pod "%{pod}" updated successfully: (%{statusVersion}, %{status})', { is: 'nothing' }),
  ...quiet(
    'L-114',
    3,
    'Status for pod "',
    'Ignoring same status for pod',
    'Pod status is inconsistent with',
    'Prepare to get pod',
    'Patch status for pod',
  ),
  ...wrong(
    'L-118',
    'W',
    'status-refused',
    [
      'Failed to update status for pod "%{pod}": %{err}',
      'Failed to get status for pod "%{pod}": %{err}',
      'Failed to delete status for pod "%{pod}": %{err}',
      'Status update on pod %{pod} aborted: %{err}',
    ],
    { family: 'api' },
  ),
  ...wrong(
    'L-126',
    'E',
    'orphaned-pod',
    [
      'Orphaned pod "%{podUID}" found, but volume paths are still present on disk : There were a total of %{count} errors similar to this. Turn up verbosity to see them.',
      'Orphaned pod "%{podUID}" found, but volume paths are still present on disk%{err}',
      'Orphaned pod "%{podUID}" found, but %{err}',
      'orphaned pod "%{podUID}" found, but %{err}',
      'Failed to remove orphaned pod "%{podUID}" dir; err: %{err}',
      'Failed cleaning up orphaned pod directories: %{err}',
      'pod "%{podUID}" found, but error %{err}',
      // From its start on the kubelet looks for volumes of pods that nobody asks for.
      'Could not construct volume information: %{err}',
    ],
    { fixed: true },
  ),
  ...quiet('L-126', 3, 'Cleaned up orphaned', 'Orphaned pod "'),
];

// `wrong` of one beginning comes before `quiet` of it: the first that fits counts.
export const printfPods: readonly Row[] = [...loop, ...runtime, ...rest, ...syncs];
