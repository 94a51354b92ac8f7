/** The troubles that a capture's scenario made, by its steps and by the statuses that its pods had. */
import type { IncidentKind } from '@syncloop/core/debug/incidents';

/** A trouble that was made. One incident of one of these kinds has to name it. */
export interface Made {
  readonly what: string;
  readonly kinds: readonly IncidentKind[];
  /** Its pod, as statuses name it; '' for the node. */
  readonly pod: string;
  /** It was asked for: an incident of it must not count as wrong. */
  readonly expected?: boolean;
  /** It need not be named: a log at low verbosity may not have it, or it may have had no effect. */
  readonly optional?: boolean;
}

type Value = { readonly [key: string]: unknown };
export interface Scenario {
  readonly steps: readonly (readonly unknown[])[];
  readonly marks: readonly { readonly at: number; readonly step: string; readonly args: readonly unknown[] }[];
  readonly startedMillis: number;
  /** Snapshots of all pods' statuses. */
  readonly statuses: readonly { readonly at: number; readonly pods: readonly Value[] }[];
}

const SECOND = 1000;
const EXITS: readonly IncidentKind[] = ['container-exit', 'crash-loop', 'oom'];
const object = (value: unknown): Value => (typeof value === 'object' && value !== null ? (value as Value) : {});
const list = (value: unknown): readonly Value[] => (Array.isArray(value) ? value.map(object) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** An end of a container that was not its pod's end. */
interface Exit {
  readonly pod: string;
  readonly container: string;
  readonly code: number;
  readonly at: number;
}

export function madeBy(scenario: Scenario): readonly Made[] {
  const { marks } = scenario;
  const exits = exitsOf(scenario);
  const known = new Set(scenario.statuses.flatMap((s) => s.pods.map((p) => text(p.name))));
  const specs = new Map<string, Value>();
  const made: Made[] = [];
  const named = (name: unknown) => [`${text(name)}-node1`, text(name)].find((n) => known.has(n)) ?? text(name);
  for (const [i, { at, step: verb }] of marks.entries()) {
    // Marks have a pod's name where steps have the whole pod.
    const [, ...given] =
      scenario.steps[i]?.[0] === verb ? (scenario.steps[i] ?? []) : [verb, ...(marks[i]?.args ?? [])];
    const [step, args] = verb === 'try' ? [text(given[0]), given.slice(1)] : [verb, given];
    const pod = named(args[0]);
    switch (step) {
      case 'put':
      case 'create': {
        const body = object(args[0]);
        const name = named(object(body.metadata).name);
        specs.set(name, object(body.spec));
        made.push(...ofSpec(name, object(body.spec), known));
        break;
      }
      case 'kill':
        made.push({
          what: `kill ${pod} ${text(args[1])}`,
          kinds: EXITS,
          pod,
          optional: !exits.some((e) => e.pod === pod && near(e.at, at)),
        });
        break;
      case 'killSandbox':
        made.push({ what: `killSandbox ${pod}`, kinds: ['sandbox-died'], pod, optional: !anyEnd(scenario, pod, at) });
        break;
      case 'exec':
        made.push(...ofProbes(pod, text(args[1]), specs.get(pod) ?? {}, exits, scenario, at, list1(args[2])));
        break;
      case 'stopRuntime':
        made.push({ what: 'stopRuntime', kinds: ['runtime-down'], pod: '' });
        break;
      case 'stopApi':
        made.push({ what: 'stopApi', kinds: ['api-unreachable'], pod: '' });
        break;
      case 'startKubelet':
        made.push({ what: 'stopKubelet', kinds: ['kubelet-restarted'], pod: '', expected: true });
        break;
      case 'patch': {
        const name = named(args[1]);
        if (JSON.stringify(args[2]).includes('activeDeadlineSeconds'))
          made.push({ what: `deadline of ${name}`, kinds: ['deadline'], pod: name, expected: true });
        break;
      }
      case 'del':
        // A static pod's mirror may go: its pod stays.
        if (args[2] === 0 && !named(args[1]).endsWith('-node1'))
          made.push({
            what: `del ${named(args[1])} at once`,
            kinds: ['force-deleted'],
            pod: named(args[1]),
            expected: true,
          });
        break;
    }
  }
  for (const pod of new Set(exits.map((e) => e.pod)))
    made.push({ what: `exits of ${pod}`, kinds: EXITS, pod, optional: true });
  for (const pod of backingOff(scenario)) made.push({ what: `back-off of ${pod}`, kinds: ['crash-loop'], pod });
  return made;
}

const list1 = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(text) : []);
const near = (at: number, mark: number) => at >= mark - SECOND && at <= mark + 6 * SECOND;

