import { beforeAll, describe, expect, it } from 'vitest';
import { wholeRun } from '../../debug/run/whole-run.js';
import { findScenario, library } from '../../scenario/index.js';
import { availableEras, defaultEra, loadEras } from '../era/index.js';

beforeAll(() => loadEras());

describe.each(availableEras.filter((era) => era !== defaultEra))('the kubelet of %s', (era) => {
  it.each(library.map(({ name }) => name))('runs %s to its end', (name) => {
    let records = 0;
    const { run, proceed } = wholeRun(findScenario(name), { era, sink: () => void records++ });
    proceed();
    expect(run.done).toBe(true);
    expect(run.kubelet?.exited ?? null).toBeNull();
    expect(records).toBeGreaterThan(100);
  });
});
