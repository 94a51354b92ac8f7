import { beforeAll, describe, expect, it } from 'vitest';
import { parseScenario } from '../../scenario/document/parse.js';
import { startScenario } from '../../scenario/run/start.js';
import { importanceOf, type RecordOf, type TraceRecord } from '../../trace/index.js';
import { availableEras, type EraVersion, loadEra, loadedEra } from '../era/index.js';

beforeAll(async () => {
  for (const version of availableEras) await loadEra(version);
});

const edited = `
apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata: { name: edited }
spec:
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata: { name: web }
        spec:
          terminationGracePeriodSeconds: 8
          containers:
            - name: app
              image: "localhost/busybox:dev"
              imagePullPolicy: Never
              command: [sh, -c, "trap 'sleep 5; exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: web, phase: Running, timeout: 20s }
    - wait: 3s
    - edit: { pod: web, patch: { metadata: { labels: { edited: "yes" } } } }
    - wait: 25s
`;

const crashing = `
apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata: { name: crashing }
spec:
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata: { name: web }
        spec:
          containers:
            - { name: app, image: "localhost/busybox:dev", imagePullPolicy: Never, command: [sh, -c, "exit 1"] }
    - wait: 70s
`;

function ran(
  era: EraVersion,
  text = edited,
): { records: TraceRecord[]; of: <K extends TraceRecord['kind']>(kind: K) => RecordOf<K>[] } {
  const records: TraceRecord[] = [];
  startScenario(parseScenario(text), { era, sink: (r) => void records.push(r) }).run();
  return { records, of: (kind) => records.filter((r): r is RecordOf<typeof kind> => r.kind === kind) };
}

/** Names of the channels that the loop waits for, in the order of its select. */
function cases(era: EraVersion): readonly string[] {
  const { of } = ran(era);
  const names = new Map(of('chan-make').map((r) => [r.chan, r.name]));
  const loops = of('select').map((s) => s.cases.map((c) => names.get(c) ?? ''));
  return loops.find(([first]) => first === 'configCh') ?? [];
}

describe('a version of the kubelet', () => {
  it('has the channels that its select had, in the order of its source', () => {
    expect(cases('v1.12')).toEqual(['configCh', 'plegCh', 'syncCh', 'livenessManager', 'housekeepingCh']);
    expect(cases('v1.21')).toEqual([
      'configCh',
      'plegCh',
      'syncCh',
      'livenessManager',
      'readinessManager',
      'startupManager',
      'housekeepingCh',
    ]);
    expect(cases('v1.25')).toEqual(cases('v1.21'));
    expect(cases('v1.32')).toEqual(cases('v1.36'));
    expect(cases('v1.36')).toHaveLength(8);
  });

  it.each(availableEras)('%s syncs again what is due, and starts a container after its back-off', (era) => {
    const { of } = ran(era, crashing);
    const due = of('decision').filter((d) => d.rule === 'getPodsToSync' && d.verdict === 'due');
    expect(due.length).toBeGreaterThan(0);
    expect(of('cri-call').filter((r) => r.method === 'StartContainer').length).toBeGreaterThan(1);
  });

  it.each(availableEras)('%s has the select of its loop stand out', (era) => {
    const { of } = ran(era);
    const { length } = cases(era);
    const loop = of('select').filter((s) => s.cases.length === length);
    expect(loop.map(importanceOf)).toEqual(loop.map(() => 2));
  });

  it('is not there before it is loaded, and says how to have it', () => {
    const other = 'v1.99' as EraVersion;
    expect(() => loadedEra(other)).toThrow("call loadEra('v1.99') first");
    expect(() => loadEra(other)).toThrow('choose one of v1.12, v1.21, v1.25, v1.32, v1.36');
  });

  it('refuses gates that it does not know', () => {
    const gated = edited.replace(
      'spec:\n  steps',
      'spec:\n  era: v1.21\n  node: { featureGates: { PLEGOnDemandRelist: true } }\n  steps',
    );
    expect(() => ran('v1.21', gated)).toThrow('unrecognized feature gate: PLEGOnDemandRelist');
  });
});

describe('an edited static pod', () => {
  /** Returns true if two sandboxes of the pod had a running container at the same time. */
  const twoAtOnce = (era: EraVersion): boolean => {
    const running = new Set<string>();
    let most = 0;
    for (const r of ran(era).of('actual-container')) {
      if (r.state === 'running') running.add(r.id);
      else running.delete(r.id);
      most = Math.max(most, running.size);
    }
    return most > 1;
  };

  it('runs beside its successor in v1.12, whose workers do not know what the killer does', () => {
    expect(twoAtOnce('v1.12')).toBe(true);
  });
  it.each(['v1.21', 'v1.25', 'v1.32', 'v1.36'] as const)('ends before its successor starts in %s', (era) => {
    expect(twoAtOnce(era)).toBe(false);
  });

  it('is killed by its own worker since v1.22, and by the pod killer before', () => {
    const killers = (era: EraVersion) =>
      ran(era)
        .of('chan-make')
        .some((c) => c.name === 'podKillingCh')
        ? 'pod killer'
        : 'worker';
    expect(availableEras.map(killers)).toEqual(['pod killer', 'pod killer', 'worker', 'worker', 'worker']);
    const terminating = ran('v1.25')
      .of('worker')
      .filter((w) => w.state === 'terminating');
    expect(terminating.map((w) => w.reason)).toContain('Pod is being removed by the kubelet, begin teardown');
  });
  it('is waited for in v1.21 by an error, and a retry after 10 to 15 s', () => {
    const errors = ran('v1.21')
      .of('work-done')
      .filter((r) => r.error?.includes('is pending termination'));
    expect(errors.length).toBeGreaterThan(0);
    expect(
      ran('v1.36')
        .of('work-done')
        .filter((r) => r.error?.includes('pending termination')),
    ).toEqual([]);
  });
});
