/**
 * A stand-alone node for tests of survival: a real containerd, a `syncloop kubelet` that can be killed and come back.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LINK } from './links.mjs';
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
import { connect } from './session-client.mjs';

const run = promisify(execFile);

/** Lines of containerd's log that report a change by a caller. */
const mutations =
  /msg="(RunPodSandbox for|CreateContainer within sandbox|StartContainer for|StopContainer for|RemoveContainer for|StopPodSandbox for|RemovePodSandbox for|Stop container|ExecSync)/;

export class OwnNode {
  programs = [];
  starts = 0;

  /** The caller must call `destroy`, also when a test failed. `config`: more lines of the kubelet's configuration. */
  static async create(config = '') {
    const node = new OwnNode();
    try {
      const { busyboxImage, Containerd } = await built('conformance/containerd.js');
      ({ removeLogLinks: node.removeLogLinks } = await built('conformance/node-under-test.js'));
      node.image = busyboxImage;
      node.work = await mkdtemp(join(tmpdir(), 'syncloop-reliable-'));
      node.containerd = await Containerd.create();
      await makeManifestFolders(node.work);
      node.readOnly = await freePort();
      node.healthz = await freePort();
      await writeFile(
        join(node.work, 'config.yaml'),
        kubeletConfiguration(
          node.work,
          { ...manifestsFolder, port: await freePort(), readOnlyPort: node.readOnly, healthzPort: node.healthz },
          config,
        ),
      );
    } catch (err) {
      await node.destroy();
      throw err;
    }
    return node;
  }

  /** Starts a kubelet; resolves once it serves. Its recording is `recording`. */
  async start(...flags) {
    this.kubelet = this.launch(...flags);
    const { kubelet } = this;
    await until('the kubelet serves', () => this.healthy() || kubelet.over, {
      seconds: 60,
      describe: () => this.tail(),
    });
    if (kubelet.over) throw new Error(`the kubelet ended:\n${this.tail()}`);
    return kubelet;
  }

  /** Starts one, and does not wait for it. */
  launch(...flags) {
    this.recording = join(this.work, `recording-${++this.starts}.jsonl`);
    const kubelet = new Running(process.execPath, [
      program,
      ...kubeletArgs(this.work, this.containerd.endpoint, '-v', '4', '--ui-port', '0', '--allow-control'),
      ...(flags.includes('--record') ? [] : ['--record', this.recording]),
      ...flags,
    ]);
    void kubelet.exit.then(() => {
      kubelet.over = true;
    });
    this.programs.push(kubelet);
    this.kubelet = kubelet;
    return kubelet;
  }

  tail = () => this.kubelet?.stderr.slice(-3000) ?? '';

  async healthy() {
    return (
      (await fetch(`http://127.0.0.1:${this.healthz}/healthz`).then(
        (r) => r.text(),
        () => '',
      )) === 'ok'
    );
  }

  /** A debugger of it: a socket and the state that its records make. */
  async debugger(resume) {
    const [url] = await this.kubelet.says('the URL of the debugger', LINK);
    return await connect(url, resume);
  }

  manifest(name, { command = this.waits, grace = 1, more = '', spec = '', image = this.image } = {}) {
    return `apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  terminationGracePeriodSeconds: ${grace}
${spec}  containers:
  - name: app
    image: ${image}
    imagePullPolicy: IfNotPresent
    command: [sh, -c, ${JSON.stringify(command)}]
${more}`;
  }
  waits = waits;

  /** Puts a manifest into the folder that the kubelet watches. */
  async drop(name, text = this.manifest(name)) {
    await putManifest(this.work, `${name}.yaml`, text);
  }
  take = (name) => rm(join(this.work, 'manifests', `${name}.yaml`));

  /** The kubelet's pods by name, without the node's name at its end; empty while nobody serves. */
  async pods() {
    const response = await fetch(`http://127.0.0.1:${this.readOnly}/pods`).catch(() => null);
    // It answers 503 until there is a kubelet.
    if (!response?.ok) return new Map();
    const { items } = await response.json();
    return new Map((items ?? []).map((pod) => [pod.metadata.name.replace(/-node1$/, ''), pod]));
  }

  /** Waits until just these pods are there, and are ready. */
  async ready(names, seconds = 60) {
    await until(
      `${names.length} pods ready`,
      async () => {
        const pods = await this.pods();
        return pods.size === names.length && names.every((name) => isReady(pods.get(name)));
      },
      {
        seconds,
        describe: async () => `${JSON.stringify([...(await this.pods()).values()].map(brief))}\n${this.tail()}`,
      },
    );
    return await this.pods();
  }

