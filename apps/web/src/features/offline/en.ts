export const en = {
  'command.pageUpdate': 'Reload with the new version of syncloop',
  'offline.ready': 'A new version of syncloop is ready. It is taken at the next start, or now.',
  'offline.reload': 'Reload',
} as const;

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
