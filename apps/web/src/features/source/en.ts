export const en = {
  'find.inspector.source': 'code go function',
  'inspector.source': 'Source',
  'command.source': 'Source: the code that is running',
  'command.sourceCall': 'Show the source of a call',
  'command.sourceOpen': 'Go to a function',
  'command.sourceFollow': 'Source: follow or stay',
  'command.sourceWide': 'Source: wide or narrow',
  'source.none': 'No named call is open here. Step on, or select a record, a goroutine or a pod.',
  'source.earlier':
    'Record #{seq} belongs to no named call, because the kernel or a timer made it. The newest record before it that belongs to one is shown.',
  'source.calls': 'Open calls, outermost first',
  'source.cut': 'Outer calls began before the first record in memory.',
  'source.unknown': 'The place of {fn} in the source is unknown.',
  'source.unknownShown': '{caller}, which called it, is shown instead.',
  'source.follow': 'Follow',
  'source.wide': 'Wide',
  'source.code': 'Source of {fn}: {file}, lines {from} to {to}',
  'source.line': 'Line {n} made record',
  'source.step': 'Step: {name}',
  'source.upstream': 'In Kubernetes {version}:',
  'source.open': '{symbol} in {file}, Kubernetes {version}, on GitHub (new tab)',
  'source.newTab': '(opens in a new tab)',
  'source.ours': 'Kubernetes has nothing like it: it exists only for this debugger.',
  'source.same': 'The same name and file in v1.12, v1.22 and v1.32.',
  'source.changes': 'What changed here from version to version:',
  'source.differs': 'It had another name once, or was in another file',
  'source.version': 'Version',
  'source.place': 'Name and file',
  'source.asNow': 'as in {version}',
  'source.notThere': 'not there',
  'source.unverified': 'not looked up',
  'source.stopAt': 'Stop where {fn} begins',
  'source.stopAtStep': 'Stop at step {name}',
} as const;

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
