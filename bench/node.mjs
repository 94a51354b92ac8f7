/**
 * B1: 100 static pods on a real containerd. Manifests appear by rename; the clock runs from the first rename to the
 * 100th container that a third party, which looks at the runtime every 100 ms, sees running. Then an idle while, then
 * all manifests go, and the clock runs until no container runs and no sandbox is ready. In the same minute, on the same
 * containerd, the floor: the same pods started by the three CRI calls alone, 4 at a time and all at once. Modes of the
 * agent: faithful (a worker per pod at once, as upstream) and paced (--runtime-concurrency 4). Pods have the host's
 * network, as those of the figures for the real kubelet; `--network=cni` gives each its own. Mode `held` is B3 and B4:
 * see node/held.mjs (--heldSeconds=600 for the ten minutes of B3). Prints JSON. By itself: node bench/node.mjs
 * [--rounds=1] [--pods=100] [--width=4] [--idle=20] [--network=host|cni] [--only=faithful,paced,...] [--heldPods=110]
 * [--heldSeconds=120] [--wait=15], the longest wait in s, before each, for others to leave the processors alone
 * (`othersBefore` is the share of them that others still had).
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { machine, median } from './measure.mjs';
import { Agent, between, isPolling, now, sum } from './node/agent.mjs';
import { Cri, each, removeAll, startPod } from './node/cri.mjs';
import { held } from './node/held.mjs';
import { processors, quiet, Watch } from './node/watch.mjs';

/** A real kubelet v1.36 on the same kind of machine and containerd: docs/developers/decisions/0005-paced-mode.md. */
const realKubelet = {
  wallSeconds: [8.3, 8.4],
  p50Seconds: 7.45,
  cpuSeconds: 1.3,
  criCallsPerPodStart: 13,
  criCallsPerIdleSecond: 5,
  idleMillicores: [34, 38],
  rssMiB: 75,
  floor: { wide4: 5.3, unbounded: 8.1 },
};

const allModes = ['floorUnbounded', 'faithful', 'floorWide', 'paced', 'held'];

const round = (x, digits = 2) => Number(x.toFixed(digits));
const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];

class Bench {
  constructor(options, containerd) {
    Object.assign(this, options);
    this.containerd = containerd;
    this.cri = new Cri(containerd.socket);
    this.names = Array.from({ length: this.pods }, (_, i) => `bench-${String(i).padStart(3, '0')}`);
  }

  /** Wall time and per-pod times since `start`, once all run. */
  times(watch, start, end) {
    const each = [...watch.firstSeen.values()].map((at) => (at - start) / 1000).sort((a, b) => a - b);
    return {
      wallSeconds: round((end - start) / 1000),
      podSeconds: { p50: round(quantile(each, 0.5)), p99: round(quantile(each, 0.99)), first: round(each[0]) },
    };
  }

  async warmUp() {
    const { names } = this;
    this.names = names.slice(0, 10);
    await this.floor(2);
    this.names = names;
  }

  async floor(width) {
    const { work } = this;
    const file = join(work, 'file');
    await writeFile(file, '');
    const watch = new Watch(this.containerd.socket);
    try {
      await watch.until('an empty runtime', (look) => look.running === 0 && look.all === 0);
      const othersBefore = await quiet(this.wait);
      const machine = processors();
      const before = cpuOf();
      const start = now();
      const pods = [];
      const begin = each(this.names, width, async (name) => {
        const { hostNetwork, image } = this;
        pods.push(await startPod(this.cri, { name, image, hostNetwork, logs: join(work, 'logs'), file }));
      });
      const [{ at }] = await Promise.all([
        watch.until('all pods running', (look) => look.running >= this.names.length),
        begin,
      ]);
      const result = {
        ...this.times(watch, start, at),
        cpuSeconds: round(cpuOf() - before),
        machineCpuSeconds: round(processors().busy - machine.busy),
        othersBefore,
      };
      const stopping = now();
      await each(pods, width, async ({ podSandboxId, containerId }) => {
        await this.cri.call('stopContainer', { containerId, timeout: '5' });
        await this.cri.call('stopPodSandbox', { podSandboxId });
      });
      const { at: stopped } = await watch.until('all pods stopped', (l) => l.running === 0 && l.ready === 0);
      result.teardownSeconds = round((stopped - stopping) / 1000);
      return result;
    } finally {
      await watch.stop();
      await removeAll(this.cri);
      // Restarts are counted by the logs that are there.
      await rm(join(work, 'logs'), { recursive: true, force: true });
    }
  }

