import type { PluginDevice } from '../../host/device-plugins.js';
import { isExtendedResource } from '../../kubelet/nodestatus/allocatable.js';
import type { AllocateBehaviour, DevicePluginChange, DevicePluginSpec } from '../../mock/index.js';
import {
  about,
  anyText,
  custom,
  duration,
  flag,
  list,
  object,
  oneOf,
  optional,
  record,
  refine,
  type Shape,
  text,
  texts,
  whole,
} from '../../shape/index.js';

const resource = refine(text, (name, r) => {
  if (!isExtendedResource(name)) throw r.mustBe('the name of an extended resource such as example.com/gpu');
});

const deviceObject = object({
  id: text,
  health: optional(about('Default: Healthy.', oneOf('Healthy', 'Unhealthy'))),
  numa: optional(about('The NUMA nodes that the device belongs to.', list(whole(0, 1023)))),
});
/** An id, or more than that. */
const device: Shape<PluginDevice> = custom({ anyOf: [text.schema, deviceObject.schema] }, (r) => {
  if (typeof r.value === 'string') return { id: text.read(r), health: 'Healthy' };
  const { id, health = 'Healthy', numa } = deviceObject.read(r);
  return { id, health, ...(numa && { topology: numa }) };
});
const devices: Shape<PluginDevice[]> = refine(list(device, 1000), (read, r) => {
  for (const [i, { id }] of read.entries())
    if (read.findIndex((d) => d.id === id) !== i)
      throw r.at(i).error(`there are two devices ${JSON.stringify(id)}`, 'give each an id of its own');
});

const allocate: Shape<AllocateBehaviour> = object({
  took: optional(about('How long the answer takes. Default: no time.', duration)),
  error: optional(about('The error text that it fails with.', anyText)),
  envs: optional(about("Default: one named after the resource, with the devices' ids.", record(anyText))),
  mounts: optional(list(object({ containerPath: text, hostPath: text, readOnly: optional(flag) }))),
  deviceFiles: optional(about('Default: /dev/ with the id of each device.', texts)),
  annotations: optional(record(anyText)),
  cdiDevices: optional(about('Fully qualified names: vendor.com/class=name.', texts)),
}) as Shape<AllocateBehaviour>;

const pluginObject = object({
  resource: about('The extended resource that its devices count as.', resource),
  devices: about('Ids, or {id, health, numa}.', devices),
  registers: optional(
    about(
      "Where it registers: at the kubelet's socket, or by a socket of its own in plugins_registry. Default: kubelet.",
      oneOf('kubelet', 'watcher'),
    ),
  ),
  runs: optional(about('false: it does not run before a step starts it. Default: true.', flag)),
  registersAfter: optional(
    about("The time from its start, or the kubelet's, until it registers. Default: 100ms.", duration),
  ),
  version: optional(about('The version of the protocol that it speaks. Default: v1beta1.', text)),
  preStart: optional(
    about('Whether PreStartContainer is called before each start of a container. Default: false.', flag),
  ),
  preStartError: optional(about('The error text that PreStartContainer fails with.', anyText)),
  preferred: optional(about('Devices that it prefers to give, the best first.', texts)),
  allocate: optional(about('How it answers Allocate.', allocate)),
});

/** The device plug-ins of the node. */
export const devicePlugins: Shape<DevicePluginSpec[]> = refine(
  list(pluginObject as Shape<DevicePluginSpec>, 100),
  (read, r) => {
    for (const [i, { resource: name }] of read.entries())
      if (read.findIndex((p) => p.resource === name) !== i)
        throw r.at(i).at('resource').error(`there are two plug-ins of ${name}`, 'put their devices into one');
  },
);

const changeObject = object({
  resource,
  run: optional(about('restart: it starts again after down.', oneOf('start', 'stop', 'restart'))),
  down: optional(about('How long it is down, with run: restart. Default: 0.', duration)),
  devices: optional(about('All its devices from now on.', devices)),
  unhealthy: optional(about('Ids of devices that turn unhealthy.', texts)),
  healthy: optional(about('Ids of devices that turn healthy.', texts)),
  allocate: optional(about('How it answers Allocate from now on.', allocate)),
});

/** The changes that a step makes to a device plug-in. */
export const devicePluginChange: Shape<DevicePluginChange> = custom(changeObject.schema, (r) => {
  const read = changeObject.read(r);
  if (Object.keys(read).length === 1)
    throw r.error('it changes nothing', 'add run, devices, unhealthy, healthy or allocate');
  if (read.down !== undefined && read.run !== 'restart')
    throw r.at('down').error('nothing restarts', 'add run: restart, or leave it out', true);
  return read as DevicePluginChange;
});

/** The words of a change: "example.com/gpu unhealthy gpu-0". */
export function devicePluginText({
  resource: name,
  run,
  devices: all,
  unhealthy,
  healthy,
  allocate: to,
}: DevicePluginChange) {
  return [
    name,
    ...(run ? [run] : []),
    ...(all ? [`devices ${all.map((d) => d.id).join(' ') || 'none'}`] : []),
    ...(unhealthy ? [`unhealthy ${unhealthy.join(' ')}`] : []),
    ...(healthy ? [`healthy ${healthy.join(' ')}`] : []),
    ...(to ? ['allocate'] : []),
  ].join(' ');
}
