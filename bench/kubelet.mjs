/**
 * B1 to B4 as the table of docs/performance has them, on a real containerd with 80 static pods: the start of all
 * of them, the next start of a container that was killed, what an idle kubelet uses, and the time until all pods are
 * Ready after a kill -9 of the kubelet. `debugger`: with its process, which counts; `alone`: with --no-ui; `evented`:
 * with the feature gate EventedPLEG. In the same run the floor: the same pods started by the three CRI calls alone, all
 * at once, and a single plain call in a loop. Prints JSON.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { median } from './measure.mjs';
import { Agent, now } from './node/agent.mjs';
import { Cri, each, removeAll, startPod } from './node/cri.mjs';
import { allReady } from './node/held.mjs';
import { familyCost } from './node/processes.mjs';
import { processors, quiet, Watch } from './node/watch.mjs';

const round = (x, digits = 2) => Number(x.toFixed(digits));
/** The relist's period, ms: kills come at all times within it. */
const RELIST = 1000;
/** The golden ratio's part of a period after each other, no number of times is in step with it. */
const GOLDEN = 0.618;

const modes = {
  debugger: { whole: true },
  alone: { whole: true, ui: false },
  evented: { whole: false, config: 'featureGates:\n  EventedPLEG: true\n' },
};

const manifest = (name, image) => `apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  hostNetwork: true
  terminationGracePeriodSeconds: 5
  containers:
  - name: app
    image: ${image}
    imagePullPolicy: IfNotPresent
`;

class Bench {
  constructor(options) {
    Object.assign(this, options);
    this.cri = new Cri(this.containerd.socket);
    this.names = Array.from({ length: this.pods }, (_, i) => `table-${String(i).padStart(3, '0')}`);
  }

  async floor(count = this.pods) {
    const { work, image } = this;
    const file = join(work, 'file');
    await writeFile(file, '');
    const watch = new Watch(this.containerd.socket);
    try {
      await watch.until('an empty runtime', (look) => look.running === 0 && look.all === 0);
      const start = now();
      const names = this.names.slice(0, count);
      const [{ at }] = await Promise.all([
        watch.until('all pods running', (look) => look.running >= count),
        each(names, count, (name) =>
          startPod(this.cri, { name, image, hostNetwork: true, logs: join(work, 'logs'), file }),
        ),
      ]);
      return { wallSeconds: round((at - start) / 1000) };
    } finally {
      await watch.stop();
      await removeAll(this.cri);
      // Restarts are counted by the logs that are there.
      await rm(join(work, 'logs'), { recursive: true, force: true });
    }
  }

  async mode({ whole, ...options }) {
    const agent = await Agent.start({ endpoint: this.containerd.endpoint, ...options });
    this.running = agent;
    try {
      const result = { start: await this.start(agent) };
      await allReady(agent, this.pods, 60);
      // The looks at pods that follow the last start belong to it.
      await delay(5000);
      if (whole) result.idle = await this.idle(agent);
      result.kills = await this.kills();
      if (whole) {
        await allReady(agent, this.pods, 60);
        result.restart = await this.restart(agent);
      }
      return result;
    } finally {
      await agent.stop();
      this.running = null;
      await removeAll(this.cri);
    }
  }

  async noEvents() {
    const { runtimeName, runtimeVersion } = await this.cri.call('version');
    return `${runtimeName} ${runtimeVersion} sends no events of containers; containerd does from 1.7 on`;
  }

  async start(agent) {
    const watch = new Watch(this.containerd.socket);
    try {
      await watch.until('an empty runtime', (look) => look.running === 0 && look.all === 0);
      const othersBefore = await quiet(this.wait);
      const machine = processors();
      const before = familyCost(agent.child.pid);
      const start = await agent.addPods(this.names, (name) => manifest(name, this.image));
      const running = (look) => look.running >= this.pods;
      const { at } = await watch.until('all pods running', running, () => agent.logEnd());
      const after = familyCost(agent.child.pid);
      return {
        wallSeconds: round((at - start) / 1000),
        cpuSeconds: round(after.cpuSeconds - before.cpuSeconds),
        machineCpuSeconds: round(processors().busy - machine.busy),
        rssMiB: after.rssMiB,
        othersBefore,
      };
    } finally {
      await watch.stop();
    }
  }