  async agent(flags, idleSeconds) {
    const agent = await Agent.start({ endpoint: this.containerd.endpoint, flags });
    this.running = agent;
    const watch = new Watch(this.containerd.socket);
    const diagnose = () => agent.logEnd();
    try {
      await watch.until('an empty runtime', (look) => look.running === 0 && look.all === 0);
      const othersBefore = await quiet(this.wait);
      const machine = processors();
      const before = await agent.ask('reset');
      const counts = await agent.counts();
      const start = await agent.addPods(this.names, (name) => manifest(name, this));
      const { at } = await watch.until('all pods running', (look) => look.running >= this.names.length, diagnose);
      const machineCpuSeconds = round(processors().busy - machine.busy);
      const after = await agent.ask();
      // The looks at pods that follow the last start belong to it.
      await delay(4000);
      const started = between(counts.counted, (await agent.counts()).counted);
      const result = {
        ...this.times(watch, start, at),
        cpuSeconds: round(after.cpuSeconds - before.cpuSeconds),
        machineCpuSeconds,
        rssMiB: after.rssMiB,
        loopDelayMillis: after.loopDelayMillis,
        criCallsPerPodStart: round(sum(started, (name) => !isPolling(name)) / this.pods),
        criCalls: started,
        othersBefore,
      };
      if (idleSeconds > 0) result.idle = await this.idle(agent, idleSeconds);
      await agent.ask('reset');
      const removing = await agent.removePods(this.names);
      const { at: gone } = await watch.until('all pods gone', (l) => l.running === 0 && l.ready === 0, diagnose);
      result.teardownSeconds = round((gone - removing) / 1000);
      return result;
    } finally {
      await watch.stop();
      await agent.stop();
      this.running = null;
      await removeAll(this.cri);
    }
  }

  async idle(agent, seconds) {
    const before = { ...(await agent.ask('reset')), counts: await agent.counts(), at: now() };
    await delay(seconds * 1000);
    const after = { ...(await agent.ask()), counts: await agent.counts(), at: now() };
    const took = (after.at - before.at) / 1000;
    const calls = between(before.counts.all, after.counts.all);
    const counted = between(before.counts.counted, after.counts.counted);
    return {
      seconds: round(took, 1),
      millicores: Math.round(((after.cpuSeconds - before.cpuSeconds) / took) * 1000),
      rssMiB: after.rssMiB,
      loopDelayMillis: after.loopDelayMillis,
      criCallsPerSecond: { counted: round(sum(counted) / took), withLogRotation: round(sum(calls) / took) },
      criCalls: calls,
    };
  }

  /** B3 and B4: 110 pods, as many as a node may have. */
  async held() {
    const names = Array.from({ length: this.heldPods }, (_, i) => `held-${String(i).padStart(3, '0')}`);
    const { containerd, heldSeconds: seconds } = this;
    try {
      return await held({ containerd, names, seconds, manifest: (name) => manifest(name, this) });
    } finally {
      await removeAll(this.cri);
    }
  }

  async mode(name, first) {
    switch (name) {
      case 'held':
        return first ? await this.held() : null;
      case 'floorUnbounded':
        return await this.floor(this.pods);
      case 'floorWide':
        return await this.floor(this.width);
      case 'faithful':
        return await this.agent([], first ? this.idleSeconds : 0);
      default:
        return await this.agent([`--runtime-concurrency=${this.width}`], first ? this.idleSeconds : 0);
    }
  }
}

const cpuOf = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const manifest = (name, { image, hostNetwork }) => `apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  hostNetwork: ${hostNetwork}
  terminationGracePeriodSeconds: 5
  containers:
  - name: app
    image: ${image}
    imagePullPolicy: IfNotPresent
`;

const defaults = {
  rounds: 1,
  pods: 100,
  width: 4,
  idleSeconds: 20,
  heldPods: 110,
  heldSeconds: 120,
  wait: 15,
  network: 'host',
  only: allModes,
};

