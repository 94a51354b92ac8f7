import { loadEras } from '@syncloop/core/kubelet';
import { findScenario, parseScenario } from '@syncloop/core/scenario';
import { beforeAll, describe, expect, it } from 'vitest';
import { sampled } from '../../testing/sampled.js';
import { RemedySearch, subjectOf } from './search.js';
import type { RemedyReport, Subject } from './types.js';

beforeAll(() => loadEras());

function report(name: string, options: { kind?: string; runs?: number; of?: Subject['of'] } = {}): RemedyReport {
  const { of = 'simulated', ...rest } = options;
  const work = new RemedySearch(subjectOf(findScenario(name), of), rest).work();
  let next = work.next();
  while (!next.done) next = work.next();
  if (!next.value) throw new Error('there is no such incident');
  return next.value;
}

/** Incidents of the library: what is best, what else is said, and what cannot be told. */
const cases: readonly {
  readonly scenario: string;
  readonly kind: string;
  readonly first: string | null;
  readonly also?: string;
  readonly unknown?: RegExp;
}[] = [
  {
    scenario: 'flapping-probe',
    kind: 'probe-liveness',
    first: 'With failureThreshold 4 instead of 3 in the livenessProbe of app it does not happen.',
    also: 'With timeoutSeconds 30 instead of 1 in the livenessProbe of app it happens all the same.',
  },
  {
    scenario: 'readiness',
    kind: 'probe-readiness',
    first:
      'With failureThreshold 4 instead of 2 in the readinessProbe of server it does not happen; with failureThreshold 3 it does.',
  },
  {
    scenario: 'liveness',
    kind: 'probe-liveness',
    first:
      'With failureThreshold 30 instead of 3 in the livenessProbe of app it is only put off: its reason was still there when the run ended.',
  },
  {
    scenario: 'startup-probe',
    kind: 'probe-startup',
    first:
      'With failureThreshold 30 instead of 4 in the startupProbe of app it is only put off: its reason was still there when the run ended.',
  },
  {
    scenario: 'image-missing',
    kind: 'image',
    first:
      'With the image registry.example/team/app:1.0 on the node, and imagePullPolicy IfNotPresent it does not happen.',
    also: "With serializeImagePulls false instead of true in the kubelet's configuration it happens all the same.",
  },
  {
    scenario: 'post-start-fails',
    kind: 'hook',
    first: 'With no postStart hook in app it does not happen.',
    also: 'With terminationGracePeriodSeconds 120 instead of 3 for hooked it happens all the same.',
    unknown: /why the hook failed/,
  },
  {
    scenario: 'memory-pressure',
    kind: 'pressure',
    first:
      'With evictionHard {"memory.available":"1Mi"} instead of the default in the kubelet\'s configuration it does not happen.',
    unknown: /whether the node would have run out/,
  },
  {
    scenario: 'preemption',
    kind: 'admission',
    first:
      'With requests for 1000m of CPU instead of 2000m in second it does not happen; with requests for 1500m of CPU it does.',
    also: 'With 8 instead of 4 CPUs on the node it does not happen; with 6 it does.',
  },
  {
    scenario: 'preemption',
    kind: 'admission',
    first:
      'With requests for 1000m of CPU instead of 2000m in second it does not happen; with requests for 1500m of CPU it does.',
    also: "With maxPods 118 instead of 110 in the kubelet's configuration it happens all the same.",
  },
  {
    scenario: 'oom',
    kind: 'oom',
    first:
      'With a memory limit of 64Mi instead of 1Mi for app it does not happen; with a memory limit of 16Mi it does.',
    also: 'With restartPolicy Never instead of Always for hungry it still happens, 1 instead of 2 times.',
  },
  {
    scenario: 'crash-loop',
    kind: 'crash-loop',
    first: 'With restartPolicy OnFailure instead of Always for crash it happens all the same.',
    also: 'With restartPolicy Never instead of Always for crash it does not happen, but app in default/crash-node1 ended with exit code 1.',
    unknown: /why the program ended/,
  },
  {
    scenario: 'postmortem-clean-exit',
    kind: 'crash-loop',
    first: 'With the command of app in a loop of its own (while true) it does not happen.',
    also: 'With restartPolicy OnFailure instead of Always for tick it does not happen.',
  },
  {
    scenario: 'postmortem-slow-pleg',
    kind: 'pleg-unhealthy',
    first: 'With the feature gate EventedPLEG=true it does not happen.',
    also: 'With a kubelet v1.21 instead of v1.36 it happens all the same.',
  },
  {
    scenario: 'postmortem-name-reserved',
    kind: 'runtime-slow',
    first:
      "With runtimeRequestTimeout 210s instead of 120s in the kubelet's configuration it does not happen; with runtimeRequestTimeout 180s it does.",
  },
  { scenario: 'runtime-stopped', kind: 'runtime-down', first: null, unknown: /why the runtime went away/ },
];

describe('what would have prevented an incident', () => {
  it.each(sampled(cases, 3))('is run and ranked: $scenario', ({ scenario, kind, first, also, unknown }) => {
    const found = report(scenario, { runs: 20 });
    expect(found.kind).toBe(kind);
    expect(found.tried[0]?.text.en ?? null).toBe(first);
    if (also !== undefined) expect(found.tried.map(({ text }) => text.en)).toContain(also);
    if (unknown) expect(found.unknown.map(({ en }) => en).join()).toMatch(unknown);
    for (const { scenario: text } of found.tried)
      expect(parseScenario(text, 'remedy.yaml').steps.length).toBeGreaterThan(0);
  });

  it('says of a twin only what was observed', () => {
    const { tried, unknown } = report('flapping-probe', { of: 'twin' });
    expect(tried).toEqual([]);
    expect(unknown.map(({ en }) => en)).toEqual([
      'why the probe failed: the program’s own log says it, and the probe’s output in the event Unhealthy',
      'whether app would have answered later: failureThreshold 3 and periodSeconds 1 gave it 3 s, and each failure more that failureThreshold allows gives it another 1 s',
    ]);
    expect(report('image-missing', { of: 'twin', runs: 4 }).tried[0]?.effect).toBe('prevents');
  });

  it('looks for an incident of a kind, and ends with its budget', () => {
    expect(report('deadline', { kind: 'deadline' }).tried[0]?.effect).toBe('later');
    expect(report('readiness', { runs: 3 }).runs).toBe(3);
    expect(() => report('hello')).toThrow('no such incident');
  });
});
