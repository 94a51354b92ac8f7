/**
 * `syncloop kubelet` on `syncloop serve-mock`, with an API server of its own: two processes, a folder of their own, and
 * nothing of this machine but ports of loopback. The kubelet has a child, its debugger: that one may end in a flood, as
 * long as it comes back at the same URL while the kubelet goes on.
 */
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { tokenOf } from '../../apps/agent/e2e/links.mjs';
import { kubeletArgs, kubeletConfiguration, manifestsFolder } from '../../apps/agent/e2e/node-files.mjs';
import { freePort, until } from '../../apps/agent/e2e/programs.mjs';
import { Subject, Watch } from '../process.mjs';

const budgets = { heapMB: 256, rssMB: 500, lateMs: 3000 };

export const podOf = (name) => `apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - {name: app, image: "localhost/busybox:dev", imagePullPolicy: IfNotPresent, command: [sh, -c, "sleep 1000000"]}
`;

async function start({ alarm, budgets }) {
  const work = await mkdtemp(join(tmpdir(), 'syncloop-attack-'));
  const subjects = [];
  const running = { work, manifests: join(work, 'manifests'), ports: {}, tokens: {}, subjects, debuggerEnds: [] };
  const clear = async () => {
    for (const subject of subjects) await subject.kill();
    await removeLogLinks(work);
    await rm(work, { recursive: true, force: true });
  };
  try {
    await mkdir(running.manifests);
    const endpoint = `unix://${work}/mock.sock`;
    const mock = new Subject('runtime', ['serve-mock', '--endpoint', endpoint], {
      heapMB: budgets.heapMB,
      onAlarm: alarm,
    });
    subjects.push(mock);
    await mock.says(/mock runtime at/);
    Object.assign(running.ports, { main: await freePort(), readOnly: await freePort(), healthz: await freePort() });
    await writeFile(
      join(work, 'config.yaml'),
      kubeletConfiguration(work, {
        ...manifestsFolder,
        port: running.ports.main,
        readOnlyPort: running.ports.readOnly,
        healthzPort: running.ports.healthz,
      }),
    );
    await writeFile(join(running.manifests, 'sentinel.yaml'), podOf('sentinel'));
    const kubelet = new Subject(
      'kubelet',
      [
        ...kubeletArgs(work, endpoint, '--node-ip=192.0.2.1', '-v', '1'),
        ...['--ui-port=0', '--allow-control', '--serve-api=0', '--share-node'],
        ...['--serve-api-kubeconfig', join(work, 'kubeconfig')],
      ],
      { heapMB: budgets.heapMB, onAlarm: alarm },
    );
    const seen = { text: '' };
    kubelet.child.stderr.on('data', (text) => {
      // A line may come in two parts.
      const lines = (seen.text + text).split('\n');
      seen.text = lines.pop();
      for (const line of lines) {
        const why = /^syncloop: warning: the debugger's process ended: (.*?); the kubelet goes on/.exec(line)?.[1];
        if (why) running.debuggerEnds.push(why);
      }
    });
    // The kubelet comes first: its answers are waited for.
    subjects.unshift(kubelet);
    const [, link, port] = await kubelet.says(/may pause this kubelet, at (http:\/\/127\.[\d.]+:(\d+)\/#code=\S+)/);
    const [, look] = await kubelet.says(/read-only, for others: (\S+#code=\S+)/);
    running.ports.session = Number(port);
    running.tokens = { control: tokenOf(link), look: tokenOf(look) };
    await until('a kubeconfig', async () => {
      const text = await readFile(join(work, 'kubeconfig'), 'utf8').catch(() => '');
      running.ports.api = Number(/"server": "https:\/\/127\.0\.0\.1:(\d+)"/.exec(text)?.[1]);
      running.tokens.api = /"token": "([^"]+)"/.exec(text)?.[1];
      return running.tokens.api;
    });
    await until('the first pod runs', () => hasPod(running, 'sentinel'), {
      describe: () => kubelet.output.slice(-2000),
    });
  } catch (error) {
    await clear();
    throw error;
  }
  running.watch = new Watch(subjects, {
    ...budgets,
    health: { url: `http://127.0.0.1:${running.ports.healthz}/healthz` },
  });
  running.ready = () => debuggerServes(running);
  running.settle = async () => {
    await stillWorks(running);
    await debuggerServes(running);
  };
  running.stop = async () => {
    await running.watch.close();
    await clear();
  };
  return running;
}

/** Returns whether the kubelet knows the pod, and with which status. */
export async function hasPod({ ports }, name) {
  const answer = await fetch(`http://127.0.0.1:${ports.readOnly}/pods`).catch(() => null);
  if (!answer?.ok) return false;
  const { items } = await answer.json();
  return (items ?? []).some((pod) => pod.metadata.name === `${name}-node1` && pod.status?.phase === 'Running');
}

/** Throws if a pod that is put there does not run: a healthy `/healthz` alone says little. */
async function stillWorks(running) {
  const name = `after-${Date.now() % 1e6}`;
  await writeFile(join(running.manifests, `${name}.yaml`), podOf(name));
  for (const end = performance.now() + 15_000; performance.now() < end; ) {
    if (running.watch.violation) return;
    if (await hasPod(running, name)) {
      return;
    }
    await delay(200);
  }
  running.watch.violate({ kind: 'stuck', process: 'kubelet', what: 'a new static pod does not run within 15 s' });
}

/**
 * Resolves when the debugger's port takes connections. After an end it is back within a minute, because each wait is
 * twice the one before.
 */
async function debuggerServes(running) {
  for (const end = performance.now() + 75_000; performance.now() < end; ) {
    if (running.watch.violation || (await takesConnections(running.ports.session))) return;
    await delay(200);
  }
  running.watch.violate({ kind: 'stuck', process: 'kubelet', what: 'its debugger does not come back within 75 s' });
}

const takesConnections = (port) =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** The kubelet's links to logs are not in its own folder. */
export async function removeLogLinks(work) {
  for (const folder of ['/var/log/containers', '/var/log/pods'])
    for (const name of await readdir(folder).catch(() => []))
      if ((await readlink(join(folder, name)).catch(() => '')).startsWith(work)) await rm(join(folder, name));
}

export const kubelet = { name: 'kubelet', lanes: 4, budgets, start, hasDebugger: true };
