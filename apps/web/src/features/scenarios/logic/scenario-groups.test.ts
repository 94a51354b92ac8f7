import { library } from '@syncloop/core/scenario';
import { describe, expect, it } from 'vitest';
import { grouped } from './scenario-groups.js';

describe('groups of scenarios', () => {
  it('all have a title and keep the order of the library; what has no known group comes last', () => {
    const found = grouped([{ name: 'mine' }, { name: 'newer', group: 'tomorrow' }, ...library], '', () => '');
    expect(found.map((g) => g.group)).toEqual([...new Set(library.map((s) => s.group)), 'other']);
    expect(found.slice(0, -1).flatMap((g) => g.scenarios)).toEqual(library);
    expect(found[0]?.scenarios[0]?.name).toBe('hello');
    expect(found.at(-1)?.scenarios.map((s) => s.name)).toEqual(['mine', 'newer']);
  });
  it('are filtered by all the words that were typed, in names and texts', () => {
    const names = (typed: string) =>
      grouped(library, typed, (s) => (s.name === 'oom' ? 'Kein Speicher' : '')).flatMap((g) =>
        g.scenarios.map((s) => s.name),
      );
    expect(names('probe')).toEqual(['startup-probe', 'flapping-probe']);
    expect(names(' SPEICHER  oom ')).toEqual(['oom']);
    expect(names('oom probe')).toEqual([]);
  });
});
