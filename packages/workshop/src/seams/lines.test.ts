import { SimulationSession, simulationSource, why } from '@syncloop/core/debug';
import { useParts } from '@syncloop/core/kubelet/parts';
import { parseScenario, startScenario } from '@syncloop/core/scenario';
import type { RecordOf, TraceRecord } from '@syncloop/core/trace';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInterpreter } from '../interpreter/index.js';
import { makePartsWith } from './index.js';

const SOURCE = `export function computeEvents(oldPod, newPod) {
  const events = [];
  for (const c of newPod?.containers ?? []) {
    const before = oldPod?.containers.find((o) => o.id === c.id);
    if (before?.state === c.state) continue;
    console.log(c.name, 'is', c.state);
    if (c.state === 'exited') events.push({ type: 'ContainerDied', data: c.id });
    if (c.state === 'running') events.push({ type: 'ContainerStarted', data: c.id });
  }
  return events;
}
`;
const text = (lines: boolean, source = SOURCE) =>
  JSON.stringify({
    apiVersion: 'syncloop.dev/v1alpha2',
    kind: 'Scenario',
    metadata: { name: 'mine' },
    spec: {
      node: { fileCheckFrequency: '1s' },
      parts: { plegEvents: { file: 'mine.ts', source, ...(lines && { lines }) } },
      steps: [
        {
          apply: {
            manifest: {
              apiVersion: 'v1',
              kind: 'Pod',
              metadata: { name: 'web' },
              spec: {
                containers: [
                  {
                    name: 'app',
                    image: 'localhost/busybox:dev',
                    imagePullPolicy: 'IfNotPresent',
                    command: ['sh', '-c', 'sleep 3; exit 1'],
                  },
                ],
              },
            },
          },
        },
        { waitFor: { pod: 'web', container: 'app', restarts: 1, timeout: '30s' } },
      ],
    },
  });

function recordsOf(lines: boolean, source?: string): TraceRecord[] {
  const records: TraceRecord[] = [];
  const run = startScenario(parseScenario(text(lines, source)), { sink: (r) => void records.push(r) });
  run.run();
  expect(run.failures).toEqual([]);
  return records;
}

beforeAll(async () => useParts(makePartsWith(await createInterpreter())));
afterAll(() => useParts(() => ({})));

describe('a run that records the lines of a part', () => {
  it('is the run without them, with a record more for each statement', () => {
    const [without, withLines] = [recordsOf(false), recordsOf(true)];
    expect(without.some((r) => r.kind === 'part-line')).toBe(false);
    const kept = withLines.filter((r) => r.kind !== 'part-line');
    expect(withLines.length).toBeGreaterThan(kept.length + 50);
    // Numbers of records are others, and so is all that names a record.
    const place = new Map(kept.map((r, i) => [r.seq, i + 1]));
    const renumbered = kept.map((r) => {
      const same: Record<string, unknown> = { ...r };
      for (const key of ['seq', 'span', 'cause', 'call', 'of'])
        if (typeof same[key] === 'number' && same[key] !== 0) same[key] = place.get(same[key] as number);
      return same;
    });
    expect(JSON.stringify(renumbered)).toBe(JSON.stringify(without));
  });

  it('has what the code printed right after the line that printed it', () => {
    const records = recordsOf(true);
    const printed = records.findIndex((r) => r.kind === 'log' && r.file === 'mine.ts' && r.msg === 'app is exited');
    expect(records[printed - 1]).toMatchObject({
      ...{ kind: 'part-line', fn: 'computeEvents', file: 'mine.ts', line: 6, column: 5, pod: 'default/web-node1' },
      variables: { c: { name: 'app', state: 'exited' }, before: { state: 'running' }, events: [] },
    });
    expect(records[printed + 1]).toMatchObject({ kind: 'part-line', line: 7 });
  });

  it('says how many lines it left out of a call that has too many', () => {
    const source = `let n = 0;\nexport function computeEvents() {\n  const big = 'x'.repeat(190);\n  for (let i = 0; i < 2000; i++)\n    n += big.length;\n  return [];\n}`;
    const records: TraceRecord[] = [];
    const run = startScenario(parseScenario(text(true, source)), { sink: (r) => void records.push(r) });
    run.run({ until: 3_000_000 });
    const left = records.find((r) => r.kind === 'log' && r.severity === 'W' && r.file === 'mine.ts');
    expect(left).toMatchObject({ msg: expect.stringMatching(/^… \d+ more lines of this call are not recorded/) });
    // The lines that are left out are the ends of loops, and the return.
    const leftOut = records.flatMap((r) =>
      r.kind === 'log' && r.file === 'mine.ts' ? [Number(/\d+/.exec(r.msg)?.[0])] : [],
    );
    const recorded = records.filter((r) => r.kind === 'part-line' && r.line === 5).length;
    expect(recorded).toBeGreaterThan(500);
    const calls = records.filter((r) => r.kind === 'part-line' && r.line === 3).length;
    expect(recorded).toBeLessThan(1900 * calls);
    expect(recorded + leftOut.reduce((sum, n) => sum + n, 0)).toBe(2000 * calls + calls);
  });
});

describe('a session of such a run', () => {
  const session = () => new SimulationSession(simulationSource(), { scenario: 'mine', text: text(true) });
  const go = (s: SimulationSession, command: Parameters<SimulationSession['execute']>[0]) => {
    const results: unknown[] = [];
    s.execute(command, (r) => results.push(r));
    for (let n = 0; results.length === 0 && n < 100_000; n++) s.pump(1, () => false);
    return results[0];
  };
  const runUntilStop = (s: SimulationSession) => {
    go(s, { do: 'resume' });
    for (let n = 0; s.runState().running && n < 100_000; n++) s.pump(1, () => false);
  };
  const breakpoint = { id: 'b1', on: 'line', file: 'mine.ts', line: 7, condition: 'variables.c.state == "exited"' };

  it('stops at a line, if its variables are as a condition says, and steps back and on by lines', () => {
    const s = session();
    go(s, { do: 'breakpoints', set: [breakpoint] });
    runUntilStop(s);
    const here = () => s.store.get(s.runState().seq) as RecordOf<'part-line'>;
    expect(here()).toMatchObject({ kind: 'part-line', line: 7, variables: { c: { state: 'exited' } } });
    const { seq } = s.runState();
    go(s, { do: 'step', unit: 'line', back: true });
    expect(here()).toMatchObject({ kind: 'part-line', line: 6 });
    go(s, { do: 'step', unit: 'line', back: true });
    expect(here()).toMatchObject({ kind: 'part-line', line: 5 });
    go(s, { do: 'step', unit: 'line', count: 2 });
    expect(s.runState().seq).toBe(seq);
  });

  it('shows its last lines in the answer to why', () => {
    const s = session();
    go(s, { do: 'go', to: { time: 6_000_000 } });
    const died = [...s.store.from(1)].find((r) => r.kind === 'pleg-event' && r.type === 'ContainerDied');
    const { links } = why(s.store, { about: 'record', seq: died?.seq ?? 0 });
    expect(links.map(({ kind }) => kind)).toContain('part');
    expect(links.filter(({ kind }) => kind === 'part-line').map(({ text: { en } }) => en)).toContain(
      'Line 10 of mine.ts (computeEvents) is next.',
    );
  });
});
