import { loadEras } from '@syncloop/core/kubelet';
import { beforeAll, describe, expect, it } from 'vitest';
import { sampled } from '../../testing/sampled.js';
import { causes } from './catalogue.js';
import { planted } from './testing/causes-planted.js';
import { plant } from './testing/planted.js';

beforeAll(() => loadEras());

/** `CAUSES_SHOW=1` prints for each: its place, the try that found it, how many there were, and the best sentence. */
const show = process.env.CAUSES_SHOW !== undefined;

describe('a cause that no source reports', () => {
  it.each(sampled(planted, 4))('is the first or the second that is found: $cause ($name)', (one) => {
    const report = plant(one).search({ tries: 24 });
    const place = report.found.findIndex(({ causes }) => causes.includes(one.cause));
    const found = report.found[place];
    if (show)
      console.log(
        `${one.cause} (${one.name}): place ${place + 1}, try ${found?.nth} of ${report.tried}; ${report.found[0]?.text.en}`,
      );
    if (!found) throw new Error(`not found in ${report.tried} tries: ${report.summary.en}`);
    expect(place).toBeLessThan(2);
    expect(found.explains).toBeGreaterThan(0);
    expect(report.differ).toBe(found.explains + found.left);
  });

  it('was planted for each that is tried but those that need more than one cause', () => {
    const known = new Set(planted.map(({ cause }) => cause));
    expect(causes.map(({ id }) => id).filter((id) => !known.has(id))).toEqual(['network-away']);
    expect(planted.length).toBeGreaterThanOrEqual(20);
  });
});
