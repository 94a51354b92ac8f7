import '../fixtures/features.js';
import { describe, expect, it } from 'vitest';
import { isMessageKey } from '../i18n/index.js';
import { useUI } from '../page/ui-store.js';
import { commandForKey, keyLabel, keyOf } from './hotkeys.js';
import { type CommandId, commandIds, commandOf, tryCommand } from './index.js';

const press = (key: string, mods: Partial<Record<'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey', boolean>> = {}) => ({
  key,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...mods,
});

describe('commands', () => {
  it('have titles in the catalogue and keys of their own', () => {
    const keys = new Set<string>();
    for (const id of commandIds()) {
      const def = commandOf(id);
      expect(isMessageKey(def.title), id).toBe(true);
      for (const key of def.keys ?? []) {
        expect(keys.has(key), `${key} of ${id}`).toBe(false);
        keys.add(key);
      }
    }
  });
  it('open and close panels, the newest on top first', async () => {
    await tryCommand('view.manifests');
    expect(useUI.getState().left).toBe('manifests');
    await tryCommand('view.pods');
    expect(useUI.getState().left).toBe('pods');
    await tryCommand('view.select', { kind: 'part', part: 'pleg' });
    await tryCommand('view.palette');
    await tryCommand('view.close');
    expect(useUI.getState()).toMatchObject({ dialog: null, inspectorOpen: true, left: 'pods' });
    await tryCommand('view.close');
    expect(useUI.getState()).toMatchObject({ selection: null, inspectorOpen: false, left: 'pods' });
    await tryCommand('view.close');
    expect(useUI.getState().left).toBeNull();
  });
  it('switch the language and go round the themes', async () => {
    await tryCommand('settings.setLang', 'en');
    await tryCommand('settings.lang');
    expect(useUI.getState().lang).toBe('zh-CN');
    await tryCommand('settings.lang');
    const seen = [];
    for (let i = 0; i < 3; i++) {
      await tryCommand('settings.theme');
      seen.push(useUI.getState().theme);
    }
    expect(seen).toEqual(['light', 'dark', 'system']);
  });
});

describe('keys', () => {
  const run = (event: ReturnType<typeof press>, mac = false): CommandId | undefined => commandForKey(keyOf(event, mac));
  it('are the ones that people expect', () => {
    expect(run(press(' '))).toBe('transport.toggle');
    expect(run(press('ArrowRight'))).toBe('transport.stepMilestone');
    expect(run(press('ArrowLeft'))).toBe('transport.backMilestone');
    expect(run(press('ArrowRight', { shiftKey: true }))).toBe('transport.stepIteration');
    expect(run(press('ArrowRight', { altKey: true }))).toBe('transport.stepDecision');
    expect(run(press('ArrowLeft', { altKey: true }))).toBe('transport.backDecision');
    expect(run(press('b'))).toBe('breakpoint.toggle');
    expect(run(press('?', { shiftKey: true }))).toBe('view.shortcuts');
    expect(run(press('l'))).toBe('view.follow');
    expect(run(press('k', { ctrlKey: true }))).toBe('view.palette');
    expect(run(press('k', { metaKey: true }), true)).toBe('view.palette');
  });
  it('leave the browser its own', () => {
    expect(run(press('r', { ctrlKey: true }))).toBeUndefined();
    expect(run(press('s', { ctrlKey: true }))).toBeUndefined();
    expect(run(press('Home', { altKey: true }))).toBeUndefined();
    expect(run(press('k', { ctrlKey: true }), true)).toBeUndefined();
  });
  it('read as people write them', () => {
    expect(keyLabel('Mod+K', false)).toBe('Ctrl+K');
    expect(keyLabel('Mod+K', true)).toBe('⌘ K');
    expect(keyLabel('Shift+ArrowRight', false)).toBe('Shift+→');
    expect(keyLabel('+', false)).toBe('+');
  });
});
