/**
 * A device plug-in on a node with a real containerd: a program of its own (device-plugin.mjs), which knows the kubelet
 * only by its socket, as the client of the pod resources API here does. Needs root; the tests follow one another
 * on one node.
 */
import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bytesSource, openRecording } from '@syncloop/core/trace';
import { podResources } from './device-plugin.mjs';
import { inOrder } from './in-order.mjs';
import { idsOf, isReady, OwnNode } from './own-node.mjs';
import { Running, until } from './programs.mjs';

const it = inOrder();
const resource = 'example.com/fake';
const other = 'example.com/other';
const program = fileURLToPath(new URL('device-plugin.mjs', import.meta.url));

let node;
let plugin;
let kubeconfig;
const folder = () => join(node.work, 'root', 'device-plugins');

before(
  async () => {
    node = await OwnNode.create('nodeStatusUpdateFrequency: 1s\n');
    kubeconfig = join(node.work, 'kubeconfig');
    await node.start('--serve-api=0', '--serve-api-kubeconfig', kubeconfig);
  },
  { timeout: 90_000 },
);
after(async () => {
  await node?.destroy();
});

function startPlugin(...flags) {
  const made = new Running(process.execPath, [program, '--kubelet', folder(), ...flags]);
  node.programs.push(made);
  return made;
}
const said = (line) => plugin.stdout.split('\n').filter((l) => l === line).length;
/** Has the plug-in do something, and waits until it does. */
async function tell(line) {
  const before = said(`does ${line}`);
  plugin.child.stdin.write(`${line}\n`);
  await until(`the plug-in does ${line}`, () => said(`does ${line}`) > before, { describe });
}
const describe = () => `${plugin?.stdout}${plugin?.stderr}\n${node.tail()}`;

/** Asks the API server with its kubeconfig's rights: reads an object, or makes one of `body`. */
async function api(path, body) {
  const config = JSON.parse(await readFile(kubeconfig, 'utf8'));
  const { server, 'certificate-authority-data': ca } = config.clusters[0].cluster;
  const headers = {
    authorization: `Bearer ${config.users[0].user.token}`,
    ...(body && { 'content-type': 'application/json' }),
  };
  return await new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, server),
      { ca: Buffer.from(ca, 'base64'), headers, agent: false, method: body ? 'POST' : 'GET' },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        answer.on('end', () => resolve(JSON.parse(text)));
        answer.on('error', reject);
      },
    );
    sent.on('error', reject).end(body && JSON.stringify(body));
  });
}

/** Waits until the node reports this many devices, and this many healthy ones. */
async function devices(capacity, allocatable, of = resource) {
  let status;
  await until(
    `${allocatable} of ${capacity} devices`,
    async () => {
      ({ status } = await api('/api/v1/nodes/node1').catch(() => ({ status: undefined })));
      return status?.capacity?.[of] === capacity && status?.allocatable?.[of] === allocatable;
    },
    { seconds: 40, describe: () => `${JSON.stringify(status)}\n${describe()}` },
  );
}

const ask = (method, request) => podResources(join(node.work, 'root'), method, request);

/** Returns the devices of the node's pods: `pod/container: resource=ids`. */
async function given() {
  const { pod_resources } = await ask('List');
  return pod_resources
    .flatMap(({ name, containers }) =>
      containers.map((c) => `${name}/${c.name}: ${c.devices.map((d) => `${d.resource_name}=${d.device_ids}`)}`),
    )
    .sort();
}

const withDevices = (n, command) => ({
  command,
  more: `    resources: {limits: {${resource}: ${n}}}\n`,
});

/** Lines of a container's standard output. Errors come by another pipe: their place among these lines is chance. */
async function outputOf(pod) {
  const logs = join(node.work, 'logs');
  const [own] = (await readdir(logs)).filter((name) => name.startsWith(`default_${pod}-node1_`));
  const text = await readFile(join(logs, own ?? 'none', 'app', '0.log'), 'utf8').catch(() => '');
  return [...text.matchAll(/^\S+ stdout F (.*)$/gm)].map(([, line]) => line);
}

