/** Device plug-ins and the allocation of devices. The loop's own line L-27 reports changes of a device. */
import { known, type Row } from './row.js';

/** Texts that also others than a kubelet may print. */
const common = { anyone: true } as const;

export const devices: readonly Row[] = [
  ...known('L-27', 2, ['Creating Device Plugin manager'], 'path'),
  ...known('L-27', 2, ['Starting Device Plugin manager', 'Starting device plugin registration server']),
  ...known('L-27', 2, ['Creating device plugin registration server'], 'version socket'),
  ...known('L-27', 0, ['Got registration request from device plugin with resource'], 'resourceName'),
  ...known('L-27', 2, ['Device plugin connected', 'Endpoint became unhealthy'], 'resourceName'),
  ...known('L-27', 2, ['Mark all resources Unhealthy for resource'], 'resourceName'),
  ...known('L-27', 2, ['Registered client', 'Deregistered client'], 'name', common),
  ...known('L-27', 2, ['Connected to new client'], 'resource', common),
  ...known('L-27', 2, ['State pushed for device plugin'], 'resource resourceCapacity'),
  ...known('L-27', 2, ['Processed device updates for resource'], 'resourceName totalCount healthyCount'),
  ...known('L-27', 2, ['Device plugin disconnected'], 'resource'),
  ...known('L-27', 'E', ['ListAndWatch ended unexpectedly for device plugin'], 'err resource'),
  ...known('L-27', 2, ['Get checkpoint entry'], 'podUID containerName resourceName deviceIDs allocated'),
  ...known('L-27', 'E', ['Failed to read data from checkpoint'], 'err checkpoint', common),
  ...known('L-27', 4, ['Checkpoint file written', 'Read data from checkpoint file'], 'checkpoint', common),
  ...known('L-27', 3, ['Looking for needed resources'], 'resourceName pod containerName needed'),
  ...known(
    'L-27',
    3,
    [
      'Need devices to allocate for pod',
      'Container detected running, nothing to do',
      'No devices needed, nothing to do',
    ],
    'deviceNumber resourceName podUID containerName',
  ),
  ...known('L-27', 3, ['Found pre-allocated devices for resource on pod'], 'resourceName containerName podUID devices'),
  ...known('L-27', 4, ['Making allocation request for device plugin'], 'devices resourceName pod containerName'),
  ...known('L-27', 2, ['Needs to re-allocate device plugin resources for pod'], 'pod containerName'),
  ...known('L-27', 4, ['Topology manager admission check'], 'pod'),
  ...known('L-27', 4, ['Pod Admit Result'], 'Message pod'),
  ...known('L-27', 4, ['Container Manager: forwarding resource update'], 'source pods'),
  ...known('L-27', 2, ['Updated capacity for device plugin'], 'plugin capacity'),
  ...known('L-27', 2, ['Updated allocatable'], 'device allocatable'),
];
