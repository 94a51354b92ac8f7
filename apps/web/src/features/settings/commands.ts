import { command } from '../../commands/types.js';
import { chooseLang } from '../../i18n/index.js';
import { type Lang, setClock, setContrast, setTheme, type Theme, useUI } from '../../page/ui-store.js';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export const settingsCommands = {
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
  'settings.clock.log': command({ title: 'command.clock.log', run: () => setClock('log') }),
  'settings.clock.utc': command({ title: 'command.clock.utc', run: () => setClock('utc') }),
  'settings.clock.browser': command({ title: 'command.clock.browser', run: () => setClock('browser') }),
  'settings.contrast': command({ title: 'command.contrast', run: () => setContrast(!useUI.getState().contrast) }),
  'settings.theme': command({
    title: 'command.theme',
    run: () => setTheme(THEMES[(THEMES.indexOf(useUI.getState().theme) + 1) % THEMES.length] ?? 'system'),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof settingsCommands> {}
}
