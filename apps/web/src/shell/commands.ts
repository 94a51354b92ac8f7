import { command } from '../commands/types.js';
import { graphView } from '../features/graph/graph-view.js';
import { escapeHeld } from '../features/long-work/hold.js';
import { chooseLang } from '../features/settings/settings.js';
import { useTransport } from '../features/transport/transport-store.js';
import {
  type BottomPanel,
  type Lang,
  type LeftPanel,
  type Selection,
  select,
  setContrast,
  setTheme,
  type Theme,
  useUI,
} from '../page/ui-store.js';

/** Opens a panel, or closes it where it is open. */
export const left = (panel: LeftPanel) => () => useUI.setState((s) => ({ left: s.left === panel ? null : panel }));
export const bottom = (panel: BottomPanel) => () =>
  useUI.setState((s) => ({ bottom: s.bottom === panel ? null : panel }));
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export const viewCommands = {
  'view.scenarios': command({ title: 'command.scenarios', keys: ['S'], run: left('scenarios') }),
  'view.manifests': command({ title: 'command.manifests', keys: ['M'], run: left('manifests') }),
  'view.pods': command({ title: 'command.pods', keys: ['P'], run: left('pods') }),
  'view.records': command({ title: 'command.records', keys: ['R'], run: bottom('records') }),
  'view.log': command({ title: 'command.log', keys: ['G'], run: bottom('log') }),
  'view.events': command({ title: 'command.events', keys: ['E'], run: bottom('events') }),
  'view.inspector': command({
    title: 'command.inspector',
    keys: ['I'],
    run: () => useUI.setState((s) => ({ inspectorOpen: !s.inspectorOpen })),
  }),
  'view.why': command({
    title: 'command.why',
    keys: ['W'],
    available: () => useUI.getState().selection !== null,
    run: () => useUI.setState({ inspectorOpen: true, inspectorTab: 'why' }),
  }),
  'view.palette': command({
    title: 'command.palette',
    keys: ['Mod+K'],
    run: () => useUI.setState({ dialog: 'palette' }),
  }),
  'view.shortcuts': command({
    title: 'command.shortcuts',
    keys: ['?'],
    run: () => useUI.setState({ dialog: 'shortcuts' }),
  }),
  'view.search': command({
    title: 'command.search',
    keys: ['/'],
    run: () => {
      useUI.setState((s) => ({
        bottom: s.bottom === 'log' || s.bottom === 'timeline' || s.bottom === 'outline' ? s.bottom : 'records',
      }));
      requestAnimationFrame(() => document.getElementById('sl-filter')?.focus());
    },
  }),
  'view.close': command({
    title: 'command.close',
    keys: ['Escape'],
    palette: false,
    run: () =>
      useUI.setState((s) => {
        if (s.dialog) return { dialog: null };
        if (useTransport.getState().menu) {
          useTransport.setState({ menu: null });
          return {};
        }
        if (escapeHeld()) return {};
        if (s.notice) return { notice: null };
        if (s.inspectorOpen) return { inspectorOpen: false, selection: null };
        if (s.left) return { left: null };
        return { bottom: null };
      }),
  }),
  'session.liveNode': command({ title: 'command.liveNode', run: () => useUI.setState({ dialog: 'liveNode' }) }),
  'view.follow': command({
    title: 'command.follow',
    keys: ['L'],
    run: () => useUI.setState((s) => ({ follow: !s.follow })),
  }),
  'view.fit': command({ title: 'command.fit', keys: ['F'], run: () => graphView.fit() }),
  'view.zoomIn': command({ title: 'command.zoomIn', keys: ['+', '='], run: () => graphView.zoom(1.2) }),
  'view.zoomOut': command({ title: 'command.zoomOut', keys: ['-'], run: () => graphView.zoom(1 / 1.2) }),
  'view.select': command<Selection | null>({
    title: 'command.select',
    palette: false,
    run: (selection) => select(selection),
  }),
  'settings.lang': command({
    title: 'command.lang',
    run: () => chooseLang(useUI.getState().lang === 'en' ? 'zh-CN' : 'en'),
  }),
  'settings.setLang': command<Lang>({ title: 'command.lang', palette: false, run: (lang) => chooseLang(lang) }),
  'settings.lang.en': command({ title: 'command.langEn', run: () => chooseLang('en') }),
  'settings.lang.zh': command({ title: 'command.langZh', run: () => chooseLang('zh-CN') }),
  'settings.theme.system': command({ title: 'command.theme.system', run: () => setTheme('system') }),
  'settings.theme.light': command({ title: 'command.theme.light', run: () => setTheme('light') }),
  'settings.theme.dark': command({ title: 'command.theme.dark', run: () => setTheme('dark') }),
  'settings.contrast': command({ title: 'command.contrast', run: () => setContrast(!useUI.getState().contrast) }),
  'settings.theme': command({
    title: 'command.theme',
    run: () => setTheme(THEMES[(THEMES.indexOf(useUI.getState().theme) + 1) % THEMES.length] ?? 'system'),
  }),
};
