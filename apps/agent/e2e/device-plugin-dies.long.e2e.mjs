/**
 * A device plug-in that dies or hangs in each of its methods, on the mock runtime: its pod gets the reason, and the
 * kubelet goes on. Each test has a plug-in and a resource of its own.
 */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { podResources } from './device-plugin.mjs';
import { MockNode, podSpec } from './mock-node.mjs';
import { putManifest } from './node-files.mjs';
import { until } from './programs.mjs';

const program = fileURLToPath(new URL('device-plugin.mjs', import.meta.url));
const eof = 'rpc error: code = Unavailable desc = error reading from server: EOF';

let node;
before(async () => {
  node = await MockNode.create();
  await node.start();
});
after(() => node?.destroy());

const folder = () => join(node.work, 'root', 'device-plugins');

/** Starts a plug-in with one device; `flags`: its faults. */
function startPlugin(name, ...flags) {
  return node.run(process.execPath, [
    ...[program, '--kubelet', folder(), '--resource', `example.com/${name}`, '--devices', name, ...flags],
  ]);
}
const says = (plugin, line) =>
  plugin.says(line, new RegExp(`^${line}$`, 'm'), { seconds: 30, describe: () => `${plugin.stderr}\n${node.tail()}` });
const logs = (what, pattern) =>
  until(what, () => pattern.test(node.kubelet.stderr), { seconds: 30, describe: () => node.tail() });

/** Waits until just these devices of a resource can be given away. */
async function allocatable(name, ids) {
  let found;
  await until(
    `${name} has ${ids}`,
    async () => {
      const { devices } = await podResources(join(node.work, 'root'), 'GetAllocatableResources');
      found = devices.filter((d) => d.resource_name === `example.com/${name}`).flatMap((d) => d.device_ids);
      return found.join() === ids.join();
    },
    { seconds: 30, describe: () => `${found}\n${node.tail()}` },
  );
}

/** Puts a pod there that wants the plug-in's device. */
async function drop(name, resource = name) {
  const spec = podSpec();
  if (resource) spec.containers[0].resources = { limits: { [`example.com/${resource}`]: 1 } };
  const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
  await putManifest(node.work, `${name}.json`, JSON.stringify(manifest));
}
async function statusOf(name) {
  const { items } = await (await fetch(`http://127.0.0.1:${node.readOnly}/pods`)).json();
  return items.find((pod) => pod.metadata.name === `${name}-node1`)?.status;
}
/** Waits until the status of a pod is as wanted, and gives it. */
async function status(name, what, wanted) {
  let found;
  return await until(
    `${name} ${what}`,
    async () => {
      found = await statusOf(name);
      return found && wanted(found) && found;
    },
    { seconds: 40, describe: () => `${JSON.stringify(found)}\n${node.tail()}` },
  );
}
const ready = (name) =>
  status(name, 'is ready', (s) => s.conditions?.some((c) => c.type === 'Ready' && c.status === 'True'));
const refused = (name) => status(name, 'is refused', (s) => s.phase === 'Failed');

it('in GetDevicePluginOptions: it is not registered, and may try again', { timeout: 60_000 }, async () => {
  const plugin = startPlugin('options', '--dies', 'GetDevicePluginOptions');
  await says(plugin, 'dies in GetDevicePluginOptions');
  await logs(
    'why',
    /Error connecting to device plugin client" err="failed to get device plugin options: rpc error: code = Unavailable/,
  );
  await allocatable('options', []);
  await says(startPlugin('options'), 'registered');
  await allocatable('options', ['options']);
});

it('in ListAndWatch: it has no devices', { timeout: 60_000 }, async () => {
  await says(startPlugin('watch', '--dies', 'ListAndWatch'), 'dies in ListAndWatch');
  await logs(
    'why',
    /ListAndWatch ended unexpectedly for device plugin" err="rpc error: code = Unavailable .*resource="example\.com\/watch"/,
  );
  await allocatable('watch', []);
});

it('in Allocate: the pod is refused and says why', { timeout: 60_000 }, async () => {
  const plugin = startPlugin('allocate', '--dies', 'Allocate');
  await allocatable('allocate', ['allocate']);
  await drop('allocate');
  await says(plugin, 'dies in Allocate');
  const { reason, message } = await refused('allocate');
  assert.equal(reason, 'UnexpectedAdmissionError');
  assert.ok(message.includes(`Allocate failed due to ${eof}, which is unexpected`), message);
  await allocatable('allocate', []);
});

it('in PreStartContainer: the container waits for a plug-in that is back', { timeout: 90_000 }, async () => {
  const plugin = startPlugin('prestart', '--dies', 'PreStartContainer');
  await allocatable('prestart', ['prestart']);
  await drop('prestart');
  await says(plugin, 'dies in PreStartContainer');
  await status('prestart', 'waits', (s) =>
    s.containerStatuses?.[0]?.state?.waiting?.message?.includes('rpc error: code = '),
  );
  const again = startPlugin('prestart');
  await ready('prestart');
  await says(again, 'prestart prestart');
  // The device is the one that the pod had been given.
  assert.doesNotMatch(again.stdout, /^allocate/m);
});

it('hangs in GetDevicePluginOptions: pods without devices do not notice', { timeout: 60_000 }, async () => {
  const plugin = startPlugin('mute', '--hangs', 'GetDevicePluginOptions');
  await says(plugin, 'hangs in GetDevicePluginOptions');
  await drop('plain', '');
  await ready('plain');
  await allocatable('mute', []);
  await plugin.kill('SIGKILL');
});

it('hangs in Allocate until it is killed: the pod is refused, and the loop goes on', { timeout: 60_000 }, async () => {
  const plugin = startPlugin('stuck', '--hangs', 'Allocate');
  await allocatable('stuck', ['stuck']);
  await drop('stuck');
  await says(plugin, 'hangs in Allocate');
  await plugin.kill('SIGKILL');
  const { message } = await refused('stuck');
  assert.ok(message.includes(`Allocate failed due to ${eof}, which is unexpected`), message);
  await drop('next', '');
  await ready('next');
});

it('loses its socket, and not its connection', { timeout: 60_000 }, async () => {
  const plugin = startPlugin('lost');
  await allocatable('lost', ['lost']);
  await rm(join(folder(), 'lost.sock'));
  await drop('lost');
  await ready('lost');
  await says(plugin, 'allocate lost');
  assert.equal(await node.healthy(), true);
});
