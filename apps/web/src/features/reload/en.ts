export const en = {
  'keep.restored': 'The page is as it was before the reload.',
  'keep.dropped': 'What this tab had kept of its run could not be used and was dropped: {why}',
} as const;

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
