export const en = {
  'find.session.liveNode': 'real cluster agent node kubelet connect',
  'command.liveNode': 'Connect to a live node',
  'liveNode.how': 'Start syncloop’s kubelet on the node, as root. It prints a URL: open that URL, or paste it here.',
  'liveNode.url': 'URL with its token',
  'liveNode.open': 'Open',
  'liveNode.bad': 'This is not the URL of an agent. Such a URL looks like http://127.0.0.1:7330/#token=…',
  'command.simulate': 'Use the simulation in this browser',
  'session.starting': 'Starting the simulation…',
  'session.connecting': 'Connecting to the agent…',
  'session.workerTitle': 'The simulation ended',
  'session.refusedTitle': 'The agent refused this page',
  'session.lostTitle': 'The agent does not answer',
  'session.otherUrl': 'Enter another URL',
  'session.lostAgent':
    '{reason}. The page keeps trying. If the agent was stopped, start it again and open the URL it prints.',
  'session.badToken': '{reason}.',
  'session.ended': 'it has ended the connection',
  'session.broke': 'the connection broke',
  'session.nobody': 'nothing answers at its address',
  'session.workerFailed':
    '{reason}. If it does not start at all, this browser may be too old: Chrome 123, Firefox 120 or Safari 17.5 will do.',
} as const;

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
