/**
 * A run with a replaced part compared with the same run without: a node with three pods, two of which crash, for five
 * simulated minutes, with the reference of each stage in place of the kubelet's own code. `ratio`: processor time with
 * the part, divided by that without; the median of `rounds` pairs. By itself: node bench/workshop.mjs
 */
import { pathToFileURL } from 'node:url';
import { defaultEra, loadEras } from '@syncloop/core/kubelet';
import { erasOfPart, useParts } from '@syncloop/core/kubelet/parts';
import { parseScenario, startScenario } from '@syncloop/core/scenario';
import { createInterpreter } from '@syncloop/workshop/interpreter';
import { makePartsWith } from '@syncloop/workshop/seams';
import { stages } from '@syncloop/workshop/stages';
import { median } from './measure.mjs';

const pod = (name, command) => ({
  apply: {
    manifest: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: {
        containers: [
          {
            name: 'app',
            image: 'localhost/busybox:dev',
            imagePullPolicy: 'IfNotPresent',
            command: ['sh', '-c', command],
            livenessProbe: { exec: { command: ['true'] }, periodSeconds: 1 },
          },
        ],
      },
    },
  },
});
const scenario = (parts, era = defaultEra) =>
  parseScenario(
    JSON.stringify({
      apiVersion: 'syncloop.dev/v1alpha2',
      kind: 'Scenario',
      metadata: { name: 'bench' },
      spec: {
        ...(era !== defaultEra && { era }),
        node: { fileCheckFrequency: '1s' },
        ...(parts && { parts }),
        steps: [
          pod('steady', 'sleep 900'),
          pod('one', 'sleep 2; exit 1'),
          pod('two', 'sleep 3; exit 1'),
          { wait: '5m' },
        ],
      },
    }),
  );

/** Runs it, and returns the processor time in ms and how many calls of the part there were. */
function measured(of) {
  let calls = 0;
  const before = process.cpuUsage();
  startScenario(of, { sink: (r) => void (r.kind === 'part' && calls++) }).run();
  const { user, system } = process.cpuUsage(before);
  return { millis: (user + system) / 1000, calls };
}

export async function run({ rounds = 5 } = {}) {
  useParts(makePartsWith(await createInterpreter()));
  const results = {};
  await loadEras();
  measured(scenario(null));
  for (const listed of stages) {
    const { parts, files } = await listed.load();
    const [era] = erasOfPart(parts[0]);
    const plain = scenario(null, era);
    const source = { file: 'reference.ts', source: files.reference };
    const replaced = scenario(Object.fromEntries(parts.map((part) => [part, source])), era);
    const pairs = Array.from({ length: rounds }, () => ({ without: measured(plain), with: measured(replaced) }));
    results[listed.name] = {
      ratio: Number(median(pairs.map((p) => p.with.millis / p.without.millis)).toFixed(2)),
      millisWithout: Math.round(median(pairs.map((p) => p.without.millis))),
      millisWith: Math.round(median(pairs.map((p) => p.with.millis))),
      recordedCalls: pairs[0].with.calls,
    };
  }
  return results;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  console.log(JSON.stringify(await run(), null, 2));
