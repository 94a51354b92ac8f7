import { library } from '@syncloop/core/scenario';
import { describe, expect, it } from 'vitest';
import { isMessageKey } from '../../../i18n/index.js';
import { grouped, SCENARIO_GROUPS, scenarioGroups } from './scenario-groups.js';

const all = Object.values(SCENARIO_GROUPS).flat() as readonly string[];

describe('groups of scenarios', () => {
  it('hold every scenario of the library once, and no other', () => {
    expect([...all].sort()).toEqual(library.map((s) => s.name).sort());
  });
  it('have titles', () => {
    for (const group of scenarioGroups) expect(isMessageKey(`scenarios.group.${group}`), group).toBe(true);
  });
  it('come in their order, and those that nobody knows last', () => {
    const found = grouped([{ name: 'mine' }, { name: 'oom' }, ...library], '', () => '');
    expect(found.map((g) => g.group)).toEqual(scenarioGroups);
    expect(found[0]?.scenarios[0]?.name).toBe('hello');
    expect(found.at(-1)).toEqual({ group: 'other', scenarios: [{ name: 'mine' }] });
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