  /**
   * The same, and until nothing else runs any more: a pod whose manifest went is not a pod of the list while it ends.
   */
  async settled(names) {
    const pods = await this.ready(names);
    await until('nothing else runs', async () => (await this.tasks()).length === 2 * names.length, {
      seconds: 60,
      describe: async () => `${JSON.stringify(await this.tasks())}\n${this.tail()}`,
    });
    return pods;
  }

  /** Waits until the runtime has no sandbox and no container. */
  async empty(seconds = 90) {
    await until(
      'an empty runtime',
      async () => (await this.containers()).length + (await this.sandboxes()).length === 0,
      { seconds, describe: async () => `${JSON.stringify(await this.containers())}\n${this.tail()}` },
    );
  }

  /** Takes all manifests away, and waits until nothing runs. */
  async clear(seconds = 60) {
    for (const file of await readdir(join(this.work, 'manifests'))) await rm(join(this.work, 'manifests', file));
    await until('nothing runs', async () => (await this.tasks()).length === 0 && (await this.pods()).size === 0, {
      seconds,
      describe: async () => `${JSON.stringify(await this.tasks())}\n${this.tail()}`,
    });
  }

  /** Processes that run in the runtime, sandboxes' and containers': {id, pid, status}. */
  async tasks() {
    return rows(await this.containerd.ctr('tasks', 'ls')).map(([id, pid, status]) => ({
      id,
      pid: Number(pid),
      status,
    }));
  }
  sandboxes = () => this.ofKind('sandbox');
  containers = () => this.ofKind('container');

  /** Returns the runtime's own objects, whoever made them: {id, pod, uid, name, attempt}. */
  async ofKind(kind) {
    const ids = (await this.containerd.ctr('containers', 'ls', '-q', `labels."io.cri-containerd.kind"==${kind}`)).split(
      '\n',
    );
    const found = [];
    for (const id of ids.filter(Boolean)) {
      // It may be gone by now.
      const info = await this.containerd.ctr('containers', 'info', id).catch(() => null);
      if (!info) continue;
      const { Labels: labels } = JSON.parse(info);
      found.push({
        id,
        pod: labels['io.kubernetes.pod.name'].replace(/-node1$/, ''),
        uid: labels['io.kubernetes.pod.uid'],
        name: labels['io.kubernetes.container.name'] ?? '',
      });
    }
    return found;
  }

  /** Reads containerd's own log, from position `from`. */
  async runtimeLog(from = 0) {
    return (await readFile(join(this.containerd.folder, 'containerd.log'), 'utf8')).slice(from);
  }
  /** Returns the changes that the runtime was asked for since `from`. */
  async mutationsSince(from) {
    return (await this.runtimeLog(from)).split('\n').filter((line) => mutations.test(line));
  }

  /** Addresses that the network plug-in has given out. */
  async addresses() {
    const names = await readdir(join(this.containerd.folder, 'ipam', 'syncloop')).catch(() => []);
    return names.filter((name) => /^\d/.test(name));
  }

  /** Returns each address in use, with its sandbox and the runtime's last line about that. */
  async addressesWithSandboxes() {
    const log = (await this.runtimeLog()).split('\n');
    const lines = [];
    for (const address of await this.addresses()) {
      const file = join(this.containerd.folder, 'ipam', 'syncloop', address);
      const [sandbox = ''] = (await readFile(file, 'utf8').catch(() => '')).split(/\s/);
      lines.push(`${address} of ${sandbox}`, ...log.filter((line) => sandbox && line.includes(sandbox)).slice(-12));
    }
    return lines.join('\n');
  }

  /** Runs `syncloop info` on a recording: exit code and output. */
  async info(file) {
    return await run(process.execPath, [program, 'info', '--kinds', file]).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    );
  }

  async destroy() {
    for (const program of this.programs) await program.kill('SIGKILL');
    await this.containerd?.destroy();
    if (this.work === undefined) return;
    await this.removeLogLinks(this.work);
    await rm(this.work, { recursive: true, force: true });
  }
}

const rows = (text) =>
  text
    .split('\n')
    .slice(1)
    .filter(Boolean)
    .map((line) => line.trim().split(/\s+/));

export const isReady = (pod) =>
  pod?.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false;

/** Ids of a pod's containers, and how often they were restarted. */
export const idsOf = (pod) =>
  (pod?.status?.containerStatuses ?? []).map((c) => `${c.name} ${c.containerID} ${c.restartCount}`).join();

const brief = (pod) => `${pod.metadata.name} ${pod.status?.phase} ready=${isReady(pod)} ${idsOf(pod)}`;
