import '../../fixtures/features.js';
import '../../fixtures/words.js';
import { afterEach, describe, expect, it } from 'vitest';
import { useUI } from '../../page/ui-store.js';
import type { PaletteEntry } from '../registry.js';
import { commandEntries } from './command-entries.js';
import { type Candidate, groupsOf, NOW, RECENT } from './palette-find.js';
import { used, usesFrom, weightOf } from './palette-use.js';

const candidate = (key: string, more: Partial<PaletteEntry> & { use?: number; always?: boolean } = {}): Candidate => {
  const { use = 0, always = true, ...entry } = more;
  return { id: key, entry: { key, title: key, run: () => {}, ...entry }, heading: entry.heading ?? 'x', always, use };
};
const keys = (typed: string, all: readonly Candidate[]) =>
  groupsOf(typed, all).map(({ heading, items }) => [heading, ...items.map(({ id }) => id)]);

describe('what the palette offers before anything is typed', () => {
  it('is what fits the moment, what was used lately, and all commands by heading, each once', () => {
    const all = [
      candidate('Log', { heading: 'shortcuts.panels' }),
      candidate('Why', { fits: 1, use: 5, heading: 'shortcuts.ask' }),
      candidate('Kill', { fits: 0.5, heading: 'shortcuts.change' }),
      candidate('Fit', { use: 2, heading: 'shortcuts.graph' }),
      candidate('Undo', { blocked: 'nothing to undo', use: 9 }),
      candidate('Crash loop', { always: false }),
      candidate('Step', { heading: 'shortcuts.run' }),
      candidate('Records', { heading: 'shortcuts.panels' }),
    ];
    expect(keys('', all)).toEqual([
      [NOW, 'Why', 'Kill'],
      [RECENT, 'Fit'],
      ['shortcuts.run', 'Step'],
      ['shortcuts.panels', 'Log', 'Records'],
    ]);
  });
});

describe('what the palette finds', () => {
  it('stands in groups, the one with the best first', () => {
    const all = [
      candidate('Logs of web', { heading: 'palette.pods' }),
      candidate('Log', { heading: 'shortcuts.panels' }),
      candidate('Logs of db', { heading: 'palette.pods' }),
    ];
    expect(keys('log', all)).toEqual([
      ['shortcuts.panels', 'Log'],
      ['palette.pods', 'Logs of web', 'Logs of db'],
    ]);
  });
  it('is what people call it, in either language', () => {
    const dark = candidate('Theme: dark', { words: 'dark mode night 深色 夜间' });
    for (const typed of ['dark mode', 'night', '夜间', 'theme dark']) expect(keys(typed, [dark])).toHaveLength(1);
    expect(keys('ark', [candidate('Other', { words: 'dark' })])).toEqual([]);
  });
  it('prefers what is used much and what fits, of what matches alike', () => {
    const all = [candidate('Step a'), candidate('Step b', { use: 6 }), candidate('Step c', { fits: 1 })];
    expect(keys('step', all)).toEqual([['x', 'Step b', 'Step c', 'Step a']]);
  });
  it('says why something cannot be done, below what can', () => {
    const all = [candidate('Kill', { blocked: 'a recording' }), candidate('Kill one')];
    expect(keys('kill', [all[0] as Candidate])).toEqual([['x', 'Kill']]);
  });
  it('has no scattered letters beside whole words', () => {
    const all = [candidate('Slower'), candidate('Show logs now where errors')];
    expect(keys('slow', all)).toEqual([['x', 'Slower']]);
    expect(keys('brkpt', [candidate('Breakpoints')])).toEqual([['x', 'Breakpoints']]);
  });
});

describe('what was used', () => {
  const WEEK = 7 * 24 * 3600 * 1000;
  it('is forgotten by half each week', () => {
    const uses = used(used({}, 'a', 0), 'a', 0);
    expect(weightOf(uses, 'a', 0)).toBe(2);
    expect(weightOf(uses, 'a', 2 * WEEK)).toBe(0.5);
    expect(weightOf(uses, 'toString', 0)).toBe(0);
    expect(Object.keys(used(uses, 'b', 10 * WEEK))).toEqual(['b']);
  });
  it('is bounded, and keeps the most used', () => {
    let uses = used(used({}, 'much', 0), 'much', 0);
    for (let i = 0; i < 200; i++) uses = used(uses, `once ${i}`, 0);
    expect(Object.keys(uses)).toHaveLength(60);
    expect(weightOf(uses, 'much', 0)).toBe(2);
  });
  it('is nothing where what was kept is no good', () => {
    for (const bad of [null, '', 'x', '7', 'null', '{"a":1}', '{"a":{"weight":"1","at":0}}', '{"a":null}'])
      expect(usesFrom(bad)).toEqual({});
    expect(usesFrom('{"a":{"weight":1,"at":2}}')).toEqual({ a: { weight: 1, at: 2 } });
  });
});

describe('the commands in the palette', () => {
  afterEach(() => useUI.setState({ lang: 'en' }));
  const find = (typed: string) =>
    groupsOf(
      typed,
      commandEntries.entries('').map((entry) => ({
        ...{ id: entry.key, entry, heading: entry.heading ?? '', always: true, use: 0 },
      })),
    ).flatMap(({ items }) => items.map(({ id }) => id));

  it('are those that can be run now, each with a key of its own, or say why not', () => {
    const entries = commandEntries.entries('');
    expect(new Set(entries.map((e) => e.key)).size).toBe(entries.length);
    // There is no session: nothing to step, and nothing to say about it.
    expect(entries.some((e) => e.key === 'transport.stepDecision')).toBe(false);
    expect(entries.find((e) => e.key === 'view.shortcuts')?.keys).toBe('?');
    expect(entries.find((e) => e.key === 'view.why')?.blocked).toBe('select something first');
  });
  it.each([
    ['dark mode', 'settings.theme.dark'],
    ['logs', 'view.log'],
    ['terminal', 'view.console'],
    ['yaml', 'view.manifests'],
    ['chinese', 'settings.lang.zh'],
    ['日志', 'view.log'],
    ['深色', 'settings.theme.dark'],
    ['快捷键', 'view.shortcuts'],
  ])('%s finds %s, whichever language the page has', (typed, id) => {
    for (const lang of ['en', 'zh-CN'] as const) {
      useUI.setState({ lang });
      expect(find(typed)[0]).toBe(id);
    }
  });
});
