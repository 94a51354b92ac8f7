/**
 * Floods against the debugger of a live node: a real containerd, pods with probes, and `syncloop kubelet`; as root,
 * after a build: `node attack/node-floods.mjs [--pods=50] [--seconds=60] [--only=hello,slow]`. While each lasts it asks
 * /healthz ten times a second, and looks at the memory of the kubelet and of its debugger. Afterwards it reads from the
 * recording how far apart the probes of each container were. Prints JSON; exit code 1 if something is beyond its bound.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { LINK } from '../apps/agent/e2e/links.mjs';
import { OwnNode } from '../apps/agent/e2e/own-node.mjs';
import { bytesSource, openRecording } from '../packages/core/dist/trace/index.js';

const run = promisify(execFile);
const bounds = { rssMB: 300, healthzMs: 200 };
const periodSeconds = 2;
const kinds = ['hello', 'namespace', 'unknown', 'tokens', 'slow', 'sockets'];
const { values } = parseArgs({
  options: { pods: { type: 'string' }, seconds: { type: 'string' }, only: { type: 'string' } },
});
const pods = Number(values.pods ?? 50);
const seconds = Number(values.seconds ?? 60);
const wanted = values.only ? values.only.split(',') : kinds;

const rssMB = (pid) => {
  try {
    return Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
};
const children = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
};
const percentile = (list, q) =>
  list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * q))] ?? 0;

/** Asks /healthz until it is stopped: collects the time of each answer, ms; a missing one counts as 5 s. */
function askHealthz(node) {
  const took = [];
  let on = true;
  const asked = (async () => {
    while (on) {
      const begun = performance.now();
      const ok = await fetch(`http://127.0.0.1:${node.healthz}/healthz`, { signal: AbortSignal.timeout(5000) }).then(
        (r) => r.ok,
        () => false,
      );
      took.push(ok ? performance.now() - begun : 5000);
      await delay(Math.max(0, 100 - (performance.now() - begun)));
    }
  })();
  return async () => {
    on = false;
    await asked;
    return took;
  };
}

function watchMemory(pid) {
  let kubelet = 0;
  let both = 0;
  const debuggers = new Set();
  const look = () => {
    const mine = rssMB(pid);
    const its = children(pid);
    for (const child of its) debuggers.add(child);
    kubelet = Math.max(kubelet, mine);
    both = Math.max(
      both,
      its.reduce((sum, child) => sum + rssMB(child), mine),
    );
  };
  const timer = setInterval(look, 100);
  return () => {
    clearInterval(timer);
    return { kubeletMB: Math.round(kubelet), bothMB: Math.round(both), debuggers: debuggers.size };
  };
}

async function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Returns how late the kubelet's event loop was at its looks, by the buckets of its histogram: {le: count}. */
async function loopDelays(node) {
  const text = await (await fetch(`http://127.0.0.1:${node.readOnly}/metrics`)).text();
  return new Map(
    [...text.matchAll(/^syncloop_event_loop_delay_seconds_bucket\{le="([^"]+)"\} (\d+)/gm)].map(([, le, n]) => [
      le,
      Number(n),
    ]),
  );
}

/** The bucket, in ms, below which 99 of 100 looks between two readings were. */
function lateP99(before, after) {
  const total = (after.get('+Inf') ?? 0) - (before.get('+Inf') ?? 0);
  for (const [le, n] of after) if (n - (before.get(le) ?? 0) >= 0.99 * total) return Number(le) * 1000;
  return null;
}

async function flood(node, url, kind) {
  const pid = node.kubelet.child.pid;
  const cpu = await cpuSeconds(pid);
  const delays = await loopDelays(node);
  const stopAsking = askHealthz(node);
  const stopWatching = watchMemory(pid);
  let attacker = '{}';
  if (kind === 'none') await delay(seconds * 1000);
  else {
    const flooder = fileURLToPath(new URL('flooder.mjs', import.meta.url));
    attacker = (await run(process.execPath, [flooder, kind, url, String(seconds)])).stdout;
  }
  const took = await stopAsking();
  const memory = stopWatching();
  await delay(2000);
  return {
    flood: kind,
    ...JSON.parse(attacker),
    ...memory,
    kubeletMillicores: Math.round((((await cpuSeconds(pid)) - cpu) / seconds) * 1000),
    loopDelayP99Ms: lateP99(delays, await loopDelays(node)),
    healthzChecks: took.length,
    healthzP99Ms: Math.round(percentile(took, 0.99)),
    healthzMaxMs: Math.round(Math.max(...took)),
  };
}

/** Returns the longest time between two probes of one container, in seconds, beyond their period. */
function probeLateness(file) {
  const last = new Map();
  const late = [];
  for (const record of openRecording(bytesSource(readFileSync(file)))) {
    if (record.kind !== 'probe') continue;
    const of = `${record.uid}/${record.container}/${record.probeType}`;
    const before = last.get(of);
    if (before !== undefined) late.push((record.time - before) / 1e6 - periodSeconds);
    last.set(of, record.time);
  }
  return { probes: late.length, lateP99Seconds: percentile(late, 0.99), lateMaxSeconds: Math.max(0, ...late) };
}

const node = await OwnNode.create();
let failed = false;
try {
  const recording = join(node.work, 'floods.syncloop');
  await node.start('--record', recording);
  const names = Array.from({ length: pods }, (_, i) => `p${i}`);
  const probe = `    readinessProbe: {tcpSocket: {port: 8080}, periodSeconds: ${periodSeconds}}\n    livenessProbe: {tcpSocket: {port: 8080}, periodSeconds: ${periodSeconds}}\n`;
  for (const name of names)
    await node.drop(name, node.manifest(name, { command: "trap 'exit 0' TERM; httpd -f -p 8080 & wait", more: probe }));
  await node.ready(names, 300);
  const [url] = await node.kubelet.says('the URL of the debugger', LINK);
  const observer = /read-only, for others: (\S+)/.exec(node.kubelet.stderr)?.[1] ?? url;
  const rows = [];
  for (const kind of ['none', ...wanted]) {
    const row = await flood(node, kind === 'tokens' ? url : observer, kind);
    rows.push(row);
    const within = kind === 'none' || (row.bothMB <= bounds.rssMB && row.healthzMaxMs <= bounds.healthzMs);
    failed ||= !within;
    console.error(`${within ? 'ok  ' : 'FAIL'} ${JSON.stringify(row)}`);
  }
  const restarts = [...(await node.pods()).values()].flatMap((pod) =>
    (pod.status.containerStatuses ?? []).map((c) => c.restartCount),
  );
  const ends = [...node.kubelet.stderr.matchAll(/debugger's process ended: ([^;]*);/g)].map(([, why]) => why);
  const alive = !node.kubelet.over;
  await node.kubelet.kill('SIGTERM');
  const result = {
    pods,
    seconds,
    alive,
    restarts: restarts.reduce((a, b) => a + b, 0),
    debuggerEnds: ends,
    ...probeLateness(recording),
    rows,
  };
  failed ||= !alive || result.restarts > 0;
  console.log(JSON.stringify(result, null, 2));
} finally {
  await node.destroy();
}
process.exit(failed ? 1 : 0);
