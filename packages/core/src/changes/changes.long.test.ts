import { beforeAll, describe, expect, it } from 'vitest';
import { manyRuns } from '../conformance/invariants/testing/runs.js';
import { compile } from '../expression/index.js';
import { type EraVersion, loadEras } from '../kubelet/era/index.js';
import type { Count, RecordPattern } from '../scenario/document/scenario.js';
import { findScenario, library, parseScenario, startScenario } from '../scenario/index.js';
import { initialState, reduce, type TraceRecord } from '../trace/index.js';
import { type Change, changes, eraBefore, erasWith, type ShownBy } from './index.js';
import { textAt } from './run.js';

beforeAll(() => loadEras());

const runs = new Map<string, readonly TraceRecord[]>();
function recordsOf(scenario: string, era: EraVersion): readonly TraceRecord[] {
  const key = `${scenario} ${era}`;
  let records = runs.get(key);
  if (!records) {
    const all: TraceRecord[] = [];
    startScenario(findScenario(scenario), { era, sink: (r) => void all.push(r) }).run();
    records = all;
    runs.set(key, records);
  }
  return records;
}

/** The records that fit the pattern. */
function fitting(records: readonly TraceRecord[], { kind, where }: RecordPattern): TraceRecord[] {
  const expression = where === undefined ? null : compile(where);
  const state = initialState();
  return records.filter((record) => {
    if (expression?.usesState) reduce(state, record);
    return record.kind === kind && (expression === null || expression.test({ record, state }));
  });
}

const within = (n: number, { exactly, atLeast, atMost }: Count): boolean =>
  n >= (exactly ?? atLeast ?? (atMost === undefined ? 1 : 0)) && n <= (exactly ?? atMost ?? Number.POSITIVE_INFINITY);

const shown = changes.flatMap((change) =>
  'not' in change.shown ? [] : [{ ...change, shown: change.shown as ShownBy } as Change & { readonly shown: ShownBy }],
);

describe.each(shown.map((change) => [change.id, change] as const))('%s', (_, change) => {
  const { scenario, evidence } = change.shown;
  // The last version before it, the first with it and today's; SYNCLOOP_RUNS: those between, too.
  const since = erasWith(change);
  const versions = [eraBefore(change), ...since.filter((_, i) => manyRuns || i === 0 || i === since.length - 1)];

  it('is seen in the run: not the same before and since', () => {
    expect(erasWith(change).length, 'versions that run with the change').toBeGreaterThan(0);
    const counts = versions.map((era) => fitting(recordsOf(scenario, era), evidence).length);
    const told = versions.map((_, i) => (i === 0 ? evidence.before : evidence.since));
    expect(
      counts.map((n, i) => within(n, told[i] as Count)),
      `${versions.map((v, i) => `${v}: ${counts[i]}`).join(', ')}; told: ${JSON.stringify(told)}`,
    ).toEqual(versions.map(() => true));
    const some = counts[0] as number;
    expect(within(some, evidence.since), 'what is so before is so since, too').toBe(false);
  });

  it.each(versions)('opens in %s at a record that comes within the first minute', (era) => {
    const entry = library.find(({ name }) => name === scenario);
    const { openAt } = parseScenario(textAt(entry?.text ?? '', change, change.shown, era));
    expect(openAt).toBeDefined();
    const [first] = fitting(recordsOf(scenario, era), openAt as RecordPattern);
    expect(first?.time ?? Number.POSITIVE_INFINITY, JSON.stringify(openAt)).toBeLessThan(60_000_000);
  });
});
