import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type GoldenRecording, runGolden } from '../../conformance/golden/index.js';
import { loadEras } from '../era/index.js';

const folder = new URL('../../../testdata/eras/v1.21/', import.meta.url);
const recordings = readdirSync(folder).map(
  (file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as GoldenRecording,
);

beforeAll(() => loadEras());

interface Line {
  /** Severity, file and message. */
  readonly text: string;
  /** The line of the file, and the names of the fields. */
  readonly form: string;
}

const ids = (text: string) => text.replace(/[0-9a-f]{32,}/g, 'ID');

function lineOf(line: string): Line | null {
  const [, severity, file, at, body = ''] = /^([IWE])\d{4} \S+ +\d+ ([^ :]+):(\d+)\] (.*)$/s.exec(line) ?? [];
  if (!file) return null;
  const msg = /^"(?:\\.|[^"\\])*"/.exec(body)?.[0] ?? body.slice(0, 90);
  const fields = body.slice(msg.length).replace(/"(?:\\.|[^"\\])*"|[{[][^\]}]*[\]}]/g, '');
  const names = [...fields.matchAll(/ (\w+)=/g)].map((m) => m[1]);
  return { text: ids(`${severity} ${file} ${msg}`), form: `${at} ${names.join(' ')}` };
}
const linesOf = (log: readonly string[]) =>
  new Map(
    log
      .map(lineOf)
      .filter((line) => line !== null)
      .map(({ text, form }) => [text, form]),
  );

/** Lines in the recordings of parts that are not simulated, or that went otherwise on that machine. */
const notOurs = [
  'E kubelet.go "Image garbage collection failed once. Stats initialization may not have completed yet"',
  'I helpers.go "Already ran container, do nothing"',
  'I kubelet_pods.go "Running pod is pending termination"',
  'I reconciler.go "Get volumes from pod directory"',
  'I remote_runtime.go "Connecting to runtime service"',
  'I remote_runtime.go parsed scheme: ""',
  'I remote_runtime.go scheme "" not registered, fallback to default scheme',
  'I worker.go "No status for pod"',
];
/** Lines of which a recording keeps none: the recorder left them out. All but the last four are in a whole log. */
const notKept = [
  'I config.go "Setting pods for source"',
  'I eviction_manager.go "Eviction manager: no resources are starved"',
  'I eviction_manager.go "Eviction manager: synchronize housekeeping"',
  'I file.go "Reading config file"',
  'I helpers.go "Eviction manager:"',
  'I kubelet.go "Container runtime status"',
  'I kubelet_node_status.go "Recording event message for node"',
  'I kubelet_node_status.go "Setting node annotation to enable volume controller attach/detach"',
  'I kuberuntime_manager.go "Backing Off restarting container in pod"',
  'I kuberuntime_manager.go "Creating container in pod"',
  'I node_container_manager_linux.go "Attempting to enforce Node Allocatable"',
  'I server.go "Started kubelet"',
  'I kubelet.go "Image garbage collection succeeded"',
  'I kubelet_volumes.go "Pod is pending termination"',
  'I worker.go "Probe target container not found"',
];
/** Chance: a pod that was just killed is killed a second time, or not (E10). */
const secondKill =
  /"(Killing unwanted pod|Marking (running )?pod (pending )?termination|PreStop hook failed|Exec lifecycle hook for Container in Pod failed)"$/;

describe.each(recordings.map((r) => [r.scenario, r] as const))('the log of v1.21 in %s', (_, recording) => {
  it('[5:N12] is that of a real kubelet: no line too many, none missing, each in its words', () => {
    const real = linesOf(recording.klog);
    const ours = linesOf(runGolden(recording, { era: 'v1.21' }).klog);
    expect(real.size).toBeGreaterThan(30);
    const missing = [...real.keys()].filter((text) => !ours.has(text) && !secondKill.test(text));
    expect(missing.filter((text) => !notOurs.includes(text))).toEqual([]);
    const added = [...ours.keys()].filter((text) => !real.has(text) && !secondKill.test(text));
    expect(added.filter((text) => !notKept.includes(text))).toEqual([]);
    for (const [text, form] of ours) if (real.has(text)) expect(`${text} ${form}`).toBe(`${text} ${real.get(text)}`);
  });
});
