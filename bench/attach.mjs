/**
 * Measures `syncloop attach` on a node with a kubelet with 110 pods at -v=4: processor and memory of both processes,
 * while a log is written at the rate that such a kubelet has. The lines and their rates are those of captures:
 * housekeeping every 2 s, a sync of each pod every 75 s, two probes of each pod every 10 s. `busy` is the same with all
 * 110 pods in a crash loop.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../apps/agent/bin/syncloop.mjs', import.meta.url));
const PODS = 110;
const SECONDS = Number(process.env.SYNCLOOP_SECONDS ?? 60);
const WARM_SECONDS = 10;
const TICK = 100;
/** The log is rotated at this size, as a node's is. */
const ROTATE_BYTES = 10 * 1024 * 1024;

const hex = (n, length) => n.toString(16).padStart(length, 'a');
const name = (n) => `default/web-7c5ddbdf54-${hex(n, 5)}`;
const uid = (n) => `1fa4b0c2-5d6e-4f70-8a91-${hex(n, 12)}`;
const id = (n) => hex(n + 1, 64);
const STATUS = (n) =>
  `{"phase":"Running","conditions":[{"type":"PodReadyToStartContainers","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-11-22T11:27:25Z"},{"type":"Initialized","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-11-22T11:27:25Z"},{"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-11-22T11:27:26Z"},{"type":"ContainersReady","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-11-22T11:27:26Z"},{"type":"PodScheduled","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-11-22T11:27:25Z"}],"hostIP":"192.0.2.2","podIP":"10.88.0.${n % 250}","startTime":"2026-11-22T11:27:25Z","containerStatuses":[{"name":"app","state":{"running":{"startedAt":"2026-11-22T11:27:25Z"}},"lastState":{},"ready":true,"restartCount":0,"image":"registry.example/web:1","imageID":"sha256:${id(n)}","containerID":"containerd://${id(n)}","started":true}],"qosClass":"Burstable"}`;

const HOUSEKEEPING = [
  'kubelet.go:2818] "SyncLoop (housekeeping)"',
  'kubelet_pods.go:1237] "Clean up pod workers for terminated pods"',
  'kuberuntime_manager.go:477] "Retrieved pods from runtime" all=false',
  'kubelet_pods.go:1287] "Clean up probes for terminated pods"',
  'kubelet_pods.go:1291] "Clean up orphaned pod statuses"',
  'kubelet_pods.go:1296] "Clean up orphaned pod user namespace allocations"',
  'kubelet_pods.go:1308] "Clean up orphaned pod directories"',
  'kubelet_pods.go:1319] "Clean up orphaned mirror pods"',
  'kubelet.go:2826] "SyncLoop (housekeeping) end" duration="3ms"',
];
const NODE_STATUS = [
  'eviction_manager.go:256] "Eviction manager: synchronize housekeeping"',
  'container_log_manager.go:197] "Starting container log rotation sequence"',
  'kubelet_node_status.go:391] "Setting node annotation to enable volume controller attach/detach"',
  'kubelet_node_status.go:689] "Recording event message for node" node="node1" event="NodeHasSufficientMemory"',
  'kubelet_node_status.go:689] "Recording event message for node" node="node1" event="NodeHasNoDiskPressure"',
  'kubelet_node_status.go:689] "Recording event message for node" node="node1" event="NodeHasSufficientPID"',
  'interface.go:443] "Looking for default routes with IP addresses" IPVersion=4',
  'interface.go:454] "Found active IP" IP="192.0.2.2"',
];
const sync = (n) => [
  `kubelet.go:2790] "SyncLoop (SYNC) pods" total=1 pods=["${name(n)}"]`,
  `pod_workers.go:984] "Notifying pod of pending update" pod="${name(n)}" podUID="${uid(n)}" updateType="sync" workType="sync"`,
  `pod_workers.go:1251] "Processing pod event" pod="${name(n)}" podUID="${uid(n)}" updateType="sync"`,
  `kubelet.go:2043] "SyncPod enter" pod="${name(n)}" podUID="${uid(n)}"`,
  `kubelet_pods.go:1893] "Generating pod status" podIsTerminal=false pod="${name(n)}"`,
  `kubelet_pods.go:1903] "Got phase for pod" pod="${name(n)}" oldPhase="Running" phase="Running"`,
  `status_manager.go:972] "Ignoring same status for pod" pod="${name(n)}" status=${STATUS(n)}`,
  `kuberuntime_manager.go:1454] "computePodActions got for pod" podActions="KillPod: false, CreateSandbox: false, UpdatePodResources: false, UpdatePodLevelResources: false, Attempt: 0, InitContainersToStart: [], ContainersToStart: [], EphemeralContainersToStart: [],ContainersToUpdate: map[], ContainersToKill: map[], ContainersToRemove: []" pod="${name(n)}"`,
  `kubelet.go:2049] "SyncPod exit" pod="${name(n)}" podUID="${uid(n)}" isTerminal=false`,
  `pod_workers.go:1361] "Processing pod event done" pod="${name(n)}" podUID="${uid(n)}" updateType="sync"`,
];
const probe = (n, type) => [
  `prober.go:156] "Exec-Probe runProbe" pod="${name(n)}" containerName="app" execCommand=["cat","/tmp/ok"]`,
  'exec.go:62] Exec probe response: ""',
  `prober.go:113] "Probe succeeded" probeType="${type}" pod="${name(n)}" podUID="${uid(n)}" containerName="app"`,
];
/** Twice in the first minutes of a crash loop's back-off, then every five minutes; here every 20 s. */
const crash = (n) => [
  ...sync(n),
  `kubelet.go:2752] "SyncLoop (PLEG): event for pod" pod="${name(n)}" event={"ID":"${uid(n)}","Type":"ContainerStarted","Data":"${id(n)}"}`,
  ...sync(n),
  `kubelet.go:2752] "SyncLoop (PLEG): event for pod" pod="${name(n)}" event={"ID":"${uid(n)}","Type":"ContainerDied","Data":"${id(n)}"}`,
  `kuberuntime_container.go:1389] "Removing container" containerID="${id(n)}"`,
  `event.go:389] "Event occurred" object="${name(n)}" fieldPath="spec.containers{app}" kind="Pod" apiVersion="v1" type="Warning" reason="BackOff" message="Back-off restarting failed container app in pod web(${uid(n)})"`,
  ...sync(n),
];

