/** A node of the mock runtime: `syncloop serve-mock`, and a `syncloop kubelet` on it that can end and come back. Needs no rights. */
import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort, Running, until } from './programs.mjs';

const agent = new URL('../', import.meta.url);
export const program = fileURLToPath(new URL('bin/syncloop.mjs', agent));

export class MockNode {
  running = [];

  /** The caller must call `destroy`, also when a test failed. `config`: more lines of the kubelet's configuration. */
  static async create(config = '') {
    const node = new MockNode();
    await access(new URL('dist/main.js', agent)).catch(() => {
      throw new Error('the agent is not built: run "npm run build" first');
    });
    node.work = await mkdtemp(join(tmpdir(), 'syncloop-mock-'));
    for (const folder of ['manifests', 'new']) await mkdir(join(node.work, folder));
    node.endpoint = `unix://${node.work}/cri.sock`;
    node.healthz = await freePort();
    node.readOnly = await freePort();
    node.runtime = node.run(process.execPath, [program, 'serve-mock', '--endpoint', node.endpoint]);
    await node.runtime.says('the mock runtime', /mock runtime at/);
    await writeFile(
      join(node.work, 'config.yaml'),
      `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodPath: manifests
fileCheckFrequency: 1s
address: 127.0.0.1
port: ${await freePort()}
readOnlyPort: ${node.readOnly}
healthzPort: ${node.healthz}
podLogsDir: ${node.work}/logs
cgroupsPerQOS: false
enforceNodeAllocatable: []
failCgroupV1: false
${config}`,
    );
    return node;
  }

  run(command, args) {
    const made = new Running(command, args);
    void made.exit.then(() => {
      made.over = true;
    });
    this.running.push(made);
    return made;
  }

  /** Starts a kubelet; resolves once it is healthy. `before`: options of node itself. */
  async start({ flags = [], before = [] } = {}) {
    this.kubelet = this.run(process.execPath, [
      ...[...before, program, 'kubelet', '--config', join(this.work, 'config.yaml')],
      ...['--container-runtime-endpoint', this.endpoint, '--root-dir', join(this.work, 'root')],
      ...['--hostname-override', 'node1', '-v', '4', '--no-ui', ...flags],
    ]);
    const { kubelet } = this;
    await until('the kubelet is healthy', async () => kubelet.over || (await this.healthy()), {
      seconds: 30,
      describe: () => this.tail(),
    });
    if (kubelet.over) throw new Error(`the kubelet ended:\n${this.tail()}`);
    return kubelet;
  }

  tail = () => this.kubelet?.stderr.slice(-3000) ?? '';

  healthy = () =>
    fetch(`http://127.0.0.1:${this.healthz}/healthz`).then(
      async (response) => (await response.text()) === 'ok',
      () => false,
    );

  /** Names of the kubelet's pods that are ready, without the node's name at their end, in order. */
  async ready() {
    const response = await fetch(`http://127.0.0.1:${this.readOnly}/pods`).catch(() => null);
    if (!response?.ok) return [];
    const { items } = await response.json();
    const isReady = ({ status }) => status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True');
    return (items ?? [])
      .filter(isReady)
      .map(({ metadata }) => metadata.name.replace(/-node1$/, ''))
      .sort();
  }

  /** Puts a manifest there as a tool does: written elsewhere, then renamed. */
  async drop(name) {
    const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: podSpec() };
    await writeFile(join(this.work, 'new', `${name}.json`), JSON.stringify(manifest));
    await rename(join(this.work, 'new', `${name}.json`), join(this.work, 'manifests', `${name}.json`));
  }

  /** What `syncloop info` says of a recording. */
  info = (file) => promisify(execFile)(process.execPath, [program, 'info', file]);

  /** Records of a recording, as they come out of `syncloop export`. */
  async records(file) {
    const out = join(this.work, `records-${this.running.length}.ndjson`);
    await promisify(execFile)(process.execPath, [program, 'export', file, '--format', 'ndjson', '-o', out]);
    return (await readFile(out, 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  async destroy() {
    for (const one of this.running) await one.kill('SIGKILL');
    await rm(this.work, { recursive: true, force: true });
  }
}

/** Of a pod that waits until it is told to end. */
export const podSpec = () => ({
  terminationGracePeriodSeconds: 1,
  automountServiceAccountToken: false,
  containers: [
    {
      name: 'app',
      image: 'localhost/busybox:dev',
      imagePullPolicy: 'IfNotPresent',
      command: ['sh', '-c', "trap 'exit 0' TERM; while :; do sleep 1000 & wait $!; done"],
    },
  ],
});
