import { describe, expect, it } from 'vitest';
import type { TraceRecord } from '../../trace/index.js';
import { startScenario } from '../run/start.js';
import { findScenario } from './index.js';

function run(seed: number): TraceRecord[] {
  const records: TraceRecord[] = [];
  const scenario = startScenario(findScenario('slow-runtime'), { seed, sink: (r) => records.push(r) });
  scenario.run({ until: 30_000_000 });
  return records;
}

/** The cases that were chosen at each select with several ready ones. */
const choices = (records: readonly TraceRecord[]) =>
  records.flatMap((r) =>
    r.kind === 'select' && (r.ready ?? []).length > 1 ? [`${(r.ready ?? []).join()}: ${r.chosen}`] : [],
  );

describe('the slow-runtime scenario', () => {
  it('[1:A04] leaves the select with several ready cases, and the seed chooses among them', () => {
    const one = run(1);
    expect(choices(one).length).toBeGreaterThan(3);
    expect(JSON.stringify(run(1))).toBe(JSON.stringify(one));
    expect(choices(run(2))).not.toEqual(choices(one));
  });
});