it('a plug-in registers at a socket that is for root only, and the node has its devices', {
  timeout: 60_000,
}, async () => {
  plugin = startPlugin('--resource', resource, '--devices', 'a,b');
  await until('the plug-in is registered', () => said('registered') === 1, { describe });
  assert.equal((await stat(join(folder(), 'kubelet.sock'))).mode & 0o777, 0o600);
  assert.equal((await stat(folder())).mode & 0o777, 0o750);
  await devices('2', '2');
});

it('a pod that asks for one runs with what the plug-in says', { timeout: 60_000 }, async () => {
  const looks =
    'echo devices=$FAKE_DEVICES; cat /etc/fake-device; touch /etc/fake-device || echo read-only; ' +
    `test -c /dev/fake-b && echo x > /dev/fake-b && echo device; ls /dev/fake-a || echo no other; ${node.waits}`;
  await node.drop('one', node.manifest('one', withDevices(1, looks)));
  await node.ready(['one']);
  const lines = await until('what the container saw', async () => {
    const found = await outputOf('one');
    return found.includes('no other') && found;
  });
  assert.deepEqual(lines, ['devices=b', `devices of ${resource}`, 'read-only', 'device', 'no other']);
  assert.deepEqual([said('allocate b'), said('prestart b')], [1, 1]);
});

it('the pod resources API tells who has it', { timeout: 30_000 }, async () => {
  assert.deepEqual(await given(), ['one-node1/app: example.com/fake=b']);
  const { pod_resources: one } = await ask('Get', { pod_name: 'one-node1', pod_namespace: 'default' });
  assert.deepEqual(one.containers[0].devices[0].device_ids, ['b']);
  const { devices } = await ask('GetAllocatableResources');
  assert.deepEqual(devices.map((d) => `${d.resource_name}=${d.device_ids}`).sort(), [
    'example.com/fake=a',
    'example.com/fake=b',
  ]);
  await assert.rejects(ask('Get', { pod_name: 'nobody', pod_namespace: 'default' }), {
    details: 'pod nobody in namespace default not found',
  });
});

it('a pod that asks for more than is left is refused, and the first one stays', { timeout: 60_000 }, async () => {
  const before = idsOf((await node.pods()).get('one'));
  await node.drop('two', node.manifest('two', withDevices(2)));
  const two = await until(
    'it is refused',
    async () => {
      const found = (await node.pods()).get('two');
      return found?.status?.phase === 'Failed' && found;
    },
    { describe },
  );
  assert.equal(two.status.reason, 'UnexpectedAdmissionError');
  assert.match(
    two.status.message,
    /Allocate failed due to requested number of devices unavailable for example\.com\/fake\. Requested: 2, Available: 1, which is unexpected/,
  );
  await node.take('two');
  assert.equal(idsOf((await node.pods()).get('one')), before);
});

it('a device that fails is told in the pod’s status, by the containerManager channel', {
  timeout: 60_000,
}, async () => {
  await tell('unhealthy b');
  await devices('2', '1');
  const health = (value) =>
    until(
      `the status says ${value}`,
      async () => {
        const status = (await node.pods()).get('one')?.status?.containerStatuses?.[0]?.allocatedResourcesStatus;
        return (
          JSON.stringify(status) ===
          JSON.stringify([{ name: resource, resources: [{ resourceID: 'b', health: value }] }])
        );
      },
      { describe: async () => `${JSON.stringify((await node.pods()).get('one')?.status)}\n${describe()}` },
    );
  await health('Unhealthy');
  assert.match(node.kubelet.stderr, /SyncLoop \(containermanager\)/i);
  await tell('healthy b');
  await health('Healthy');
  await devices('2', '2');
});

it('a kubelet that is killed and comes back knows what it gave, and asks nobody again', {
  timeout: 90_000,
}, async () => {
  const ids = idsOf((await node.pods()).get('one'));
  await node.kubelet.kill('SIGKILL');
  await node.start('--serve-api=0', '--serve-api-kubeconfig', kubeconfig);
  await until('the plug-in is registered again', () => said('registered') === 2, { describe });
  await devices('2', '2');
  await node.ready(['one']);
  assert.equal(idsOf((await node.pods()).get('one')), ids);
  assert.deepEqual(await given(), ['one-node1/app: example.com/fake=b']);
  assert.equal(said('allocate b'), 1);
});

