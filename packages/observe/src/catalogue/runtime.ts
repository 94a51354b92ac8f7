/** The runtime manager, the lifecycle of containers, failed calls: list 4, chapter 4.6. */
import { known, type Row, row } from './row.js';

const KILL = 'pod podUID containerName containerID gracePeriod';
const step = (id: string, v: number, msg: string, n: number, name: string, fields: string, since?: number): Row =>
  row(id, v, msg, fields, { is: 'step', fn: 'kuberuntime.SyncPod', n, name }, since === undefined ? {} : { since });
/** `<Call> from runtime service failed`, `... image service failed`. */
const CALLS = [
  'Version',
  'RunPodSandbox',
  'StopPodSandbox',
  'RemovePodSandbox',
  'PodSandboxStatus',
  'ListPodSandbox',
  'CreateContainer',
  'StartContainer',
  'StopContainer',
  'RemoveContainer',
  'ListContainers',
  'ContainerStatus',
  'UpdateContainerResources',
  'ExecSync',
  'Exec',
  'Attach',
  'PortForward',
  'UpdateRuntimeConfig',
  'Status',
  'ContainerStats',
  'ListContainerStats',
  'PodSandboxStats',
  'ListPodSandboxStats',
  'ReopenContainerLog',
  'CheckpointContainer',
  'GetContainerEvents',
  'ListMetricDescriptors',
  'ListPodSandboxMetrics',
  'RuntimeConfig',
];
const IMAGE_CALLS: readonly (readonly [string, string])[] = [
  ['ListImages', 'ListImages with filter'],
  ['ImageStatus', 'Get ImageStatus'],
  ['PullImage', 'PullImage'],
  ['RemoveImage', 'RemoveImage'],
  ['ImageFsInfo', 'ImageFsInfo'],
];

/** Up to 1.20 these are printf; pods are printed as `name_namespace(uid)`. */
const upTo20: readonly Row[] = [
  row(
    'L-90',
    2,
    /^No sandbox for pod "(?<pod>[^"]*)" can be found\. Need to start a new one$/,
    'pod',
    { is: 'sandbox-decision' },
    { until: 20 },
  ),
  row('L-94', 4, /^Creating sandbox for pod "(?<pod>[^"]*)"$/, 'pod', { is: 'sandbox', at: 'enter' }, { until: 20 }),
  row(
    'L-94',
    4,
    /^Created PodSandbox "(?<podSandboxID>[0-9a-f]{64})" for pod "(?<pod>[^"]*)"$/,
    'podSandboxID pod',
    { is: 'sandbox', at: 'exit' },
    { until: 20 },
  ),
  row(
    'L-98',
    4,
    /^Creating container (?<container>[\s\S]*) in pod (?<pod>[^ "]+_[^ "]+\([^)"]*\))$/,
    'container pod',
    { is: 'start', at: 'enter' },
    { until: 20 },
  ),
  row(
    'L-102',
    2,
    /^Killing container "(?<containerID>[^"]*)" with (?:a )?(?<seconds>\d+) second grace period$/,
    'containerID seconds',
    { is: 'kill', at: 'enter' },
    { until: 20 },
  ),
  row(
    'L-103',
    3,
    /^Container "(?<containerID>[^"]*)" exited normally$/,
    'containerID',
    { is: 'kill', at: 'exit' },
    { until: 20 },
  ),
];

