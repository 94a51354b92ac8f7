/** The texts that the page needs before the workshop is opened. */
export const en = {
  'command.workshop': 'Workshop: write parts of the kubelet yourself',
  'panel.code': 'Your code',
  'command.code': 'Your code in this run',
  'panel.sides': 'Real and yours',
  'command.sides': 'The real kubelet and your code',
  'find.view.workshop': 'exercise challenge code learn judge typescript solve',
} as const;

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
