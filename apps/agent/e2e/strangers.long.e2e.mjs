/**
 * A node that others use, too: pods that somebody made by plain CRI calls go through a kubelet's whole life unharmed,
 * and secrets of our own pods get into nothing that leaves the process. On a real containerd; needs root.
 */
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { background, Kernel } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import { bytesSource, openRecording } from '@syncloop/core/trace';
import { OwnNode } from './own-node.mjs';
import { until } from './programs.mjs';

const { connectRuntime } = await import(new URL('../dist/cri/client.js', import.meta.url).href);

const canary = 'Cnry7q3ZxRealNode';

let node;
let cri;
const kernel = new Kernel({ clock: new RealClock() });
const driver = new RealDriver(kernel);
/** A call to the runtime that no kubelet knows of. */
const go = (body) =>
  new Promise((resolve, reject) => {
    kernel.post(() =>
      kernel.go('stranger', function* () {
        try {
          resolve(yield* body());
        } catch (err) {
          reject(err);
        }
      }),
    );
  });

/** A pod with one container, as any user of the CRI makes it. `command` null: the sandbox alone, stopped again. */
async function stranger(name, command) {
  const config = {
    metadata: { name, namespace: 'strangers', uid: `uid-of-${name}`, attempt: 0 },
    logDirectory: join(node.work, 'logs', `strangers_${name}_uid-of-${name}`),
    linux: { cgroupParent: '' },
  };
  return await go(function* () {
    const { podSandboxId } = yield* cri.runtime.runPodSandbox(background, { config });
    if (command === null) {
      yield* cri.runtime.stopPodSandbox(background, { podSandboxId });
      return [podSandboxId];
    }
    const { containerId } = yield* cri.runtime.createContainer(background, {
      podSandboxId,
      config: {
        metadata: { name: 'c' },
        image: { image: node.image },
        command: ['sh', '-c', command],
        logPath: 'c.log',
      },
      sandboxConfig: config,
    });
    yield* cri.runtime.startContainer(background, { containerId });
    return [podSandboxId, containerId];
  });
}

/** All that there is, by id: state. */
async function everything() {
  return await go(function* () {
    const { items = [] } = yield* cri.runtime.listPodSandbox(background, {});
    const { containers = [] } = yield* cri.runtime.listContainers(background, {});
    return new Map([...items, ...containers].map((x) => [x.id, x.state]));
  });
}

let theirs;
before(
  async () => {
    node = await OwnNode.create();
    driver.start();
    cri = await connectRuntime(node.containerd.endpoint);
    const running = await stranger('running', 'while :; do sleep 1000; done');
    const ended = await stranger('ended', 'exit 1');
    const stopped = await stranger('stopped', null);
    await until(
      'a container of theirs has ended',
      async () => (await everything()).get(ended[1]) === 'CONTAINER_EXITED',
    );
    theirs = new Map();
    const all = await everything();
    for (const id of [running, ended, stopped].flat()) theirs.set(id, all.get(id));
  },
  { timeout: 60_000 },
);
after(async () => {
  await node?.destroy();
  cri?.close();
  driver.stop();
});

/** Returns the changes of others' pods. */
async function harm() {
  const now = await everything();
  return [...theirs]
    .filter(([id, state]) => now.get(id) !== state)
    .map(([id, state]) => `${id}: ${state} became ${now.get(id)}`);
}

it('does not start beside pods of others unless it is told to', async () => {
  const kubelet = node.launch();
  assert.equal(await kubelet.exit, 1);
  assert.match(
    kubelet.stderr,
    /runs pods that were not started from .*: strangers\/(running|ended).*--share-node.*--adopt-pods/s,
  );
  assert.deepEqual(await harm(), []);
});