it('a plug-in that ends leaves its pods alone, and the node without devices until it is back', {
  timeout: 90_000,
}, async () => {
  const ids = idsOf((await node.pods()).get('one'));
  await plugin.kill('SIGKILL');
  await devices('2', '0');
  assert.equal(idsOf((await node.pods()).get('one')), ids);
  plugin = startPlugin('--resource', resource, '--devices', 'a,b');
  await devices('2', '2');
  // The other device is free, and the pod's owner reads the plug-in's own error.
  await tell('fail no power');
  await node.drop('three', node.manifest('three', withDevices(1)));
  const three = await until(
    'it is refused',
    async () => {
      const found = (await node.pods()).get('three');
      return found?.status?.phase === 'Failed' && found;
    },
    { describe },
  );
  assert.equal(three.status.reason, 'UnexpectedAdmissionError');
  assert.match(three.status.message, /rpc error: code = Unknown desc = no power/);
  await node.take('three');
  await tell('fail');
  await node.drop('four', node.manifest('four', withDevices(1)));
  await node.ready(['one', 'four']);
  assert.deepEqual(await given(), ['four-node1/app: example.com/fake=a', 'one-node1/app: example.com/fake=b']);
});

it('a plug-in with a registration socket of its own is found, told, and missed', { timeout: 60_000 }, async () => {
  const registry = join(node.work, 'root', 'plugins_registry');
  const made = startPlugin('--resource', other, '--devices', 'x', '--registry', registry);
  await made.says('that it is registered', /^registered$/m, { describe: () => `${made.stderr}\n${node.tail()}` });
  await devices('1', '1', other);
  // It removes its socket.
  await made.kill('SIGTERM');
  await devices('1', '0', other);
});

it('a pod of the API server has a device, and the next one is refused where none is left', {
  timeout: 60_000,
}, async () => {
  await node.take('four');
  await until('one is free', async () => (await given()).length === 1, { describe });
  const decided = async (name) => {
    const container = {
      ...{ name: 'app', image: node.image, imagePullPolicy: 'IfNotPresent', command: ['sh', '-c', node.waits] },
      resources: { limits: { [resource]: 1 } },
    };
    const spec = { terminationGracePeriodSeconds: 1, automountServiceAccountToken: false, containers: [container] };
    await api('/api/v1/namespaces/default/pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
    let pod;
    return await until(
      `${name} is decided`,
      async () => {
        pod = await api(`/api/v1/namespaces/default/pods/${name}`);
        return (isReady(pod) || pod.status.phase === 'Failed') && pod;
      },
      { describe: () => `${JSON.stringify(pod)}\n${describe()}` },
    );
  };
  const five = await decided('five');
  assert.equal(five.status.phase, 'Running');
  assert.equal(five.spec.containers[0].resources.requests[resource], '1');
  assert.deepEqual(five.status.containerStatuses[0].allocatedResourcesStatus, [
    { name: resource, resources: [{ resourceID: 'a', health: 'Healthy' }] },
  ]);
  const six = await decided('six');
  assert.equal(six.status.reason, 'UnexpectedAdmissionError');
  assert.match(six.status.message, /Requested: 1, Available: 0, which is unexpected$/);
});

it('what a plug-in puts into environments is in no recording and no log', { timeout: 30_000 }, async () => {
  await node.kubelet.kill('SIGTERM');
  const records = [...openRecording(bytesSource(await readFile(node.recording)))];
  assert.match(JSON.stringify(records), /FAKE_LICENCE/);
  const told = [...records.map((r) => JSON.stringify(r)), ...node.kubelet.stderr.split('\n')];
  const leaks = told.filter((text) => text.includes('Lic3nceOfThePlug1n'));
  assert.deepEqual(
    leaks.map((text) => text.slice(0, 600)),
    [],
  );
  // Its sockets are gone with it; those of the plug-ins and the checkpoint are not its to remove.
  assert.deepEqual((await readdir(folder())).sort(), ['fake.sock', 'kubelet_internal_checkpoint']);
  assert.deepEqual(await readdir(join(node.work, 'root', 'pod-resources')), []);
});