  async idle(agent) {
    const before = { ...familyCost(agent.child.pid), at: now() };
    await delay(this.idleSeconds * 1000);
    const after = { ...familyCost(agent.child.pid), at: now() };
    const seconds = (after.at - before.at) / 1000;
    return {
      seconds: round(seconds, 1),
      millicores: round(((after.cpuSeconds - before.cpuSeconds) / seconds) * 1000, 1),
      rssMiB: after.rssMiB,
      processes: after.processes,
    };
  }

  /** Kills containers of different pods, one after the other: each pod's first restart, which has no back-off. */
  async kills() {
    const { containers = [] } = await this.cri.call('listContainers');
    const victims = containers.filter((c) => c.state === 'CONTAINER_RUNNING').slice(0, this.killed);
    const seconds = [];
    for (const [i, victim] of victims.entries()) {
      await delay((i * GOLDEN * RELIST) % RELIST);
      seconds.push(await this.kill(victim));
    }
    const sorted = seconds.sort((a, b) => a - b);
    return { count: sorted.length, p50Seconds: round(median(sorted), 3), mostSeconds: round(sorted.at(-1), 3) };
  }

  /** Seconds from the kill of a container's process to the start of its successor, by the runtime's own clock. */
  async kill({ id, podSandboxId }) {
    const { info } = await this.cri.call('containerStatus', { containerId: id, verbose: true });
    const killed = now();
    process.kill(JSON.parse(info.info).pid, 'SIGKILL');
    for (const end = now() + 30_000; now() < end; await delay(50)) {
      const { containers = [] } = await this.cri.call('listContainers', { filter: { podSandboxId } });
      const next = containers.find((c) => c.id !== id && c.state === 'CONTAINER_RUNNING');
      if (!next) continue;
      const { status } = await this.cri.call('containerStatus', { containerId: next.id });
      return (Number(BigInt(status.startedAt) / 1000n) / 1000 - killed) / 1000;
    }
    throw new Error(`no container of sandbox ${podSandboxId} ran within 30 s after a kill`);
  }

  async restart(agent) {
    await agent.crash();
    const launching = agent.launch({ settle: 0 });
    try {
      const ready = await allReady(agent, this.pods, 60);
      return { readySeconds: round((ready - agent.launched) / 1000) };
    } finally {
      await launching;
    }
  }
}

/** Resolves with `{missing}` if the machine has no containerd to measure on. */
export async function run({ pods = 80, killed = 16, idleSeconds = 30, wait = 15, only = Object.keys(modes) } = {}) {
  const dist = new URL('../apps/agent/dist/conformance/containerd.js', import.meta.url);
  if (!existsSync(dist)) return { missing: 'the agent is not built: run npm run build' };
  const { Containerd, pauseImage, whyNoContainerd } = await import(dist.href);
  // An endpoint of somebody else's is no use here: the benchmark stops and removes all that it finds.
  const missing = whyNoContainerd()?.replace(/, or give .*/, '');
  if (missing) return { missing };
  const containerd = await Containerd.create();
  const work = await mkdtemp(join(tmpdir(), 'syncloop-floor-'));
  const bench = new Bench({ containerd, work, image: pauseImage, pods, killed, idleSeconds, wait });
  const end = async () => {
    await bench.running?.stop();
    bench.cri.close();
    await containerd.destroy();
    await rm(work, { recursive: true, force: true });
  };
  const interrupted = (signal) => {
    console.error(`bench kubelet: ${signal}: cleaning up`);
    void end().finally(() => process.exit(130));
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupted);
  try {
    // The first pods pay for cold caches, and are not measured.
    await bench.floor(10);
    const results = { pods, floor: await bench.floor() };
    for (const name of only) {
      // Without events the kubelet falls back to relists, which would be measured in their place.
      const lacks = name === 'evented' && !(await bench.cri.sendsEvents());
      results[name] = lacks ? { missing: await bench.noEvents() } : await bench.mode(modes[name]);
    }
    return results;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupted);
    await end();
  }
}
