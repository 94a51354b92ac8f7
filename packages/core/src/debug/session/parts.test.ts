import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KubeletParts, type MakeParts, useParts } from '../../kubelet/parts/index.js';
import { podEvents } from '../../kubelet/pleg/transitions.js';
import { parseScenario } from '../../scenario/document/parse.js';
import { startScenario } from '../../scenario/index.js';
import type { RecordOf, TraceRecord } from '../../trace/index.js';
import { explore, SimulationSession, scenarioStart, simulationSource } from '../index.js';

/** In place of an interpreter: the source names one of these. */
const programs: { readonly [source: string]: MakeParts } = {
  ours: () => ({ plegEvents: (uid, old, pod) => podEvents(uid, old, pod).events }),
  'sees no end': () => ({
    plegEvents: (uid, old, pod) => podEvents(uid, old, pod).events.filter((e) => e.type !== 'ContainerDied'),
  }),
  fails: (kernel) => ({
    plegEvents(uid, _old, pod) {
      if (!pod?.containers.some((c) => c.state === 'running')) return [];
      kernel.emit({
        kind: 'part-failed',
        part: 'plegEvents',
        fn: 'computeEvents',
        file: 'mine.ts',
        problem: 'exception',
        message: 'no',
        line: 7,
        column: 3,
        args: [uid],
      });
      kernel.fail(new Error('mine.ts:7:3: no'));
      throw new Error('mine.ts:7:3: no');
    },
  }),
};

const text = (source: string) => `
apiVersion: syncloop.dev/v1alpha2
kind: Scenario
metadata: { name: crash }
spec:
  node: { fileCheckFrequency: 1s }
  ${source === '' ? '' : `parts: { plegEvents: { file: mine.ts, source: "${source}" } }`}
  steps:
    - apply:
        manifest:
          apiVersion: v1
          kind: Pod
          metadata: { name: web }
          spec:
            containers:
              - { name: app, image: "localhost/busybox:dev", imagePullPolicy: IfNotPresent, command: [sh, -c, "sleep 3; exit 1"] }
    - waitFor: { pod: web, container: app, restarts: 1, timeout: 40s }
`;
const recordsOf = (source: string): TraceRecord[] => {
  const records: TraceRecord[] = [];
  startScenario(parseScenario(text(source)), { sink: (r) => void records.push(r) }).run();
  return records;
};

describe('a run with a replaced part', () => {
  beforeAll(() =>
    useParts((kernel, sources): KubeletParts => {
      const source = sources.plegEvents?.source ?? '';
      const made = programs[source];
      if (!made) throw new Error(`mine.ts:1:1: there is no program ${source}`);
      return made(kernel, sources);
    }),
  );

  it('is the run without it, if the part decides the same', () => {
    expect(JSON.stringify(recordsOf('ours'))).toBe(JSON.stringify(recordsOf('')));
  });

  it('is another one, if it decides otherwise: nobody sees that the container ended', () => {
    const run = startScenario(parseScenario(text('sees no end')));
    run.run();
    expect(run.failures[0]?.message).toMatch(/not within 40s/);
  });

  it('is refused with the place of the mistake if its code cannot be loaded, and for a version of before', () => {
    expect(() => startScenario(parseScenario(text('nonsense')))).toThrow('mine.ts:1:1: there is no program nonsense');
    const older = text('ours').replace('spec:\n', 'spec:\n  era: v1.25\n');
    expect(() => parseScenario(older)).toThrow(
      /spec\.parts\.plegEvents: plegEvents of v1\.25 cannot be replaced; set era to v1\.36/,
    );
    expect(() => parseScenario(text('ours').replace('plegEvents', 'plegEvent'))).toThrow(/did you mean "plegEvents"/);
  });

  describe('that fails', () => {
    const session = () => new SimulationSession(simulationSource(), { scenario: 'crash', text: text('fails') });
    const go = (s: SimulationSession, command: Parameters<SimulationSession['execute']>[0]) => {
      const results: unknown[] = [];
      s.execute(command, (r) => results.push(r));
      for (let n = 0; results.length === 0 && n < 100_000; n++) s.pump(1, () => false);
      return results[0];
    };

    it('ends there, whatever caught the error, with a record that says where; and one can step back', () => {
      const s = session();
      const end = () => {
        go(s, { do: 'go', to: { time: 60_000_000 } });
        return s.runState();
      };
      const there = end();
      expect(there.time).toBeLessThan(10_000_000);
      expect(there.stopped).toContain('mine.ts:7:3: no');
      for (let n = 0; n < 3; n++) go(s, { do: 'step', unit: 'decision', back: true });
      expect(s.runState().seq).toBeLessThan(there.seq);
      expect(end()).toEqual(there);
    });

    it('leaves its record as the last word of the kubelet', () => {
      const records: TraceRecord[] = [];
      const run = startScenario(parseScenario(text('fails')), { sink: (r) => void records.push(r) });
      expect(() => run.run()).toThrow('mine.ts:7:3: no');
      expect(() => run.step()).toThrow('mine.ts:7:3: no');
      const failed = records.filter((r): r is RecordOf<'part-failed'> => r.kind === 'part-failed');
      expect(failed).toHaveLength(1);
      expect(failed[0]).toMatchObject({ file: 'mine.ts', line: 7, column: 3, problem: 'exception' });
    });

    it('is a problem in every schedule of an exploration', () => {
      const report = explore({ ...scenarioStart('crash', { text: text('fails') }), maxSchedules: 3, shrink: false });
      expect(report.findings.map((f) => [f.problem.kind, f.problem.text, f.times])).toEqual([
        ['panic', 'mine.ts:7:3: no', 3],
      ]);
    });
  });
  afterAll(() => useParts(() => ({})));
});
