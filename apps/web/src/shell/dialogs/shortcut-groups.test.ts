import '../../fixtures/features.js';
import { describe, expect, it } from 'vitest';
import { commandIds, commandOf } from '../../commands/index.js';
import { shortcutGroups } from './shortcut-groups.js';

describe('the sheet of keys', () => {
  it('has every command with a key, once', () => {
    const shown = shortcutGroups().flatMap((g) => g.commands);
    const withKeys = commandIds().filter((id) => commandOf(id).keys !== undefined);
    expect([...shown].sort()).toEqual([...withKeys].sort());
    expect(new Set(shown).size).toBe(shown.length);
  });
  it('has them where they are looked for', () => {
    const of = (id: string) => shortcutGroups().find((g) => (g.commands as readonly string[]).includes(id))?.title;
    expect(of('transport.toggle')).toBe('shortcuts.run');
    expect(of('view.why')).toBe('shortcuts.ask');
    expect(of('view.follow')).toBe('shortcuts.graph');
    expect(of('view.records')).toBe('shortcuts.panels');
    expect(of('view.palette')).toBe('shortcuts.page');
    expect(of('edit.undo')).toBe('shortcuts.change');
  });
});
