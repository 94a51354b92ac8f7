/**
 * A long run on a real containerd: pods that come, go, change, crash, fail their probes and are killed, with a
 * recording and a browser's worth of socket that comes and goes. The objects of the process, the runtime and the
 * machine are counted all the time; then all pods are deleted, and the counts must be the old ones. Prints JSON; exits
 * 1 if something stayed behind.
 *
 *   node bench/soak.mjs [--minutes=30] [--pods=50] [--every=2] [--sample=30] [--seed=1] [--out=FILE]
 *
 * `every`: seconds between two changes; `sample`: between two looks. Slopes are per hour, of the last two thirds.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { connect } from '../apps/agent/e2e/session-client.mjs';
import { machine } from './measure.mjs';
import { Agent } from './node/agent.mjs';
import { Cri } from './node/cri.mjs';

const run = promisify(execFile);
const defaults = { minutes: 30, pods: 50, every: 2, sample: 30, seed: 1, out: '' };

/** Small and good enough: which pod is next must be the same each time. */
function random(seed) {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/** The commands that pods run all day, by their number. */
const kinds = [
  { kind: 'steady', command: "trap 'exit 0' TERM; while :; do sleep 1000 & wait $!; done" },
  { kind: 'steady', command: "trap 'exit 0' TERM; while :; do sleep 1000 & wait $!; done" },
  { kind: 'crashes', command: 'echo going; sleep 5; echo gone; exit 1' },
  { kind: 'deaf', command: 'sleep 100000', grace: 1 },
  {
    kind: 'probed',
    command: "touch /tmp/ok; trap 'exit 0' TERM; while :; do sleep 40 & wait $!; rm -f /tmp/ok; done",
    more: `    livenessProbe: {exec: {command: [cat, /tmp/ok]}, periodSeconds: 10, failureThreshold: 2}
    readinessProbe: {exec: {command: [cat, /tmp/ok]}, periodSeconds: 10}
`,
  },
];

const manifest = (name, i, version, image) => {
  const { kind, command, grace = 2, more = '' } = kinds[i % kinds.length];
  return `apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {kind: ${kind}}}
spec:
  terminationGracePeriodSeconds: ${grace}
  volumes:
  - {name: scratch, emptyDir: {}}
  containers:
  - name: app
    image: ${image}
    imagePullPolicy: IfNotPresent
    command: [sh, -c, ${JSON.stringify(command)}]
    env: [{name: VERSION, value: "${version}"}]
    volumeMounts: [{name: scratch, mountPath: /scratch}]
${more}`;
};

const count = async (folder) => (await readdir(folder).catch(() => [])).length;

class Soak {
  samples = [];
  did = Object.create(null);
  constructor(options, containerd, image) {
    Object.assign(this, { options, containerd, image, next: random(options.seed), there: new Map(), version: 0 });
    this.cri = new Cri(containerd.socket);
  }

  /** Counts everything that may leak. */
  async look() {
    const { agent, containerd, cri } = this;
    const report = await agent.ask('collect');
    const { goroutines, records } = await agent.counts();
    const [{ items = [] }, { containers = [] }] = [await cri.call('listPodSandbox'), await cri.call('listContainers')];
    const snapshots = (await containerd.ctr('snapshots', 'ls')).trim().split('\n').length - 1;
    const mounts = (await readFile('/proc/self/mounts', 'utf8'))
      .split('\n')
      .filter((line) => line.includes(containerd.folder) || line.includes(agent.work)).length;
    const links = await Promise.all(
      (await readdir('/var/log/containers').catch(() => [])).map((name) =>
        readlink(join('/var/log/containers', name)).catch(() => ''),
      ),
    );
    return {
      minutes: Math.round(((performance.now() - this.began) / 60_000) * 100) / 100,
      rssMiB: report.rssMiB,
      heapMiB: report.heapMiB,
      externalMiB: report.externalMiB,
      handles: report.handles,
      goroutines,
      fds: await count(`/proc/${agent.child.pid}/fd`),
      threads: await count(`/proc/${agent.child.pid}/task`),
      records,
      recordingMiB: Math.round((await stat(this.recording)).size / 2 ** 20),
      cpuSeconds: Math.round(report.cpuSeconds * 10) / 10,
      loopDelayMillis: report.loopDelayMillis,
      sandboxes: items.length,
      containers: containers.length,
      running: containers.filter((c) => c.state === 'CONTAINER_RUNNING').length,
      snapshots,
      mounts,
      addresses: (await readdir(join(containerd.folder, 'ipam', 'syncloop')).catch(() => [])).filter((n) =>
        /^\d/.test(n),
      ).length,
      podFolders: await count(join(agent.work, 'root', 'pods')),
      logFolders: await count(join(agent.work, 'logs')),
      logLinks: links.filter((to) => to.startsWith(`${agent.work}/`)).length,
      containerdRssMiB: await containerdRss(containerd.folder),
    };
  }

  async put(i) {
    const name = `soak-${String(i).padStart(3, '0')}`;
    this.there.set(i, name);
    this.version++;
    await this.agent.addPods([name], () => manifest(name, i, this.version, this.image));
  }

  /** One change of one pod. */
  async change() {
    const i = this.next(this.options.pods);
    const name = this.there.get(i);
    const what =
      name === undefined ? 'create' : ['delete', 'edit', 'edit', 'kill', 'kill', 'kill', 'break'][this.next(7)];
    this.did[what] = (this.did[what] ?? 0) + 1;
    if (what === 'create' || what === 'edit') return await this.put(i);
    if (what === 'delete') {
      this.there.delete(i);
      return await this.agent.removePods([name]);
    }
    // Half a file, as an editor may leave it: for a kubelet that pod is gone until somebody repairs it.
    if (what === 'break') return await this.agent.addPods([name], () => 'apiVersion: v1\nkind: Pod\nmetadata: {name: ');
    const { containers = [] } = await this.cri.call('listContainers', {
      filter: { state: { state: 'CONTAINER_RUNNING' } },
    });
    const one = containers.find((c) => c.labels['io.kubernetes.pod.name'] === `${name}-node1`);
    if (one) await this.containerd.ctr('tasks', 'kill', '-s', 'SIGKILL', one.id).catch(() => {});
  }

  async until(what, seconds, holds) {
    for (const end = performance.now() + seconds * 1000; performance.now() < end; await delay(1000))
      if (await holds()) return true;
    console.error(`soak: ${what}: not within ${seconds} s`);
    return false;
  }

  async run() {
    const { minutes, pods, every, sample } = this.options;
    this.began = performance.now();
    // Its own caches and code come first: they are not a leak.
    await this.put(0);
    await this.until('the first pod', 60, async () => (await this.look()).running >= 1);
    await this.empty();
    await this.agent.ask('reset');
    const before = await this.look();
    console.error(JSON.stringify(before));
    for (let i = 0; i < pods; i++) await this.put(i);
    const end = performance.now() + minutes * 60_000;
    let viewer = null;
    for (let looked = performance.now(), n = 0; performance.now() < end; ) {
      await this.change();
      if (performance.now() - looked >= sample * 1000) {
        looked += sample * 1000;
        const seen = await this.look();
        this.samples.push(seen);
        console.error(JSON.stringify(seen));
        // It looks for a while, and not for the next.
        if (n++ % 2 === 0) viewer = await connect(await this.agent.url());
        else {
          this.gaps = (this.gaps ?? 0) + viewer.gaps;
          viewer.close();
          viewer = null;
        }
      }
      await delay(every * 1000);
    }
    viewer?.close();
    for (const name of this.there.values()) await this.agent.removePods([name]);
    this.there.clear();
    const emptied = await this.empty();
    // Old logs go with the garbage collection, once a minute.
    await delay(65_000);
    const after = await this.look();
    return { before, after, emptied, ...this.verdict(before, after) };
  }

  async empty() {
    for (const name of this.there.values()) await this.agent.removePods([name]);
    this.there.clear();
    return await this.until('nothing left', 180, async () => {
      const { sandboxes, containers, podFolders } = await this.look();
      return sandboxes + containers + podFolders === 0;
    });
  }

  verdict(before, after) {
    const rest = this.samples.slice(Math.floor(this.samples.length / 3));
    const slope = (field) => perHour(rest.map((s) => [s.minutes / 60, s[field]]));
    // Counts must be as before; one of a pool has a little room.
    const exact = [
      'sandboxes',
      'containers',
      'snapshots',
      'mounts',
      'addresses',
      'podFolders',
      'logFolders',
      'logLinks',
    ];
    const leaked = exact.filter((field) => after[field] > before[field]);
    for (const field of ['goroutines', 'fds', 'handles', 'threads'])
      if (after[field] > before[field] + 3) leaked.push(field);
    return {
      leaked,
      slopesPerHour: Object.fromEntries(
        ['rssMiB', 'heapMiB', 'externalMiB', 'handles', 'goroutines', 'fds', 'containerdRssMiB'].map((f) => [
          f,
          slope(f),
        ]),
      ),
    };
  }
}

/** Least squares. */
function perHour(points) {
  const n = points.length;
  if (n < 2) return null;
  const mean = (k) => points.reduce((sum, p) => sum + p[k], 0) / n;
  const [x, y] = [mean(0), mean(1)];
  const over = points.reduce((sum, p) => sum + (p[0] - x) * (p[1] - y), 0);
  return Math.round((over / points.reduce((sum, p) => sum + (p[0] - x) ** 2, 0)) * 100) / 100;
}

async function containerdRss(folder) {
  const { stdout } = await run('ps', ['-eo', 'rss,args']);
  const line = stdout.split('\n').find((l) => l.includes('/usr/bin/containerd --config') && l.includes(folder));
  return line ? Math.round(Number(line.trim().split(/\s+/)[0]) / 1024) : 0;
}

function parse(argv) {
  const settings = { ...defaults };
  for (const word of argv) {
    const [, name, value] = /^--(\w+)=(.+)$/.exec(word) ?? [];
    if (!name || !Object.hasOwn(defaults, name))
      throw new Error(
        `unknown argument ${word}; there are ${Object.keys(defaults)
          .map((n) => `--${n}=`)
          .join(' ')}`,
      );
    if (typeof defaults[name] === 'number' && !/^\d+(\.\d+)?$/.test(value))
      throw new Error(`--${name} is ${value}, but must be a number`);
    settings[name] = typeof defaults[name] === 'number' ? Number(value) : value;
  }
  return settings;
}

export async function soak(options) {
  const { busyboxImage, Containerd, whyNoContainerd } = await import('../apps/agent/dist/conformance/containerd.js');
  const missing = whyNoContainerd();
  if (missing) return { missing };
  const containerd = await Containerd.create();
  const one = new Soak(options, containerd, busyboxImage);
  const end = async () => {
    await one.agent?.stop();
    one.cri.close();
    await containerd.destroy();
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void end().finally(() => process.exit(130)));
  try {
    one.recording = join(containerd.folder, 'recording.jsonl');
    one.agent = await Agent.start({
      endpoint: containerd.endpoint,
      verbosity: 4,
      flags: ['--record', one.recording],
      config: 'enforceNodeAllocatable: []\nfileCheckFrequency: 20s\n',
    });
    const result = await one.run();
    return { options, machine: machine(), ...result, did: one.did, gaps: one.gaps ?? 0, samples: one.samples };
  } catch (err) {
    console.error((await one.agent?.logEnd()) ?? '');
    throw err;
  } finally {
    await end();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  let settings;
  try {
    settings = parse(process.argv.slice(2));
  } catch (err) {
    console.error(`soak: ${err.message}`);
    process.exit(2);
  }
  const result = await soak(settings);
  const text = `${JSON.stringify(result, null, 2)}\n`;
  if (settings.out) await writeFile(settings.out, text);
  else process.stdout.write(text);
  const failed = result.leaked?.length > 0 || result.emptied === false;
  if (failed) console.error(`soak: left behind: ${result.leaked.join(', ')}`);
  process.exit(failed ? 1 : 0);
}
