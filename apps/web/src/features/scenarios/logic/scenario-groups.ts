/** The library by subject. A table by name: what a scenario is about is not in its text. */
export const SCENARIO_GROUPS = {
  first: ['hello', 'crash-loop', 'init-and-sidecar', 'two-pods', 'run-to-completion'],
  config: [
    'static-pod-edited',
    'update-in-place',
    'same-uid-again',
    'broken-manifest',
    'api-pod',
    'mirror-pod',
    'debug-container',
    'resize',
  ],
  loop: ['many-pods', 'full-node', 'slow-runtime', 'unfair-select'],
  images: ['image-missing', 'pull-refused', 'slow-pull'],
  starting: [
    'init-failing',
    'config-error',
    'sandbox-error',
    'create-error',
    'start-error',
    'post-start-fails',
    'volume-missing',
  ],
  dying: ['container-killed', 'oom', 'restart-rules', 'deadline', 'sandbox-killed'],
  probes: ['liveness', 'readiness', 'startup-probe', 'flapping-probe'],
  stopping: ['graceful-delete', 'pre-stop-hangs', 'stop-error', 'sidecar-order'],
  node: [
    'admission-refused',
    'preemption',
    'memory-pressure',
    'disk-pressure',
    'qos-tiers',
    'soft-eviction',
    'node-shutdown',
    'network-not-ready',
    'runtime-stopped',
    'pleg-unhealthy',
    'api-unreachable',
    'kubelet-restart',
    'kubelet-crash',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** `other`: not of the library this page was built with. */
export type ScenarioGroup = keyof typeof SCENARIO_GROUPS | 'other';
export const scenarioGroups = [...Object.keys(SCENARIO_GROUPS), 'other'] as readonly ScenarioGroup[];

const groupOf = new Map<string, ScenarioGroup>(
  Object.entries(SCENARIO_GROUPS).flatMap(([group, names]) =>
    names.map((name) => [name, group as ScenarioGroup] as const),
  ),
);

interface Named {
  readonly name: string;
}

/** Those whose words hold all that was typed, by group; within a group in the order of the table. Empty groups are left out. */
export function grouped<S extends Named>(
  scenarios: readonly S[],
  typed: string,
  wordsOf: (scenario: S, group: ScenarioGroup) => string,
): readonly { readonly group: ScenarioGroup; readonly scenarios: readonly S[] }[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const place = (s: S, group: ScenarioGroup) =>
    group === 'other' ? 0 : (SCENARIO_GROUPS[group] as readonly string[]).indexOf(s.name);
  return scenarioGroups
    .map((group) => ({
      group,
      scenarios: scenarios
        .filter((s) => (groupOf.get(s.name) ?? 'other') === group)
        .filter((s) => {
          const words = `${s.name} ${wordsOf(s, group)}`.toLowerCase();
          return wanted.every((w) => words.includes(w));
        })
        .sort((a, b) => place(a, group) - place(b, group)),
    }))
    .filter(({ scenarios: found }) => found.length > 0);
}