export const runtime: readonly Row[] = [
  ...upTo20,
  ...[
    'No sandbox for pod can be found. Need to start a new one',
    'No ready sandbox for pod can be found. Need to start a new one',
    'Sandbox for pod has changed. Need to start a new one',
    'Sandbox for pod has no IP address. Need to start a new one',
    'Multiple sandboxes are ready for Pod. Need to reconcile them',
  ].map((msg) => row('L-90', 2, msg, 'pod', { is: 'sandbox-decision' })),
  row('L-91', 3, 'computePodActions got for pod', 'podActions pod', { is: 'actions' }),
  row(
    'L-91',
    3,
    /^computePodActions got (?<podActions>\{[\s\S]*\}) for pod "(?<pod>[^"]*)"$/,
    'podActions pod',
    { is: 'actions' },
    { until: 21 },
  ),
  row('L-92', 3, 'Container of pod is not in the desired state and shall be started', 'containerName pod', {
    is: 'container-decision',
    verdict: 'start',
  }),
  row('L-93', 2, 'Message for Container of pod', 'containerName containerStatusID pod containerMessage', {
    is: 'container-decision',
    verdict: 'kill',
  }),
  ...known('L-94', 4, ['SyncPod received new pod, will create a sandbox for it'], 'pod'),
  row('L-94', 4, 'Creating PodSandbox for pod', 'pod', { is: 'sandbox', at: 'enter' }),
  row('L-94', 4, 'Created PodSandbox for pod', 'podSandboxID pod', { is: 'sandbox', at: 'exit' }),
  ...known('L-94', 4, ['Determined the ip for pod after sandbox changed'], 'IPs pod'),
  step('L-95', 4, 'Pod sandbox and network ready, invoking callback', 5, 'sandbox ready callback', 'pod podIPs', 36),
  row('L-96', 'E', 'CreatePodSandbox for pod failed', 'err pod', { is: 'sandbox', at: 'failed' }),
  row('L-96', 4, 'Pod was deleted and sandbox failed to be created', 'pod podUID', { is: 'sandbox', at: 'failed' }),
  step('L-97', 4, 'Stopping PodSandbox for pod, will start new one', 2, 'kill pod', 'pod'),
  step('L-97', 4, 'Stopping PodSandbox for pod, because all other containers are dead', 2, 'kill pod', 'pod'),
  step('L-97', 3, 'Killing unwanted container for pod', 3, 'kill unwanted containers', 'containerName containerID pod'),
  row('L-98', 4, 'Creating container in pod', 'containerType container pod', { is: 'start', at: 'enter' }),
  row('L-99', 3, 'Container start failed in pod', 'containerType container pod containerMessage err', {
    is: 'start',
    at: 'failed',
  }),
  ...known('L-100', 3, ['Checking backoff for container in pod'], 'containerName pod'),
  row('L-100', 3, 'Back-off restarting failed container', 'err', { is: 'backoff' }),
  ...known('L-100', 4, ['Backing Off restarting container in pod'], 'containerType container pod'),
  ...known('L-101', 4, ['Completed init container for pod'], 'containerName pod'),
  ...known('L-101', 4, ['Init container has been initialized'], 'pod container', { since: 28 }),
  row('L-102', 2, 'Killing container with a grace period', KILL, { is: 'kill', at: 'enter' }),
  // Up to 1.21 this is also what the message of L-102 is called.
  row('L-103', 3, 'Killing container with a grace period override', KILL, { is: 'kill', at: 'override' }),
  row('L-103', 3, 'Container exited normally', KILL, { is: 'kill', at: 'exit' }),
  row('L-104', 3, 'Running preStop hook', KILL, { is: 'hook', at: 'enter', fn: 'executePreStopHook' }),
  row('L-104', 3, 'PreStop hook completed', KILL, { is: 'hook', at: 'exit', fn: 'executePreStopHook' }),
  row('L-104', 2, 'PreStop hook not completed in grace period', KILL, {
    is: 'hook',
    at: 'exit',
    fn: 'executePreStopHook',
  }),
  row('L-104', 'E', 'PreStop hook failed', `err ${KILL}`, { is: 'hook', at: 'exit', fn: 'executePreStopHook' }),
  ...known('L-97', 3, ['Killing container before removal'], 'pod containerName'),
  ...known('L-98', 4, ['Adding new entry to the queue for processing'], 'id name labels', { since: 29 }),
  ...known('L-98', 3, ['Creating hosts mount for container'], 'pod containerName podIPs path'),
  ...known('L-98', 4, ['Pulled image'], 'pod image', { since: 31 }),
  ...known('L-101', 4, ['Computing init container action'], 'pod container status'),
  ...known(
    'L-101',
    4,
    ['Failed to start the restartable init container for the pod, skipping'],
    'pod initContainerName',
  ),
  ...known('L-101', 4, ['Failed to initialize the pod, as the init container failed to start, aborting'], 'pod'),
  ...known('L-96', 'E', ['Failed to create sandbox for pod', 'Failed to generate sandbox config for pod'], 'err pod'),
  ...known('L-96', 2, ['Running pod with runtime handler'], 'pod runtimeHandler'),
  ...known('L-106', 'E', ['killContainer for pod failed'], 'err containerName containerID pod'),
  ...known(
    'L-106',
    'E',
    ['getPodContainerStatuses for pod failed', 'GeneratePodSandboxConfig for pod failed'],
    'err pod',
  ),
  ...known('L-105', 4, ['Removing container'], 'containerID'),
  ...known('L-105', 4, ['Removing sandbox'], 'sandboxID'),
  ...known('L-105', 4, ['Removing init container'], 'containerName containerID count'),
  ...known('L-105', 4, ['Removing pod logs'], 'podUID'),
  ...known('L-105', 0, ['RemoveContainer'], 'containerID'),
  row('L-106', 'E', 'Failed to execute PostStartHook', `err ${KILL}`, { is: 'identity' }),
  row('L-106', 'E', 'Container termination failed with gracePeriod', `err ${KILL}`, { is: 'kill', at: 'failed' }),
  ...known('L-106', 'E', ['Kill container failed', 'killPodWithSyncResult failed'], 'err pod podUID'),
  ...known('L-106', 'E', ['Failed to stop sandbox'], 'podSandboxID'),
  ...CALLS.map((method) =>
    row('L-107', 'E', `${method} from runtime service failed`, 'err podSandboxID containerID', {
      is: 'call-failed',
      method,
    }),
  ),
  row('L-107', 'E', 'CreateContainer in sandbox from runtime service failed', 'err podSandboxID', {
    is: 'call-failed',
    method: 'CreateContainer',
  }),
  ...(
    [
      ['ExecSync', 'ExecSync cmd'],
      ['Exec', 'Exec cmd'],
      ['Attach', 'Attach container'],
      ['ListPodSandbox', 'ListPodSandbox with filter'],
      ['ListContainers', 'ListContainers with filter'],
      ['ListContainerStats', 'ListContainerStats with filter'],
      ['ListPodSandboxStats', 'ListPodSandboxStats with filter'],
      ['PodSandboxStats', 'PodSandbox'],
    ] as const
  ).map(([method, words]) =>
    row('L-107', 'E', `${words} from runtime service failed`, 'err podSandboxID containerID', {
      is: 'call-failed',
      method,
    }),
  ),
  ...IMAGE_CALLS.map(([method, words]) =>
    row('L-107', 'E', `${words} from image service failed`, 'err image', { is: 'call-failed', method, image: true }),
  ),
  // 1.21 release candidates: `StopContainer "id" from runtime service failed: ...`.
  ...CALLS.filter((method) => method.length >= 6).map((method) =>
    row(
      'L-107',
      'E',
      new RegExp(
        `^${method} (?:in sandbox )?(?:"(?<id>[0-9a-f]{64})" )?from runtime service failed: (?<err>[\\s\\S]*)$`,
      ),
      'id err',
      { is: 'call-failed', method },
      { until: 21 },
    ),
  ),
  // The managers of 1.32 and later say which container the runtime made.
  row('L-98', 4, 'Added Container', 'pod podUID containerName containerID', { is: 'identity' }),
  ...known('L-116', 4, ['Container reported running'], 'podSandboxId podUID containerName containerId'),
];
