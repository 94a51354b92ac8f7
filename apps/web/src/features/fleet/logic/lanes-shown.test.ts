import { type FleetNode, fleetStory, lanesOf } from '@syncloop/observe/fleet';
import { describe, expect, it } from 'vitest';
import { type LanesWanted, lanesShown, placeOf, zoomed } from './lanes-shown.js';

const T = Date.UTC(2026, 10, 22, 11);
const node = (name: string, lost: number | null, ahead = 0, problem = ''): FleetNode => ({
  ...{ name, source: name, version: 'v1.33.1', level: lost === null ? 'calm' : 'wrong', lines: 9, read: 9, problem },
  ...{ from: T, to: T + 3_600_000, landings: [], evictions: [], dropped: 0 },
  clock: { ahead, uncertainty: 1000, pods: 3 },
  incidents:
    lost === null
      ? []
      : [
          {
            ...{ kind: 'api-unreachable', pod: '', container: '', what: '', image: '', count: 1, pods: [] },
            text: { en: `It lost the API server of zone-${name}.`, zh: '失去连接。' },
            ...{ begin: T + lost + ahead, last: T + lost + ahead, end: T + lost + ahead + 5000, consequences: [] },
          },
        ],
});
const lanes = lanesOf(
  fleetStory(
    [
      node('a', 60_000),
      node('b', 58_000, 5000),
      node('c', 62_000),
      node('d', null, -9000),
      node('e', null, 0, 'cut'),
      node('f', 3_000_000),
    ],
    'test',
  ),
);
const shown = (wanted: Partial<LanesWanted>) =>
  lanesShown(lanes, { search: '', filter: 'all', sort: 'name', ...wanted }).map((lane) => lane.node.name);

describe('lanes that are shown', () => {
  it('are all, those of a cause, with, without, or that were not read', () => {
    expect(shown({})).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(shown({ filter: 0 })).toEqual(['a', 'b', 'c']);
    expect(shown({ filter: 'wrong' })).toEqual(['a', 'b', 'c', 'f']);
    expect(shown({ filter: 'calm' })).toEqual(['d']);
    expect(shown({ filter: 'unread' })).toEqual(['e']);
  });
  it('are in the order of their incidents, their number, or their clocks', () => {
    expect(shown({ sort: 'first' })).toEqual(['b', 'a', 'c', 'f', 'd', 'e']);
    expect(shown({ sort: 'first', filter: 0 })).toEqual(['b', 'a', 'c']);
    expect(shown({ sort: 'grave' })).toEqual(['a', 'b', 'c', 'f', 'd', 'e']);
    expect(shown({ sort: 'clock' }).slice(0, 2)).toEqual(['d', 'b']);
  });
  it('are searched in names and incidents, all words', () => {
    expect(shown({ search: 'api SERVER zone-b' })).toEqual(['b']);
    expect(shown({ search: '失去' })).toEqual(['a', 'b', 'c', 'f']);
    expect(shown({ search: 'nothing' })).toEqual([]);
  });
});

it('zooms around a moment that stays where it is, within all of the time', () => {
  const all = { from: T, to: T + 100_000 };
  const at = T + 25_000;
  const near = zoomed(all, 0.5, at, all);
  expect(near).toEqual({ from: T + 12_500, to: T + 62_500 });
  expect(placeOf(at, near)).toBe(placeOf(at, all));
  expect(zoomed(near, 4, at, all)).toEqual(all);
  expect(zoomed({ from: T, to: T + 2000 }, 0.1, T, all)).toEqual({ from: T, to: T + 2000 });
});
