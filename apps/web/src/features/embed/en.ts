export const en = {
  'find.share.embed': 'iframe html blog frame',
  'command.embed': 'Embed in an article or slides…',
  'embed.open': 'Open in syncloop',
  'embed.title': 'Embed this moment',
  'embed.how':
    'Put this element into a web page. Its readers see the graph, what happens, and the controls, starting at this moment. It needs no account, no storage, and no server other than the one of this page.',
  'embed.name': 'Title, for screen readers',
  'embed.size': 'Size',
  'embed.size.small': '{width} × {height}',
  'embed.size.medium': '{width} × {height}',
  'embed.size.large': '{width} × {height}',
  'embed.size.wide': 'as wide as its container, {height} high',
  'embed.level': 'Detail of the graph',
  'embed.level.fit': 'as it fits',
  'embed.controls': 'Controls',
  'embed.controls.all': "steps and the graph's tools",
  'embed.controls.steps': 'steps',
  'embed.controls.none': 'none: your page controls the frame by postMessage',
  'embed.snippet': 'HTML to copy',
  'embed.note':
    '{n} characters. In a sandboxed frame it needs allow-scripts and allow-same-origin. Your readers must be able to reach the address of this page.',
  'embed.preview': 'Preview',
  'embed.parameters': 'Values to change',
  'embed.vary': 'Values that readers may change, one a line',
  'embed.vary.hint': 'constants.genericPlegRelistPeriod:1s,3s,10s|Relist period',
  'embed.notVaried': 'The run cannot have this value: {why}',
  'embed.blocked':
    'The frame does not answer. The server of this page may forbid frames (Content-Security-Policy: frame-ancestors): embed a copy of syncloop from a static server.',
} as const;

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
