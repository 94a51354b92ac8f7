export const en = {
  'keep.restored': 'The page is as it was before the reload.',
  'keep.dropped': 'The saved run of this tab could not be restored and was dropped: {why}',
} as const;

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
