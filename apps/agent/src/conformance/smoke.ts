/**
 * The program itself on a real containerd: `syncloop kubelet` as a process of its own, seen from outside. Slower and
 * coarser than a replay; it covers what a replay does not: flags, ports, the lock, signals, all output of the process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Check } from '@syncloop/core/conformance/compare';
import { busyboxImage, Containerd } from './containerd.js';
import { removeLogLinks } from './node-under-test.js';
import { program } from './places.js';

const secret = 'canary-5e1f0c';

/** A kubelet process and its output. */
class Program {
  stderr = '';
  readonly exit: Promise<number | null>;
  private readonly child: ChildProcess;

  constructor(args: readonly string[]) {
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.exit = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  }

  kill(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.exit;
  }
}

/** All checks, in order. */
export async function smoke(): Promise<Check[]> {
  const checks: Check[] = [];
  const check = (name: string, ok: boolean, detail = '') => checks.push({ name, ok, detail: ok ? '' : detail });
  const containerd = await Containerd.create();
  const work = await mkdtemp(join(tmpdir(), 'syncloop-smoke-'));
  const running: Program[] = [];
  try {
    await mkdir(join(work, 'manifests'));
    const [healthz, readOnly] = [await freePort(), await freePort()];
    await writeFile(join(work, 'config.yaml'), configuration(work, healthz, readOnly, await freePort()));
    const args = (root: string) => [
      'kubelet',
      ...['--config', join(work, 'config.yaml'), `--container-runtime-endpoint=${containerd.endpoint}`],
      ...['--root-dir', join(work, root), '--hostname-override', 'node1', '-v=4', '--ui-port=0'],
      ...['--cloud-provider=external', '--record', join(work, `${root}.jsonl`)],
    ];
    const start = (root: string) => {
      const made = new Program(args(root));
      running.push(made);
      return made;
    };
    const get = async (port: number, path: string) => {
      try {
        const response = await fetch(`http://127.0.0.1:${port}${path}`);
        return { status: response.status, body: await response.text() };
      } catch {
        return { status: 0, body: '' };
      }
    };
    const pods = async () => {
      const { status, body } = await get(readOnly, '/pods');
      return status === 200 ? (JSON.parse(body) as { items: PodItem[] }).items : [];
    };

    const first = start('root');
    check('/healthz is ok', await until(15, async () => (await get(healthz, '/healthz')).body === 'ok'), first.stderr);
    await writeFile(join(work, 'web.yaml'), manifest);
    await rename(join(work, 'web.yaml'), join(work, 'manifests/web.yaml'));
    const runs = async () =>
      (await pods()).some((p) => p.metadata.name === 'web-node1' && p.status.phase === 'Running');
    check('a manifest becomes a running pod', await until(20, runs), first.stderr.slice(-2000));
    const ids = containerIds(await pods());
    let metrics = '';
    // Counted with each relist of all pods.
    await until(5, async () => {
      metrics = (await get(readOnly, '/metrics')).body;
      return metrics.includes('\nkubelet_running_pods 1\n');
    });
    for (const line of ['kubelet_running_pods 1', 'kubelet_running_containers{container_state="running"} 1']) {
      check(`/metrics has ${line}`, metrics.split('\n').includes(line), metrics.slice(0, 500));
    }
    for (const path of ['/pods', '/stats/summary']) {
      const { status, body } = await get(readOnly, path);
      check(`${path} is JSON`, status === 200 && body.startsWith('{'), `${status} ${body.slice(0, 200)}`);
    }
    check(
      'the log is klog text',
      /^I\d{4} [\d:.]+ +\d+ kubelet\.go:\d+\] "SyncLoop ADD" source="file" pods=\["default\/web-node1"\]$/m.test(
        first.stderr,
      ),
      first.stderr.slice(0, 2000),
    );
    check(
      'fields and flags without effect are named',
      /field failSwapOn/.test(first.stderr) && /flag --cloud-provider/.test(first.stderr),
      first.stderr.slice(0, 500),
    );
    check(
      'the link to the debugger has a code',
      /http:\/\/127\.\d+\.\d+\.\d+:\d+\/#code=[\w-]{46}\n/.test(first.stderr),
      first.stderr.slice(0, 2000),
    );

    const second = start('root');
    check(
      'a second kubelet on the same root directory is refused',
      (await second.exit) === 1 && /runs already on/.test(second.stderr),
      second.stderr,
    );
    const stranger = start('other');
    check(
      'a kubelet that does not know the pods is refused',
      (await stranger.exit) === 1 && /--adopt-pods/.test(stranger.stderr),
      stranger.stderr,
    );

    check('SIGTERM ends it with 0', (await first.kill('SIGTERM')) === 0, first.stderr.slice(-500));
    check('containers go on without it', /RUNNING/.test(await containerd.ctr('tasks', 'ls')));
    const again = start('root');
    check('the next one finds the pod', await until(20, runs), again.stderr.slice(-2000));
    await delay(2000);
    check('and restarts nothing', containerIds(await pods()) === ids, `${ids} became ${containerIds(await pods())}`);
    await again.kill('SIGKILL');
    const last = start('root');
    check('so does one after a kill -9', await until(20, runs), last.stderr.slice(-2000));
    await rm(join(work, 'manifests/web.yaml'));
    const gone = async () => (await pods()).length === 0 && !/RUNNING/.test(await containerd.ctr('tasks', 'ls'));
    check('without its manifest the pod ends', await until(20, gone), last.stderr.slice(-2000));
    await last.kill('SIGINT');
    const recording = await readFile(join(work, 'root.jsonl'), 'utf8');
    check('a recording was written', recording.includes('{"format":"syncloop-recording"'), recording.slice(0, 200));
    const leaks = [recording, ...running.map((p) => p.stderr)].filter((text) => text.includes(secret)).length;
    check('no secret left the process', leaks === 0, `${leaks} texts have it`);
  } finally {
    for (const one of running) await one.kill('SIGKILL');
    await containerd.destroy();
    await removeLogLinks(work);
    await rm(work, { recursive: true, force: true });
  }
  return checks;
}

interface PodItem {
  metadata: { name: string };
  status: { phase?: string; containerStatuses?: { containerID?: string; restartCount: number }[] };
}

const containerIds = (pods: readonly PodItem[]) =>
  pods.flatMap((p) => (p.status.containerStatuses ?? []).map((c) => `${c.containerID} ${c.restartCount}`)).join();

async function until(seconds: number, holds: () => Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await delay(200))
    if (await holds()) return true;
  return false;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const configuration = (
  work: string,
  healthz: number,
  readOnly: number,
  port: number,
) => `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodPath: manifests
fileCheckFrequency: 1s
address: 127.0.0.1
port: ${port}
readOnlyPort: ${readOnly}
healthzPort: ${healthz}
podLogsDir: ${work}/logs
cgroupsPerQOS: false
failCgroupV1: false
failSwapOn: false
`;

const manifest = `apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  terminationGracePeriodSeconds: 2
  containers:
  - name: app
    image: ${busyboxImage}
    imagePullPolicy: IfNotPresent
    command: [sh, -c, "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    env: [{name: SECRET, value: ${secret}}]
`;
