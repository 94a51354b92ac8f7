/**
 * A node of our own for tests: a real containerd, `syncloop kubelet` as a child process, and a folder for its static
 * pods.
 */
import { spawn } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LINK } from '../../agent/e2e/links.mjs';
import { freePort, until } from '../../agent/e2e/programs.mjs';

const AGENT = new URL('../../agent/', import.meta.url);
const PROGRAM = fileURLToPath(new URL('bin/syncloop.mjs', AGENT));

/** `syncloop kubelet` as a process of its own, and its output. */
class Program {
  stderr = '';
  constructor(args) {
    this.child = spawn(process.execPath, [PROGRAM, 'kubelet', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.child.stderr.setEncoding('utf8').on('data', (text) => {
      this.stderr += text;
    });
    this.exit = new Promise((resolve) => this.child.once('exit', (code, signal) => resolve(code ?? signal)));
    void this.exit.then((how) => {
      this.ended = how;
    });
  }
  /** The URL that it prints for the browser. */
  url() {
    const look = () => {
      if (this.ended !== undefined)
        throw new Error(`the kubelet ended with ${this.ended}:\n${this.stderr.slice(-2000)}`);
      return LINK.exec(this.stderr)?.[0];
    };
    return until('the URL of the debugger', look, { describe: () => this.stderr.slice(-2000) });
  }
  kill(signal) {
    this.child.kill(signal);
    return this.exit;
  }
}

export class LiveNode {
  programs = [];

  /** Starts containerd. The caller must call `destroy`, also when a test failed. */
  static async create() {
    const node = new LiveNode();
    try {
      await node.prepare();
    } catch (err) {
      await node.destroy();
      throw err;
    }
    return node;
  }

  async prepare() {
    await access(new URL('dist/conformance/containerd.js', AGENT)).catch(() => {
      throw new Error('the agent is not built: run "npm run build" first');
    });
    const { busyboxImage, Containerd } = await import(new URL('dist/conformance/containerd.js', AGENT).href);
    const { removeLogLinks } = await import(new URL('dist/conformance/node-under-test.js', AGENT).href);
    this.image = busyboxImage;
    this.removeLogLinks = removeLogLinks;
    this.work = await mkdtemp(join(tmpdir(), 'syncloop-live-'));
    this.containerd = await Containerd.create();
    this.healthz = await freePort();
    this.readOnly = await freePort();
    await mkdir(join(this.work, 'manifests'));
    await writeFile(
      join(this.work, 'config.yaml'),
      `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodPath: manifests
fileCheckFrequency: 20s
address: 127.0.0.1
port: ${await freePort()}
readOnlyPort: ${this.readOnly}
healthzPort: ${this.healthz}
podLogsDir: ${this.work}/logs
cgroupsPerQOS: false
failCgroupV1: false
`,
    );
  }

  /** Starts a kubelet. */
  kubelet(...flags) {
    const program = new Program([
      ...['--config', join(this.work, 'config.yaml'), '--container-runtime-endpoint', this.containerd.endpoint],
      ...['--root-dir', join(this.work, 'root'), '--hostname-override', 'node1', '-v', '4', '--ui-port', '0', ...flags],
    ]);
    this.programs.push(program);
    return program;
  }

  /** Puts a manifest into the folder as an editor or a tool does: written elsewhere, then renamed. */
  async drop(name, text) {
    await writeFile(join(this.work, name), text);
    await rename(join(this.work, name), join(this.work, 'manifests', name));
  }

  /** Takes a manifest away. */
  take(name) {
    return rm(join(this.work, 'manifests', name));
  }

  /** A file that a container wrote into the folder `name`, '' before there is one. */
  read(...path) {
    return readFile(join(this.work, ...path), 'utf8').catch(() => '');
  }

  /** `ctr -n k8s.io tasks ls`: id, pid and status of each. */
  async tasks() {
    const text = await this.containerd.ctr('tasks', 'ls');
    return text
      .split('\n')
      .slice(1)
      .filter(Boolean)
      .map((line) => line.trim().split(/\s+/))
      .map(([id, pid, status]) => ({ id, pid: Number(pid), status }));
  }

  /** A pod's containers as `crictl ps -a` would name them: from containerd's labels. */
  async containers(pod) {
    const text = await this.containerd.ctr(
      'containers',
      'ls',
      '-q',
      `labels."io.kubernetes.pod.name"==${pod},labels."io.cri-containerd.kind"==container`,
    );
    return text.split('\n').filter(Boolean);
  }

  async get(path) {
    const response = await fetch(`http://127.0.0.1:${this.readOnly}${path}`);
    return { status: response.status, body: await response.text() };
  }

  async destroy() {
    for (const program of this.programs) await program.kill('SIGKILL');
    await this.containerd?.destroy();
    if (this.work === undefined) return;
    // Links to the pods' logs in /var/log/containers.
    await this.removeLogLinks(this.work);
    await rm(this.work, { recursive: true, force: true });
  }
}
