export const en = {
  'command.fleet': 'All nodes on one clock',
  'find.view.fleet': 'fleet cluster nodes lanes shared causes clocks',
};

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
