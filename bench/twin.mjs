/**
 * Measures `syncloop attach --twin` on a machine with a kubelet with 110 pods, from the kubelet's start on, and how far
 * the twin is behind. Our own kubelet's run is captured first, then the player plays it as a live node: its log at -v=4
 * and its `/pods`. Five of the pods crash again and again, all have a readiness probe.
 *
 * With `--eras`: instead, how well kubelets of the older versions are re-enacted (re-enacted.mjs). With `--large`:
 * instead, how long the first comparison of a part of a large log takes (twin-large.mjs).
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { parseScenario } from '@syncloop/core/scenario';
import { startCapture } from '@syncloop/observe/twin/capture';
import { Player } from '../apps/agent/e2e/player.mjs';
import { reEnacted } from './re-enacted.mjs';
import { large } from './twin-large.mjs';

const PROGRAM = fileURLToPath(new URL('../apps/agent/bin/syncloop.mjs', import.meta.url));
const PODS = 110;
const SECONDS = Number(process.env.SYNCLOOP_SECONDS ?? 90);

const pod = (i) => `    - apply:
        file: p${i}.yaml
        manifest:
          apiVersion: v1
          kind: Pod
          metadata: { name: p${i} }
          spec:
            containers:
              - name: app
                image: localhost/busybox:dev
                imagePullPolicy: Never
                command: [sh, -c, "${i % 22 === 5 ? 'sleep 20; exit 1' : 'while true; do sleep 5; done'}"]
                readinessProbe: { exec: { command: ["true"] }, periodSeconds: 10 }
`;
const SCENARIO = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata: { name: many }
spec:
  seed: 3
  node: { maxPods: ${PODS} }
  steps:
${Array.from({ length: PODS }, (_, i) => pod(i)).join('')}    - wait: ${SECONDS}s
`;

/** The run of our own kubelet in the files of a capture: its log, and its pods. */
function capture(folder) {
  const { run, capture: taken } = startCapture(parseScenario(SCENARIO, 'many.yaml'));
  run.run({ until: SECONDS * 1e6 });
  for (const [name, bytes] of taken().files)
    if (name === 'about.json') writeFileSync(join(folder, name), bytes);
    else if (/^(kubelet|pods)/.test(name)) writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes));
}

/** Milliseconds of processor of a process, and its memory in MiB. */
function cost(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  const rss = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  return { millis: (Number(fields[11]) + Number(fields[12])) * 10, rss };
}

async function one(folder, twin) {
  const live = mkdtempSync(join(tmpdir(), 'syncloop-bench-twin-'));
  const player = new Player(folder, live, { now: true });
  player.write(1);
  const origin = await player.serve();
  const flags = ['attach', '--log', player.log, '--kubelet', origin, '--no-ui'];
  if (twin) flags.push('--twin', '--twin-every', '1s');
  const child = spawn(process.execPath, [PROGRAM, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  try {
    await delay(1500);
    const ending = new AbortController();
    const playing = player.play({ signal: ending.signal });
    const from = { ...cost(child.pid), at: performance.now() };
    let most = 0;
    while (performance.now() - from.at < SECONDS * 1000) {
      await delay(1000);
      most = Math.max(most, cost(child.pid).rss);
    }
    const to = cost(child.pid);
    const millis = performance.now() - from.at;
    ending.abort();
    await playing;
    const behind = [...said.matchAll(/The twin is ([\d.]+) s behind/g)].map(([, s]) => Number(s)).sort((a, b) => a - b);
    const last = [...said.matchAll(/twin: (.*)/g)].at(-1)?.[1] ?? '';
    return {
      percentOfOneCore: Number((((to.millis - from.millis) / millis) * 100).toFixed(1)),
      mebibytes: Math.round(most),
      ...(twin && {
        beats: behind.length,
        behindSeconds: {
          median: behind[behind.length >> 1],
          p95: behind[Math.floor(behind.length * 0.95)],
          most: behind.at(-1),
        },
        last,
      }),
    };
  } finally {
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
    await player.close();
    rmSync(live, { recursive: true, force: true });
  }
}

/** `alone`: without the twin, too, for comparison. */
export async function run({ eras = false, large: isLarge = false, alone = true } = {}) {
  if (isLarge) return large();
  if (eras) return reEnacted();
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-bench-capture-'));
  try {
    capture(folder);
    return {
      pods: PODS,
      seconds: SECONDS,
      ...(alone && { without: await one(folder, false) }),
      with: await one(folder, true),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
