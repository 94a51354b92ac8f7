/**
 * A node of the mock runtime: `syncloop serve-mock`, and a `syncloop kubelet` on it that can end and come back. Needs
 * no rights.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  built,
  kubeletArgs,
  kubeletConfiguration,
  makeManifestFolders,
  manifestsFolder,
  program,
  putManifest,
  waits,
} from './node-files.mjs';
import { freePort, Running, until } from './programs.mjs';

export class MockNode {
  running = [];

  /** The caller must call `destroy`, also when a test failed. `config`: more lines of the kubelet's configuration. */
  static async create(config = '') {
    const node = new MockNode();
    await built('base/version.js');
    node.work = await mkdtemp(join(tmpdir(), 'syncloop-mock-'));
    await makeManifestFolders(node.work);
    node.endpoint = `unix://${node.work}/cri.sock`;
    node.healthz = await freePort();
    node.readOnly = await freePort();
    node.runtime = node.run(process.execPath, [program, 'serve-mock', '--endpoint', node.endpoint]);
    await node.runtime.says('the mock runtime', /mock runtime at/);
    await writeFile(
      join(node.work, 'config.yaml'),
      kubeletConfiguration(
        node.work,
        { ...manifestsFolder, port: await freePort(), readOnlyPort: node.readOnly, healthzPort: node.healthz },
        config,
      ),
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
      ...[...before, program],
      ...kubeletArgs(this.work, this.endpoint, '-v', '4', '--no-ui', ...flags),
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

  /** Puts the manifest of a pod into the folder that the kubelet watches. */
  async drop(name) {
    const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: podSpec() };
    await putManifest(this.work, `${name}.json`, JSON.stringify(manifest));
  }

  /** Runs `syncloop info` on a recording. */
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

/** Returns the spec of a pod that waits until it is asked to end. */
export const podSpec = () => ({
  terminationGracePeriodSeconds: 1,
  automountServiceAccountToken: false,
  containers: [
    {
      name: 'app',
      image: 'localhost/busybox:dev',
      imagePullPolicy: 'IfNotPresent',
      command: ['sh', '-c', waits],
    },
  ],
});