/** Resolves with `{missing}` if the machine has no containerd to measure on. */
export async function run(options = {}) {
  const settings = { ...defaults, ...options };
  const dist = new URL('../apps/agent/dist/conformance/containerd.js', import.meta.url);
  if (!existsSync(dist)) return { missing: 'the agent is not built: run npm run build' };
  const { Containerd, pauseImage, whyNoContainerd } = await import(dist.href);
  // An endpoint of somebody else's is no use here: the benchmark stops and removes all that it finds.
  const missing = whyNoContainerd()?.replace(/, or give .*/, '');
  if (missing) return { missing };
  const containerd = await Containerd.create();
  const work = await mkdtemp(join(tmpdir(), 'syncloop-floor-'));
  const bench = new Bench(
    { ...settings, work, image: pauseImage, hostNetwork: settings.network === 'host' },
    containerd,
  );
  const end = async () => {
    await bench.running?.stop();
    bench.cri.close();
    await containerd.destroy();
    await rm(work, { recursive: true, force: true });
  };
  const interrupted = (signal) => {
    console.error(`bench node: ${signal}: cleaning up`);
    void end().finally(() => process.exit(130));
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupted);
  const results = Object.fromEntries(settings.only.map((name) => [name, []]));
  try {
    // The first pods pay for cold caches, and are not measured.
    await bench.warmUp();
    for (let i = 0; i < settings.rounds; i++)
      for (const name of settings.only) {
        const result = await bench.mode(name, i === 0);
        if (result) results[name].push(result);
        if (settings.verbose) console.error(name, JSON.stringify(results[name].at(-1)));
      }
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupted);
    await end();
  }
  return { ...describe(settings), realKubelet, ratios: ratios(results), ...results };
}

const describe = ({ pods, width, network, rounds }) => ({ pods, width, network, rounds });

/** Ratios of wall times that were measured in the same round; medians over several rounds. */
function ratios(results) {
  const [low, high] = realKubelet.wallSeconds;
  const kubelet = (low + high) / 2;
  const of = (a, b, pick = (r) => r.wallSeconds) => {
    const pairs = (results[a] ?? []).map((r, i) => [pick(r), results[b]?.[i] && pick(results[b][i])]);
    const quotients = pairs.filter(([, y]) => y).map(([x, y]) => x / y);
    return quotients.length === 0
      ? undefined
      : {
          median: round(median(quotients)),
          min: round(Math.min(...quotients)),
          max: round(Math.max(...quotients)),
        };
  };
  const p50 = (r) => r.podSeconds.p50;
  return {
    'faithful to floor, unbounded': of('faithful', 'floorUnbounded'),
    'real kubelet to floor, unbounded (published)': round(kubelet / realKubelet.floor.unbounded),
    'paced to floor, 4 wide': of('paced', 'floorWide'),
    'paced to faithful': of('paced', 'faithful'),
    'paced to faithful, p50 per pod': of('paced', 'faithful', p50),
    'floor, 4 wide to unbounded': of('floorWide', 'floorUnbounded'),
  };
}

/** `--name=value` for those of the defaults. */
function parse(argv) {
  const settings = { verbose: true };
  for (const word of argv) {
    const [, name, value] = /^--(\w+)=(.+)$/.exec(word) ?? [];
    const key = name === 'idle' ? 'idleSeconds' : name;
    if (!key || !Object.hasOwn(defaults, key))
      throw new Error(
        `unknown argument ${word}; there are ${Object.keys(defaults)
          .map((n) => `--${n === 'idleSeconds' ? 'idle' : n}=`)
          .join(' ')}`,
      );
    const wrong = (want) => new Error(`--${name} is ${value}, but must be ${want}`);
    if (key === 'network' && !['host', 'cni'].includes(value)) throw wrong('host or cni');
    if (key === 'only' && !value.split(',').every((mode) => allModes.includes(mode))) throw wrong(allModes.join(', '));
    if (typeof defaults[key] === 'number' && !/^\d+$/.test(value)) throw wrong('a whole number');
    settings[key] = key === 'only' ? value.split(',') : typeof defaults[key] === 'number' ? Number(value) : value;
  }
  return settings;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  let settings;
  try {
    settings = parse(process.argv.slice(2));
  } catch (err) {
    console.error(`bench node: ${err.message}`);
    process.exit(2);
  }
  const results = await run(settings);
  console.log(JSON.stringify({ machine: machine(), node: results }, null, 2));
}
