export const en = {
  'command.liveNode': 'Connect to a live node',
  'liveNode.how': 'On the node, as root, start syncloop’s kubelet. It prints a URL: open it, or paste it here.',
  'liveNode.url': 'URL with its token',
  'liveNode.open': 'Open',
  'liveNode.bad': 'This is no URL of an agent. It looks like http://127.0.0.1:7330/#token=…',
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
  'session.nobody': 'nobody listens at its address',
  'session.workerFailed':
    '{reason}. If it does not start at all, this browser may be too old: Chrome 123, Firefox 120 or Safari 17.5 will do.',
} as const;

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
