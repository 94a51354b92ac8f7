/**
 * Counts of the simulated kubelet, which are the same on every machine: 110 pods start, do nothing but their probes, or
 * crash in loops. Run by itself it prints JSON; the allocations need the flags that `simulatedCounts` starts it with.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Kernel, Second, seeded } from '@syncloop/core/kernel';
import { SimulatedNode } from '@syncloop/core/scenario';
import { CRASHING, manifest, PODS, STEADY } from '../manifests.mjs';

const START_LIMIT = 600 * Second;
/** Simulated seconds: how long after the start the quiet minute begins, and how long each measurement takes. */
const SETTLED = 30;
const SPAN = 30;

/**
 * Without the optimizing compiler, whose moment is not the same in each run and which removes allocations; with a young
 * generation that is larger than the allocations of a simulated second, so that nothing is collected within one.
 */
const FLAGS = [
  '--expose-gc',
  '--no-opt',
  '--single-threaded',
  '--min-semi-space-size=128',
  '--max-semi-space-size=128',
];

/** Makes a node with its pods, and the counts of its kernel since `reset`. */
function nodeWith(container) {
  const counted = { records: 0, bytes: 0, criCalls: 0 };
  const kernel = new Kernel({
    seed: 1,
    policy: seeded(1),
    sink(record) {
      counted.records++;
      if (measuring.bytes) counted.bytes += JSON.stringify(record).length;
      if (record.kind === 'cri-call') counted.criCalls++;
    },
  });
  const measuring = { bytes: false };
  const node = new SimulatedNode(kernel, { config: { staticPodPath: '/etc/kubernetes/manifests', maxPods: PODS } });
  for (let i = 0; i < PODS; i++) node.putManifest(`p${i}.yaml`, manifest(i, container));
  node.startKubelet();
  const at = () => ({ ...counted, steps: kernel.steps, time: kernel.now() });
  return {
    kernel,
    measuring,
    at,
    running: () => node.mock.containers().filter((c) => c.state === 'running').length,
    second: () => void kernel.run({ until: kernel.now() + Second }),
  };
}

const since = (before, after) => Object.fromEntries(Object.keys(before).map((key) => [key, after[key] - before[key]]));

/** Counts per pod, from nothing until all run. */
function start() {
  const node = nodeWith(STEADY);
  node.measuring.bytes = true;
  while (node.running() < PODS) {
    if (node.kernel.now() > START_LIMIT) throw new Error(`only ${node.running()} of ${PODS} containers run`);
    node.second();
  }
  const { records, bytes, criCalls, steps } = node.at();
  return {
    recordsPerPodStart: records / PODS,
    recordBytesPerPodStart: bytes / PODS,
    criCallsPerPodStart: criCalls / PODS,
    stepsPerPodStart: steps / PODS,
  };
}

/** Counts per simulated second, once `settled` seconds are over. */
function running(name, container, settled) {
  const node = nodeWith(container);
  for (let i = 0; i < settled; i++) node.second();
  const before = node.at();
  let allocated = 0;
  for (let i = 0; i < SPAN; i++) {
    globalThis.gc?.();
    const heap = process.memoryUsage().heapUsed;
    node.second();
    allocated += process.memoryUsage().heapUsed - heap;
  }
  const { records, criCalls, steps } = since(before, node.at());
  return {
    [`${name}RecordsPerSecond`]: records / SPAN,
    [`${name}CriCallsPerSecond`]: criCalls / SPAN,
    [`${name}StepsPerSecond`]: steps / SPAN,
    [`${name}AllocatedBytesPerSecond`]: allocated / SPAN,
  };
}

const all = () => ({
  ...start(),
  ...running('quiet', STEADY, SETTLED),
  ...running('crashLoop', CRASHING, 20),
});

/** The counts, from a process of their own. */
export function simulatedCounts() {
  return JSON.parse(
    execFileSync(process.execPath, [...FLAGS, fileURLToPath(import.meta.url)], {
      encoding: 'utf8',
      maxBuffer: 1 << 20,
    }),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(JSON.stringify(all()));
