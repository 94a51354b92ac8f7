import { deepCopy } from '../../base/deep.js';
import { messageOf } from '../../base/index.js';
import { compile } from '../../expression/index.js';
import { tryDecodeSinglePod } from '../../kubelet/config/common.js';
import { defaultEra } from '../../kubelet/era/versions.js';
import { eraNotes, parseAction, type ScenarioRun } from '../../scenario/index.js';
import type { NodeState, TraceRecord } from '../../trace/index.js';
import type { ContainerLog, ImageAnswer } from '../protocol/objects.js';
import { fromOutside, mustHaveManifest, type Simulation } from './simulation.js';

/**
 * A run as a debug session drives it. It has no end: when the scenario is over, the node is the user's to play with.
 */
export function simulationOf(run: ScenarioRun): Simulation {
  const { nodeName } = run.config;
  const { openAt } = run.scenario;
  const notes = eraNotes(run.scenario, run.era);
  const where = openAt?.where === undefined ? null : compile(openAt.where);
  return {
    kernel: run.kernel,
    title: run.scenario.title.en,
    titles: { ...run.scenario.title },
    runtime: run.era === defaultEra ? 'mock runtime' : `kubelet ${run.era} on mock runtime`,
    ...(run.era !== defaultEra && { era: run.era }),
    ...(run.ofAnotherEra && { writtenFor: run.scenario.era ?? defaultEra }),
    ...(notes.length > 0 && { eraNotes: notes }),
    node: nodeName,
    seed: run.seed,
    manifests: () => run.manifests(),
    manifestsVersion: () => run.node.manifestsVersion,
    objects: () => ({
      pods: run.node.podsWithStatus(),
      api: run.api?.list().map(deepCopy) ?? null,
      images: run.mock.images(),
      answers: answersOf(run),
      cluster: run.api?.printed() ?? null,
    }),
    log: (id, from = 0) => containerLog(run, id, from),
    interventions: {
      apply: ({ file = 'pod.yaml', manifest }) =>
        fromOutside(run.kernel, 'apply', [file], () => run.apply(manifest, file)),
      delete({ file }) {
        mustHaveManifest(run, file);
        fromOutside(run.kernel, 'delete', [file], () => run.deleteManifest(file));
      },
      kill: ({ uid, container }) =>
        // The same names as the scenario's steps have.
        container === undefined
          ? fromOutside(run.kernel, 'killSandbox', [uid], () => run.kill(uid))
          : fromOutside(run.kernel, 'kill', [uid, container], () => run.kill(uid, container)),
      act: ({ action }) => run.act(parseAction(action)),
    },
    ...(openAt && {
      opensAt: (record: TraceRecord, state: NodeState) =>
        record.kind === openAt.kind && (where === null || where.test({ record, state })),
    }),
    rest: () => run.rest(),
    stepsDone: () => run.done,
    outcome: () => ({ state: run.outcome, failures: run.failures.map((f) => f.message) }),
    check(text, file) {
      const decoded = tryDecodeSinglePod(text, { source: file, isFile: true, nodeName });
      return 'error' in decoded ? `${file}: ${messageOf(decoded.error)}` : null;
    },
  };
}

function answersOf({ mock }: ScenarioRun): ImageAnswer[] {
  return mock.registry().map(({ ref, behaviour }) => {
    if (behaviour.kind !== 'serve') return { ref, kind: behaviour.kind };
    const { does, doesIn, assumed } = behaviour.image;
    return { ref, kind: 'serve', ...(does && { does }), ...(doesIn && { doesIn }), ...(assumed && { assumed }) };
  });
}

/** Most lines of a log that are handed out at once: the newest. */
const MOST_LINES = 20_000;

function containerLog(run: ScenarioRun, id: string, from: number): ContainerLog {
  const container = run.mock.containers().find((c) => c.id === id);
  if (!container) throw new Error(`unable to retrieve container logs for containerd://${id}`);
  const { logPath: path } = container;
  const { fs } = run.mock;
  const text = path !== '' && fs.existsSync(path) ? fs.readFileSync(path) : '';
  const lines = text.split('\n').slice(0, -1);
  // A file that got shorter is a new one.
  const first = Math.max(from > lines.length ? 0 : from, lines.length - MOST_LINES);
  return { path, from: first, lines: lines.slice(first) };
}