it('leaves them alone all its life: start, garbage collection, its own pods, kill, restart', async () => {
  await node.start('--share-node');
  await node.drop('mine');
  await node.ready(['mine']);
  await until('garbage was collected', () => /Container garbage collection succeeded/.test(node.kubelet.stderr));
  assert.deepEqual(await harm(), []);
  assert.equal((await everything()).size, theirs.size + 2);
  await node.kubelet.kill('SIGKILL');
  await node.start('--share-node');
  await node.take('mine');
  const ready = async () =>
    [...(await everything())]
      .filter(([id]) => !theirs.has(id))
      .filter(([, state]) => /READY|RUNNING/.test(state) && !/NOT/.test(state));
  await until('our pod has ended', async () => (await ready()).length === 0, {
    seconds: 30,
    describe: () => node.tail(),
  });
  // Garbage is collected at the start, then once a minute; a busy machine may need another round.
  await node.kubelet.kill();
  await node.start('--share-node');
  await until('our pod is gone', async () => (await everything()).size === theirs.size, {
    seconds: 200,
    describe: () => node.tail(),
  });
  assert.deepEqual(await harm(), []);
  for (const id of theirs.keys()) assert.ok(!node.kubelet.stderr.includes(id), `the log knows of ${id}`);
  for (const name of ['running', 'ended']) await stat(join(node.work, 'logs', `strangers_${name}_uid-of-${name}`));
  await node.kubelet.kill();
  assert.equal((await stat(join(node.work, 'root/syncloop-ownership'))).mode & 0o777, 0o600);
});

it('lets no secret out: recording, log, metrics, /configz; what commands print is in the log alone', async () => {
  const printed = 'prntd7Qx4Zz';
  // Of commands that print it without having it in themselves.
  const halves = `${printed.slice(0, 5)}''${printed.slice(5)}`;
  const recording = join(node.work, 'canary');
  await node.start('--share-node', '-v', '10', '--record', recording);
  await node.drop(
    'secrets',
    `apiVersion: v1
kind: Pod
metadata:
  name: secrets
  annotations: {kubectl.kubernetes.io/last-applied-configuration: '{"password":"${canary}"}'}
spec:
  terminationGracePeriodSeconds: 1
  containers:
  - name: app
    image: ${node.image}
    imagePullPolicy: IfNotPresent
    command: [sh, -c, "echo ${halves}; echo ${halves} >&2; sleep 2; echo ${halves} >/dev/termination-log; exit 3", "--password=$(PASSWORD)"]
    env: [{name: PASSWORD, value: ${canary}}]
    readinessProbe: {exec: {command: [sh, -c, "echo ${halves}; false"]}, periodSeconds: 1}
    lifecycle: {postStart: {exec: {command: [sh, -c, "echo ${halves}; true"]}}}
`,
  );
  await until(
    'its container has ended twice',
    () => /back-off 10s restarting failed container/i.test(node.kubelet.stderr),
    {
      seconds: 40,
      describe: () => node.tail(),
    },
  );
  const page = async (path) => (await fetch(`http://127.0.0.1:${node.readOnly}${path}`)).text();
  const metrics = await page('/metrics');
  assert.match(metrics, /kubelet_running_pods/);
  await node.kubelet.kill();
  assert.equal((await stat(recording)).mode & 0o777, 0o600);
  const records = [...openRecording(bytesSource(await readFile(recording)))].map((r) => JSON.stringify(r));
  const base64 = Buffer.from(canary).toString('base64').replace(/=*$/, '');
  const log = node.kubelet.stderr.split('\n');
  for (const [what, texts] of Object.entries({ records, log, metrics: [metrics] })) {
    const secrets = what === 'log' ? [canary, base64] : [canary, base64, printed];
    const found = texts.filter((text) => secrets.some((secret) => text.includes(secret)));
    assert.deepEqual(
      found.map((text) => text.slice(0, 600)),
      [],
      what,
    );
  }
  assert.ok(log.some((line) => line.includes(`Readiness probe failed: ${printed}`)));
  // It was there to be seen.
  assert.ok(records.some((r) => r.includes('"PASSWORD"') && r.includes('[REDACTED]')));
  assert.ok(records.some((r) => r.includes('"kind":"probe"') && r.includes('[REDACTED]')));
});
