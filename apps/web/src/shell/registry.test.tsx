import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { addCommands, type CommandId, commandOf, isAvailable, tryCommand } from '../commands/index.js';
import { command } from '../commands/types.js';
import { loadLang, type MessageKey, translate } from '../i18n/index.js';
import { useUI } from '../page/ui-store.js';
import { BottomPanel } from './bottom/bottom-panel.js';
import { dialogOf, type Feature, importerOf, register, registered, startAll } from './registry.js';
import { Slot } from './slot.js';

// A feature adds its ids to the types that it registers with; these are known to this test alone.
const title = 'toy.title' as MessageKey;
const open = 'view.toy' as CommandId & 'view.palette';
const started: string[] = [];
let pressed = 0;

const toy: Feature = {
  words: [{ en: { 'toy.title': 'Toys' }, others: { 'zh-CN': async () => ({ 'toy.title': '玩具' }) } }],
  commands: [{ [open]: command({ title, keys: ['Alt+T'], run: () => void pressed++ }) }],
  bottom: [{ id: 'toy' as never, order: 5, title, command: open, Body: () => null }],
  dialogs: { toy: () => null } as never,
  slots: [{ at: 'stage', order: 1, Component: () => createElement('p', null, 'a bar of toys') }],
  importers: [{ takes: (kind) => kind === 'picture', open: async () => {} }],
  start: (page) => void started.push(page),
};

describe('a feature that registers', () => {
  register(toy);

  it('has its command, its texts in every language, and its panel in the shell', async () => {
    expect(isAvailable(open)).toBe(true);
    await tryCommand(open);
    expect(pressed).toBe(1);
    expect(commandOf(open).keys).toEqual(['Alt+T']);
    expect(translate('en', title)).toBe('Toys');
    await loadLang('zh-CN');
    expect(translate('zh-CN', title)).toBe('玩具');
    expect(registered('bottom').map(({ id }) => id)).toEqual(['toy']);
    expect(renderToStaticMarkup(createElement(BottomPanel))).toMatch(/data-testid="tab-toy"[^>]*>Toys</);
  });

  it('has its dialog, its place in the page, the files that it opens, and is started', () => {
    expect(dialogOf('toy' as never)).toBeDefined();
    expect(renderToStaticMarkup(createElement(Slot, { at: 'stage' }))).toBe('<p>a bar of toys</p>');
    expect(importerOf('picture')).toBeDefined();
    expect(importerOf('recording')).toBeUndefined();
    startAll('page');
    expect(started).toEqual(['page']);
    expect(useUI.getState().bottom).toBeNull();
  });

  it('has ids of its own', () => {
    expect(() => register({ bottom: toy.bottom ?? [] })).toThrow('the bottom panel toy is registered twice');
    expect(() => addCommands({ [open]: command({ title, run: () => {} }) })).toThrow('view.toy is registered twice');
    expect(() =>
      register({ words: [{ en: { 'toy.title': 'Dolls' }, others: { 'zh-CN': async () => ({}) } }] }),
    ).toThrow('toy.title');
  });
});