/** Troubles that are in the definition of a pod: what it lacks, and hooks that fail. */
function ofSpec(pod: string, spec: Value, known: ReadonlySet<string>): Made[] {
  const made: Made[] = [];
  const containers = [...list(spec.initContainers), ...list(spec.containers)];
  // A container that ends, and is to run always, is in a crash loop whatever its exit code.
  if (
    (spec.restartPolicy ?? 'Always') === 'Always' &&
    containers.some((c) => !/while true/.test(JSON.stringify(c.command ?? '')))
  )
    made.push({ what: `restarts of ${pod}`, kinds: EXITS, pod, optional: true });
  if (!known.has(pod)) made.push({ what: `manifest of ${pod}`, kinds: ['sources'], pod: '', optional: true });
  for (const c of containers) {
    const refs = list(c.env).map((e) => object(e.valueFrom));
    if (refs.some((r) => r.configMapKeyRef !== undefined || r.secretKeyRef !== undefined))
      made.push({ what: `ConfigMap of ${pod}`, kinds: ['config-missing'], pod });
    if (!/^localhost\/busybox:(dev|next)$/.test(text(c.image)))
      made.push({ what: `image of ${pod}`, kinds: ['image'], pod });
    const { postStart, preStop } = object(c.lifecycle);
    for (const [hook, value] of [
      ['postStart', postStart],
      ['preStop', preStop],
    ] as const)
      if (/exit [1-9]/.test(JSON.stringify(value ?? '')))
        made.push({ what: `${hook} of ${pod}`, kinds: ['hook'], pod, optional: hook === 'preStop' });
    // A probe that begins before the container has made its file.
    if (c.readinessProbe !== undefined && !/touch \/tmp\/ok;/.test(JSON.stringify(c.command ?? '')))
      made.push({ what: `readiness of ${pod}`, kinds: ['probe-readiness'], pod, optional: true });
  }
  return made;
}

/** The file that probes look at is removed: the probes of the container fail. */
function ofProbes(
  pod: string,
  container: string,
  spec: Value,
  exits: readonly Exit[],
  scenario: Scenario,
  at: number,
  command: readonly string[],
): Made[] {
  if (!command.includes('rm')) return [];
  const found = [...list(spec.initContainers), ...list(spec.containers)].find((c) => c.name === container);
  if (!found) return [];
  const probes = (['liveness', 'readiness', 'startup'] as const).filter((p) => found[`${p}Probe`] !== undefined);
  // It may not have run any more.
  const ran = scenario.statuses.some(
    (s) => Math.abs(s.at - at) < 2 * SECOND && s.pods.some((p) => p.name === pod && runs(p, container)),
  );
  return probes.map((probe): Made => {
    const worked =
      probe === 'liveness'
        ? exits.some((e) => e.pod === pod && e.container === container && e.at > at && e.at < at + 20 * SECOND)
        : ran && !probes.includes('liveness');
    return {
      what: `${probe} probe of ${pod} ${container}`,
      kinds: [`probe-${probe}`],
      pod,
      optional: !worked || probe === 'startup',
    };
  });
}
const containersOf = (pod: Value): readonly Value[] => {
  const status = object(pod.status);
  return [...list(status.initContainerStatuses), ...list(status.containerStatuses)];
};
const runs = (pod: Value, container: string): boolean =>
  containersOf(pod).some((c) => c.name === container && object(c.state).running !== undefined);

/** Every end of a container with a code other than 0 that came before its pod was to end. */
function exitsOf({ marks, statuses, startedMillis }: Scenario): Exit[] {
  const ends = new Map<string, number>();
  const begun = new Set<string>();
  for (const { at, step, args } of marks) {
    const name = text(step === 'del' ? args[1] : args[0]) || text(object(object(args[0]).metadata).name);
    // A manifest that is written again replaces its pod.
    if (step === 'rm' || step === 'del' || (step === 'put' && begun.has(name))) ends.set(`${name} ${at}`, at);
    if (step === 'put' || step === 'create') begun.add(name);
  }
  const isEnding = (name: string, at: number) =>
    [...ends].some(
      ([key, end]) => key.startsWith(`${name.replace(/-node1$/, '')} `) && at > end - SECOND && at < end + 15 * SECOND,
    );
  const exits = new Map<string, Exit>();
  for (const { pods } of statuses)
    for (const pod of pods)
      for (const c of containersOf(pod))
        for (const state of [object(c.state), object(c.lastState)]) {
          const end = object(state.terminated);
          const id = text(end.containerID);
          if (id === '' || typeof end.exitCode !== 'number' || end.exitCode === 0) continue;
          const name = text(pod.name);
          const at = Date.parse(text(end.finishedAt)) - startedMillis;
          if (isEnding(name, at)) continue;
          exits.set(id, { pod: name, container: text(c.name), code: end.exitCode, at });
        }
  return [...exits.values()];
}
function anyEnd({ statuses, startedMillis }: Scenario, name: string, mark: number): boolean {
  return statuses.some(({ pods }) =>
    pods.some(
      (pod) =>
        pod.name === name &&
        containersOf(pod).some((c) =>
          [object(c.state), object(c.lastState)].some((s) => {
            const at = Date.parse(text(object(s.terminated).finishedAt)) - startedMillis;
            return at >= mark - SECOND && at <= mark + 8 * SECOND;
          }),
        ),
    ),
  );
}
/** Pods with a container that waits in CrashLoopBackOff. */
function backingOff({ statuses }: Scenario): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { pods } of statuses)
    for (const pod of pods)
      if (containersOf(pod).some((c) => object(object(c.state).waiting).reason === 'CrashLoopBackOff'))
        found.add(text(pod.name));
  return found;
}
