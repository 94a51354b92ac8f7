export const en = {
  'find.settings.theme.dark': 'dark mode night black colours colors',
  'find.settings.theme.light': 'light mode day white colours colors',
  'find.settings.theme.system': 'automatic mode colours colors',
  'find.settings.contrast': 'accessibility readable strong colours',
  'find.settings.lang.zh': 'chinese language zhongwen',
  'find.settings.lang.en': 'english language',
  'find.settings.lang': 'translate switch',
  'menu.language': 'Language',
  'menu.theme': 'Colours',
  'menu.theme.system': 'As the system',
  'menu.theme.light': 'Light',
  'menu.theme.dark': 'Dark',
  'command.langEn': 'English',
  'command.langZh': '简体中文',
  'command.contrast': 'High contrast',
  'command.lang': 'Language: English / 中文',
  'command.theme': 'Theme: system, light, dark',
  'command.theme.system': 'Theme: as the system',
  'command.theme.light': 'Theme: light',
  'command.theme.dark': 'Theme: dark',
} as const;

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
