import { describe, expect, it } from 'vitest';
import { isOrdered, parametersOf, variationOf } from './parameters.js';

const search = (...vary: string[]) => `?embed=1&${new URLSearchParams(vary.map((v) => ['vary', v]))}`;

describe('values that a reader may change', () => {
  it('stand in the address, with a label or the name of the path', () => {
    const found = parametersOf(
      search('constants.genericPlegRelistPeriod:1s,3s,10s|Relist period', 'seed:1,2,2,3', 'era:v1.36,v1.12'),
    );
    expect(found).toEqual([
      { path: 'constants.genericPlegRelistPeriod', label: 'Relist period', values: ['1s', '3s', '10s'] },
      { path: 'seed', label: 'seed', values: ['1', '2', '3'] },
      { path: 'era', label: 'era', values: ['v1.36', 'v1.12'] },
    ]);
    expect(found.map(isOrdered)).toEqual([true, true, false]);
  });

  it('are left out where they are nothing, one value, twice, too many, or not a name', () => {
    const many = Array.from({ length: 31 }, (_, i) => i).join();
    const bad = [
      '',
      'maxPods',
      'maxPods:1',
      'maxPods:1,<b>',
      '__proto__:1,2',
      'a b:1,2',
      'era:v1.36,v1.99',
      `maxPods:${many}`,
    ];
    expect(parametersOf(search(...bad))).toEqual([]);
    expect(parametersOf(search('maxPods:1,2', 'maxPods:3,4')).map(({ values }) => values)).toEqual([['1', '2']]);
    expect(parametersOf(search(...['a', 'b', 'c', 'd', 'e'].map((path) => `${path}:1,2`)))).toHaveLength(4);
  });

  it('make a seed, a version and settings of the node', () => {
    const parameters = parametersOf(
      search('seed:7,8', 'era:v1.36,v1.12', 'maxPods:3,4', 'serializeImagePulls:true,false'),
    );
    expect(variationOf(parameters, {})).toEqual({
      seed: 7,
      era: 'v1.36',
      settings: { maxPods: 3, serializeImagePulls: true },
    });
    expect(variationOf(parameters, { era: 1, serializeImagePulls: 1 })).toMatchObject({
      era: 'v1.12',
      settings: { serializeImagePulls: false },
    });
    expect(variationOf([], {})).toEqual({ settings: {} });
  });
});
