/** Start-up, the node and the gate before the loop: list 4, chapter 4.1. */
import { known, type Row, row } from './row.js';

const manager = (id: string, v: number, msg: string, name: string): Row =>
  row(id, v, msg, '', { is: 'manager', name, state: 'started' });

export const start: readonly Row[] = [
  row('L-00', 0, 'Kubelet version', 'kubeletVersion', { is: 'version' }, { starts: true }),
  // 1.21 release candidates.
  row(
    'L-00',
    0,
    /^Kubelet version: (?<kubeletVersion>v\S+)/,
    'kubeletVersion',
    { is: 'version' },
    { until: 21, starts: true },
  ),
  row(
    'L-00',
    0,
    /^Version: (?<kubeletVersion>v\d\S+)/,
    'kubeletVersion',
    { is: 'version' },
    { until: 21, anyone: true },
  ),
  // v1.4 to v1.7.
  row(
    'L-00',
    0,
    /^Started kubelet (?<kubeletVersion>v\d\S+)$/,
    'kubeletVersion',
    { is: 'version' },
    { until: 7, starts: true },
  ),
  row('L-00', 1, /^FLAG: --(?<flag>[\w-]+)="(?<value>[\s\S]*)"$/, 'flag value', { is: 'nothing' }, { anyone: true }),
  ...known('L-00', 0, ['Golang settings'], 'GOGC GOMAXPROCS GOTRACEBACK', { starts: true }),
  ...known(
    'L-01',
    0,
    [
      'Kubelet is running in standalone mode, will skip API server sync',
      'Attempting to sync node with API server',
      'Standalone mode, no API client',
      'No API server defined - no node status update will be sent',
      'No api server defined - no events will be sent to API server',
      'Sending events to api server',
    ],
    '',
    { starts: true },
  ),
  ...known('L-02', 0, ['Adding static pod path'], 'path', { starts: true }),
  // It comes again with each manifest that is read.
  ...known('L-02', 4, ['Reading config file'], 'path'),
  ...known('L-14', 2, ['Setting node annotation to enable volume controller attach/detach']),
  ...known('L-06', 1, ['Loaded volume plugin'], 'pluginName'),
  // The kubelet's own server, and those of other programs.
  ...known('L-05', 3, ['HTTP'], 'verb URI latency userAgent srcIP resp', { anyone: true }),
  ...known('L-02', 0, ['Adding pod URL with HTTP header'], 'URL header', { starts: true }),
  ...known('L-02', 0, ['Adding apiserver pod source', 'Waiting for node sync before watching apiserver pods'], '', {
    starts: true,
  }),
  row(
    'L-03',
    0,
    'Container runtime initialized',
    'containerRuntime version apiVersion',
    { is: 'runtime' },
    { starts: true },
  ),
  ...known('L-04', 0, ['Started kubelet']),
  ...known('L-05', 0, ['Starting to listen', 'Starting to listen read-only'], 'address port'),
  manager('L-06', 0, 'Starting Kubelet Volume Manager', 'volumeManager'),
  row('L-06', 0, 'Shutting down Kubelet Volume Manager', '', {
    is: 'manager',
    name: 'volumeManager',
    state: 'stopped',
  }),
  ...known('L-06', 2, ['The desired_state_of_world populator starts']),
  ...known('L-06', 0, ['Reconciler: start to sync state', 'Finished populating initial desired state of world']),
  manager('L-07', 0, 'Starting to sync pod status with apiserver', 'statusManager'),
  ...known('L-07', 0, ['Kubernetes client is nil, not starting status manager']),
  manager('L-07', 0, 'Starting Kubelet Plugin Manager', 'pluginManager'),
  row('L-08', 0, 'Starting kubelet main sync loop', '', { is: 'loop', phase: 'begin' }),
  row('L-08', 0, /^Starting kubelet main sync loop\.?$/, '', { is: 'loop', phase: 'begin' }, { until: 21 }),
  row('L-09', 'E', 'Skipping pod synchronization', 'err', { is: 'gate' }),
  row('L-09', 'E', /^skipping pod synchronization - (?<err>[\s\S]*)$/, 'err', { is: 'gate' }, { until: 21 }),
  row('L-09', 'E', /^Skipping pod synchronization - (?<err>[\s\S]*)$/, 'err', { is: 'gate' }, { until: 21 }),
  row('L-10', 4, 'Container runtime status', 'status', { is: 'runtime-status' }),
  row('L-11', 0, 'Container runtime network not ready', 'networkReady', { is: 'network' }),
  ...known('L-11', 0, ['Container runtime not ready'], 'runtimeReady'),
  ...known('L-12', 'E', ['Container runtime sanity check failed', 'Container runtime status is nil'], 'err'),
  manager('L-13', 0, 'Eviction manager: starting control loop', 'evictionManager'),
  row('L-14', 2, 'Recording event message for node', 'node event', { is: 'node-event' }),
  row('L-14', 0, 'Node became not ready', 'node condition', { is: 'node-condition' }),
  row('L-15', 0, 'Attempting to register node', 'node', { is: 'node' }),
  row('L-15', 0, 'Successfully registered node', 'node', { is: 'node-status', op: 'registered' }),
  row('L-15', 0, 'Node was previously registered', 'node', { is: 'node-status', op: 'registered' }),
  row('L-15', 'E', 'Error updating node status, will retry', 'err', { is: 'node-status', op: 'failed' }),
  ...known('L-15', 0, ['Fast updating node status as it just became ready']),
  ...known('L-15', 'E', ['Unable to register node with API server'], 'err node'),
];