/** Yields the lines that are written within a tick, each at its own rate. */
function* due(tick, busy) {
  const each = (seconds) => (seconds * 1000) / TICK;
  if (tick % each(2) === 0) yield HOUSEKEEPING;
  if (tick % each(10) === 0) yield NODE_STATUS;
  for (let n = 0; n < PODS; n++) {
    const phase = tick + n * 7;
    if (phase % each(busy ? 20 : 75) === 0) yield busy ? crash(n) : sync(n);
    if (phase % each(10) === 0) yield probe(n, 'Liveness');
    if ((phase + 31) % each(10) === 0) yield probe(n, 'Readiness');
  }
}

const two = (n) => String(n).padStart(2, '0');
function stamped(text, at) {
  const t = new Date(at);
  return `I${two(t.getUTCMonth() + 1)}${two(t.getUTCDate())} ${two(t.getUTCHours())}:${two(t.getUTCMinutes())}:${two(t.getUTCSeconds())}.${String(t.getUTCMilliseconds()).padStart(3, '0')}000   18940 ${text}\n`;
}

/** Processes of a program, with it: milliseconds of processor, and memory in MiB. */
function costs(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  const all = [pid, ...children].map((one) => {
    const fields = readFileSync(`/proc/${one}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    const rollup = readFileSync(`/proc/${one}/smaps_rollup`, 'utf8');
    const kb = (key) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0) / 1024;
    // Ticks of 10 ms.
    return {
      millis: (Number(fields[11]) + Number(fields[12])) * 10,
      rss: kb('Rss'),
      own: kb('Private_Clean') + kb('Private_Dirty'),
      shared: kb('Shared_Clean') + kb('Shared_Dirty'),
    };
  });
  const sum = (key) => all.reduce((total, one) => total + one[key], 0);
  return {
    millis: sum('millis'),
    // The program itself is in memory once, however many run it.
    together: sum('own') + Math.max(...all.map(({ shared }) => shared)),
    each: all.map(({ rss }) => Math.round(rss)),
  };
}

async function one(busy) {
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-bench-attach-'));
  const log = join(folder, 'kubelet.log');
  appendFileSync(log, stamped('server.go:1] "Kubelet version" kubeletVersion="v1.36.2"', Date.now()));
  const child = spawn(
    process.execPath,
    [PROGRAM, 'attach', '--log', log, '--ui-port', '0', '--record', join(folder, 'run.syncloop')],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  try {
    let said = '';
    await new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`attach ended with ${code}: ${said}`)));
      child.stderr.setEncoding('utf8').on('data', (text) => {
        said += text;
        if (said.includes('#code=')) resolve();
      });
    });
    let lines = 0;
    let bytes = 0;
    let most = 0;
    let from;
    const begun = performance.now();
    for (let tick = 1; ; tick++) {
      const now = Date.now();
      let text = '';
      for (const some of due(tick, busy))
        for (const line of some) {
          text += stamped(line, now);
          if (from) lines++;
        }
      if (from) bytes += text.length;
      appendFileSync(log, text);
      if (statSync(log).size > ROTATE_BYTES) {
        copyFileSync(log, `${log}.1`);
        truncateSync(log);
      }
      const seconds = (performance.now() - begun) / 1000;
      if (!from && seconds > WARM_SECONDS) from = { ...costs(child.pid), at: performance.now() };
      if (from && tick % 10 === 0) most = Math.max(most, costs(child.pid).together);
      if (seconds > WARM_SECONDS + SECONDS) break;
      await delay(Math.max(0, begun + tick * TICK - performance.now()));
    }
    const to = costs(child.pid);
    const millis = performance.now() - from.at;
    return {
      linesPerSecond: Math.round((lines / millis) * 1000),
      kilobytesPerSecond: Math.round(bytes / millis),
      percentOfOneCore: Number((((to.millis - from.millis) / millis) * 100).toFixed(2)),
      mebibytes: Math.round(most),
      rssOfEach: to.each,
      recordingBytesPerLine: Math.round(statSync(join(folder, 'run.syncloop')).size / lines),
    };
  } finally {
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function run() {
  return { pods: PODS, seconds: SECONDS, steady: await one(false), busy: await one(true) };
}
