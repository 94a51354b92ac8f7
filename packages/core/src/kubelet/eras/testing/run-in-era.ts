import type { PodStatus } from '../../../api/types.js';
import type { CRIServices } from '../../../cri/index.js';
import { parseScenario } from '../../../scenario/document/parse.js';
import type { ScenarioRun } from '../../../scenario/run/run.js';
import { startScenario } from '../../../scenario/run/start.js';
import type { Json, RecordOf, TraceRecord } from '../../../trace/index.js';
import { isListing } from '../../../trace/kinds/runtime.js';
import type { EraVersion } from '../../era/index.js';

/** A scenario as JSON, which is YAML too: what stands under `spec`. */
export interface ScenarioOfTest {
  readonly node?: object;
  readonly machine?: object;
  readonly calls?: readonly object[];
  readonly startKubelet?: boolean;
  /** Steps without an argument are words. */
  readonly steps: readonly (object | string)[];
}

/** A container's manifest with a shell command. */
export const container = (command: string, more: object = {}): object => ({
  name: 'app',
  image: 'localhost/busybox:dev',
  imagePullPolicy: 'Never',
  command: ['sh', '-c', command],
  ...more,
});
/** A shell command that runs until SIGTERM, and then ends after this many seconds. */
export const untilTerm = (seconds = 0): string =>
  `trap '${seconds > 0 ? `sleep ${seconds}; ` : ''}exit 0' TERM; while true; do sleep 0.2; done`;

/** A pod's manifest of one container, which runs until SIGTERM unless told otherwise. */
export function pod(name: string, spec: object = {}, metadata: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { terminationGracePeriodSeconds: 8, containers: [container(untilTerm())], ...spec },
  };
}

/** A run of one version of the kubelet, as it shows from outside. */
export class EraRun {
  constructor(
    readonly run: ScenarioRun,
    readonly records: readonly TraceRecord[],
  ) {}

  of<K extends TraceRecord['kind']>(kind: K): RecordOf<K>[] {
    return this.records.filter((r): r is RecordOf<K> => r.kind === kind);
  }
  /** Calls to the runtime that change something; with a method those of it. */
  calls(method?: string): RecordOf<'cri-call'>[] {
    return this.of('cri-call').filter((c) => (method ? c.method === method : !isListing(c.method)));
  }
  /** Names of the calls to the runtime that change something. */
  get methods(): string[] {
    return this.calls().map((c) => c.method);
  }
  /** The statuses that the status manager took of a pod, by the name of its manifest. */
  statuses(name: string): (PodStatus & { readonly time: number; readonly seq: number })[] {
    return this.of('status')
      .filter((r) => isNamed(r.pod, name))
      .map((r) => ({ ...(r.status as unknown as PodStatus), time: r.time, seq: r.seq }));
  }
  lastStatus(name: string): PodStatus | undefined {
    return this.statuses(name).at(-1);
  }
  /** Types of the conditions in a pod's last status. */
  conditions(name: string): string[] {
    return (this.lastStatus(name)?.conditions ?? []).map((c) => c.type);
  }
  condition(name: string, type: string) {
    return this.lastStatus(name)?.conditions?.find((c) => c.type === type);
  }
  events(reason: string): RecordOf<'kube-event'>[] {
    return this.of('kube-event').filter((e) => e.reason === reason);
  }
  /** Lines of the log that contain this text. */
  lines(text: string): RecordOf<'log'>[] {
    return this.of('log').filter((l) => l.msg.includes(text));
  }
  /** Returns the traced calls of a function. */
  entered(fn: string): RecordOf<'enter'>[] {
    return this.of('enter').filter((e) => e.fn === fn);
  }
  /** Records that were made within a traced call by the goroutine that made it, or by those that it started. */
  within(enter: RecordOf<'enter'>): TraceRecord[] {
    const family = new Set([enter.g]);
    const inside: TraceRecord[] = [];
    // Records are numbered from 1, without holes.
    for (let i = enter.seq; i < this.records.length; i++) {
      const r = this.records[i] as TraceRecord;
      if (r.kind === 'exit' && r.of === enter.seq) break;
      if (!family.has(r.g)) continue;
      if (r.kind === 'goroutine-start') family.add(r.id);
      inside.push(r);
    }
    return inside;
  }
  /** Names of the steps of one call of SyncPod or its siblings. */
  steps(enter: RecordOf<'enter'>): string[] {
    return this.within(enter).flatMap((r) => (r.kind === 'step' && r.fn === enter.fn ? [r.name] : []));
  }
  /** Decisions by a rule. */
  decisions(rule: string): RecordOf<'decision'>[] {
    return this.of('decision').filter((d) => d.rule === rule);
  }
  /** The first record after another one for which something holds; throws if there is none. */
  after(from: { readonly seq: number }, holds: (r: TraceRecord) => boolean): TraceRecord {
    const found = this.records.find((r) => r.seq > from.seq && holds(r));
    if (!found) throw new Error(`nothing like that comes after record ${from.seq}`);
    return found;
  }
  /** The channel of a name: its capacity. */
  capacity(name: string): number | undefined {
    return this.of('chan-make').find((c) => c.name === name)?.cap;
  }
  /** The kubelet that runs; throws if none does. */
  get kubelet() {
    const { kubelet } = this.run;
    if (!kubelet) throw new Error('no kubelet runs');
    return kubelet;
  }
}

const isNamed = (ref: string, name: string): boolean => {
  const own = ref.slice(ref.indexOf('/') + 1);
  return own === name || own === `${name}-node1`;
};

/** Does something between two steps of a run, as the kubelet's own code would. */
export function within<T>(r: EraRun, act: () => T): T {
  let result: { value: T } | undefined;
  r.run.kernel.post(() => {
    result = { value: act() };
  });
  r.run.step();
  if (!result) throw new Error('it was not done');
  return result.value;
}

/** Returns the request in a record of the CRI. */
export const requestOf = (call: RecordOf<'cri-call'>) => call.request as { readonly [key: string]: Json };

const done = new Map<string, EraRun>();

/** Starts a scenario in a version of the kubelet, which must be loaded. `tap` is before the runtime. */
export function startInEra(
  era: EraVersion,
  { steps, node, ...spec }: ScenarioOfTest,
  { seed = 1, tap }: { seed?: number; tap?: (services: CRIServices) => CRIServices } = {},
): EraRun {
  const records: TraceRecord[] = [];
  const text = JSON.stringify({
    apiVersion: 'syncloop.dev/v1alpha2',
    kind: 'Scenario',
    metadata: { name: 'era' },
    spec: { era, node: { fileCheckFrequency: '1s', ...node }, ...spec, steps },
  });
  const run = startScenario(parseScenario(text, 'era.yaml'), {
    seed,
    ...(tap && { tap }),
    sink: (r) => void records.push(r),
  });
  return new EraRun(run, records);
}

/** Runs a scenario to its end; the same one again gives the same run. Throws if a step could not be done. */
export function runInEra(era: EraVersion, scenario: ScenarioOfTest, seed = 1): EraRun {
  const key = JSON.stringify([era, scenario, seed]);
  const known = done.get(key);
  if (known) return known;
  const started = startInEra(era, scenario, { seed });
  started.run.run();
  const [failure] = started.run.failures;
  if (failure) throw new Error(`${era}: ${failure.message}`);
  done.set(key, started);
  return started;
}
