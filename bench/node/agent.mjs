/** `syncloop kubelet` as a process, in a folder of its own, as B1 wants it. */
import { fork } from 'node:child_process';
import { mkdir, mkdtemp, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../apps/agent/e2e/programs.mjs';

const program = fileURLToPath(new URL('../../apps/agent/bin/syncloop.mjs', import.meta.url));
const probe = new URL('./probe.mjs', import.meta.url).href;
export const nodeName = 'node1';

/** Calls that come by the clock: the lists, and the runtime's version and status. */
const polling = /^(list_.*|version|status|image_fs_info)$/;

/** Node's flags for profiles of the kubelet's process in the folder of SYNCLOOP_BENCH_PROFILES, if it is set. */
function profiled() {
  const folder = process.env.SYNCLOOP_BENCH_PROFILES;
  return folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [];
}

export class Agent {
  /**
   * `config`: more lines of its configuration; `flags`: more flags; `execArgv`: more of Node's own; `ui` false: no
   * debugger.
   */
  static async start({ endpoint, ...options }) {
    const agent = new Agent();
    agent.options = { endpoint, flags: [], config: '', verbosity: 2, execArgv: [], ui: true, ...options };
    agent.work = await mkdtemp(join(tmpdir(), 'syncloop-bench-'));
    try {
      await agent.prepare();
      await agent.launch();
    } catch (err) {
      await agent.stop();
      throw err;
    }
    return agent;
  }

  async prepare() {
    const { work } = this;
    for (const folder of ['manifests', 'new', 'logs']) await mkdir(join(work, folder));
    this.port = await freePort();
    // Verbosity and the rest as the peer had them.
    await writeFile(
      join(work, 'config.yaml'),
      `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodPath: manifests
address: 127.0.0.1
port: ${await freePort()}
readOnlyPort: ${this.port}
healthzPort: 0
podLogsDir: ${work}/logs
cgroupsPerQOS: false
failCgroupV1: false
${this.options.config}`,
    );
  }

  /**
   * Starts the process, for the first time or once more on the same folder; `settle`: ms that its first relists take.
   */
  async launch({ settle = 2500 } = {}) {
    const { work, options } = this;
    const log = await open(join(work, 'klog.txt'), 'a');
    const { NODE_OPTIONS: _, ...env } = process.env;
    this.launched = now();
    this.child = fork(
      program,
      [
        'kubelet',
        ...['--config', join(work, 'config.yaml'), `--container-runtime-endpoint=${options.endpoint}`],
        ...['--root-dir', join(work, 'root'), '--hostname-override', nodeName, '--node-ip=192.0.2.1'],
        ...[`-v=${options.verbosity}`, options.ui ? '--ui-port=0' : '--no-ui', ...options.flags],
      ],
      {
        execArgv: ['--import', probe, ...profiled(), ...options.execArgv],
        env,
        stdio: ['ignore', 'ignore', log.fd, 'ipc'],
      },
    );
    await log.close();
    this.exited = new Promise((resolve) => this.child.once('exit', resolve));
    this.over = false;
    void this.exited.then(() => {
      this.over = true;
    });
    for (let tries = 0; ; tries++) {
      if (this.over || tries > 1000) throw new Error(`the agent did not start; its log ends:\n${await this.logEnd()}`);
      if (
        await this.counts().then(
          () => true,
          () => false,
        )
      )
        break;
      await delay(20);
    }
    await delay(settle);
  }

  /** Ends it as a crash would; `launch` starts the next one. A process that is killed would leave no profile. */
  async crash() {
    this.child.kill(profiled().length > 0 ? 'SIGTERM' : 'SIGKILL');
    await this.exited;
  }

  /** Pods as its read-only port has them. */
  async podList() {
    const response = await fetch(`http://127.0.0.1:${this.port}/pods`);
    return (await response.json()).items ?? [];
  }

  /** Returns the address that it printed for the browser at its last start. */
  async url() {
    const text = await readFile(join(this.work, 'klog.txt'), 'utf8');
    return [...text.matchAll(/http:\/\/\S+#code=\S+/g)].at(-1)?.[0];
  }

  /** Manifests of `n` pods appear by rename, as fast as they can. Resolves with the time of the first. */
  async addPods(names, manifest) {
    const { work } = this;
    for (const name of names) await writeFile(join(work, 'new', `${name}.yaml`), manifest(name));
    const start = now();
    for (const name of names) await rename(join(work, 'new', `${name}.yaml`), join(work, 'manifests', `${name}.yaml`));
    return start;
  }

  async removePods(names) {
    const start = now();
    for (const name of names) await rm(join(this.work, 'manifests', `${name}.yaml`));
    return start;
  }

  /** Resolves with what the process has used; `reset` begins the event loop's histogram again. */
  ask(message = 'report') {
    return new Promise((resolve, reject) => {
      if (this.over) return reject(new Error('the agent has ended'));
      this.child.once('message', resolve);
      this.child.send(message);
    });
  }

  /**
   * CRI calls since its start, by method, as its own metrics count them at the client. `counted`: those in the
   * kubelet's own metric, which leaves out the log rotation's look at each container every 10 s (a real kubelet's, too;
   * the published figures are by that metric).
   */
  async counts() {
    const response = await fetch(`http://127.0.0.1:${this.port}/metrics`);
    const text = await response.text();
    const of = (pattern) => Object.fromEntries([...text.matchAll(pattern)].map(([, name, n]) => [name, Number(n)]));
    const one = (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
    return {
      goroutines: one('syncloop_goroutines'),
      records: one('syncloop_trace_records_total'),
      all: of(/^syncloop_cri_calls_total\{method="(\w+)"\} (\d+)$/gm),
      counted: of(/^kubelet_runtime_operations_total\{operation_type="(\w+)"\} (\d+)$/gm),
    };
  }

  async logEnd() {
    const text = await readFile(join(this.work, 'klog.txt'), 'utf8').catch(() => '');
    return text.split('\n').slice(-12).join('\n');
  }

  /** Ends it and removes its files; pods are the caller's. */
  async stop() {
    if (this.child && !this.over) {
      this.child.kill('SIGTERM');
      const late = setTimeout(() => this.child.kill('SIGKILL'), 5000);
      await this.exited;
      clearTimeout(late);
    }
    const { removeLogLinks } = await import('../../apps/agent/dist/conformance/node-under-test.js');
    await removeLogLinks(this.work);
    await rm(this.work, { recursive: true, force: true });
  }
}

export const now = () => performance.timeOrigin + performance.now();

/** Calls between two counts, by operation. */
export function between(before, after) {
  const names = Object.keys(after).filter((name) => after[name] > (before[name] ?? 0));
  return Object.fromEntries(names.map((name) => [name, after[name] - (before[name] ?? 0)]));
}

export const sum = (counts, pick = () => true) =>
  Object.entries(counts).reduce((total, [name, n]) => total + (pick(name) ? n : 0), 0);

export const isPolling = (name) => polling.test(name);
