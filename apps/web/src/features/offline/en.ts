export const en = {
  'command.pageUpdate': 'Reload with the new version of syncloop',
  'offline.ready': 'A new version of syncloop is ready. It is used from the next start on; to use it now, reload.',
  'offline.reload': 'Reload',
} as const;

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
