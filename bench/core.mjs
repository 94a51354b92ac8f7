/**
 * The kubelet and the mock runtime on virtual time, as in a browser: 110 pods, a probe every 10 s each, every record
 * into a ring. Simulated seconds per real second when nothing happens, in a storm of crash loops, and the time 110 pods
 * take to start. Prints JSON.
 */
import { RecordStore } from '@syncloop/core/debug';
import { Kernel, Second, seeded } from '@syncloop/core/kernel';
import { SimulatedNode } from '@syncloop/core/scenario';
import { CRASHING, manifest, PODS, STEADY } from './manifests.mjs';

/** Ways to keep records: none, the newest 200,000 of them, or all that a session does with them. */
const sinks = {
  off: () => ({}),
  ring() {
    const ring = new Array(200_000);
    let n = 0;
    return {
      sink(record) {
        ring[n++ % ring.length] = record;
      },
    };
  },
  session() {
    const store = new RecordStore();
    return { sink: (record) => store.push(record) };
  },
};

function node(sink, container, pods = PODS) {
  const kernel = new Kernel({ seed: 1, policy: seeded(1), ...sinks[sink]() });
  const n = new SimulatedNode(kernel, { config: { staticPodPath: '/etc/kubernetes/manifests', maxPods: PODS } });
  for (let i = 0; i < pods; i++) n.putManifest(`p${i}.yaml`, manifest(i, container));
  n.startKubelet();
  return { kernel, running: () => n.mock.containers().filter((c) => c.state === 'running').length };
}

/** Simulated seconds per real one, over about `millis` of real time. */
function speed(kernel, millis) {
  const before = kernel.now();
  const records = kernel.lastSeq;
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  let real = 0;
  do {
    kernel.run({ until: kernel.now() + Second });
    real = performance.now() - start;
  } while (real < millis);
  const simulated = (kernel.now() - before) / Second;
  const cpu = process.cpuUsage(cpuBefore);
  return {
    simulatedPerSecond: Math.round((simulated / real) * 1000),
    // On a machine that is busy otherwise this is more reliable.
    simulatedPerCPUSecond: Math.round((simulated * 1e6) / (cpu.user + cpu.system)),
    recordsPerSimulatedSecond: Math.round((kernel.lastSeq - records) / simulated),
  };
}

/** Real milliseconds until all pods run. */
function startUp(sink) {
  const start = performance.now();
  const { kernel, running } = node(sink, STEADY);
  while (running() < PODS) {
    kernel.run({ until: kernel.now() + Second / 4 });
    if (kernel.now() > 600 * Second)
      throw new Error(`only ${running()} of ${PODS} containers run after ${kernel.now() / Second} s`);
  }
  return { realMillis: Math.round(performance.now() - start), simulatedSeconds: kernel.now() / Second };
}

const parts = {
  startUp(sink) {
    startUp(sink);
    return startUp(sink);
  },
  steady(sink, millis) {
    const { kernel } = node(sink, STEADY);
    kernel.run({ until: 60 * Second });
    speed(kernel, millis / 3);
    return speed(kernel, millis);
  },
  crashLoops(sink, millis) {
    const { kernel } = node(sink, CRASHING);
    // The storm comes first; after some ten minutes the back-offs have reached their final values.
    kernel.run({ until: 20 * Second });
    return speed(kernel, millis);
  },
};

/** `part`, `sink`: only these; `millis`: real time for each measurement. */
export function run({ part, sink, millis = 3000 } = {}) {
  const out = { pods: PODS };
  for (const p of part ? [part] : Object.keys(parts)) {
    out[p] = {};
    for (const s of sink ? [sink] : Object.keys(sinks)) out[p][s] = parts[p](s, millis);
  }
  return out;
}
