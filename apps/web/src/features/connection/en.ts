export const en = {
  'find.session.liveNode': 'real cluster agent node kubelet connect',
  'command.liveNode': 'Connect to a live node',
  'liveNode.how':
    'Start syncloop’s kubelet on the node, as root. It prints a link: open it, or paste it here. Each link works once, within ten minutes; “syncloop url” on the node prints another.',
  'liveNode.url': 'Link',
  'liveNode.open': 'Open',
  'liveNode.bad': 'This is not a link to an agent. Such a link looks like http://127.0.0.1:7330/#code=…',
  'command.simulate': 'Use the simulation in this browser',
  'session.starting': 'Starting the simulation…',
  'session.connecting': 'Connecting to the agent…',
  'session.workerTitle': 'The simulation ended',
  'session.refusedTitle': 'The agent refused this page',
  'session.lostTitle': 'The agent does not answer',
  'session.otherUrl': 'Enter another link',
  'session.lostAgent':
    '{reason}. The page keeps trying. If the agent was stopped, start it again and open the link it prints.',
  'session.badToken': '{reason}.',
  'session.linkUsed':
    'The link was used already, and each works only once. For another one press Enter where syncloop runs, or run “syncloop url” on that machine',
  'session.linkExpired':
    'The link is older than ten minutes. For another one press Enter where syncloop runs, or run “syncloop url” on that machine',
  'session.wrongToken':
    'This page belongs to an earlier start of syncloop. For a link to the present one press Enter where syncloop runs, or run “syncloop url” on that machine',
  'command.linkToAgent': 'Copy a link for another browser',
  'find.session.link': 'url code second device person hand on invite open elsewhere',
  'session.linkCopied': 'Copied: a link that works once, within ten minutes. It has the rights of this page.',
  'session.lookLinkCopied': 'Copied: a link for watching only. It works once, within ten minutes.',
  'session.linkShown': 'A link that works once, within ten minutes: {link}',
  'session.linkNone': 'This page has no agent, so another browser has nothing to connect to.',
  'session.ended': 'it has ended the connection',
  'session.broke': 'the connection broke',
  'session.nobody': 'nothing answers at its address',
  'session.workerFailed':
    '{reason}. If it does not start at all, this browser may be too old: use Chrome 123, Firefox 120, Safari 17.5 or later.',
  'find.session.own': 'alone private copy fork separate second session page',
  'find.session.rejoin': 'return agent shared together',
  'command.ownSession': 'Give this page a session of its own',
  'command.rejoin': 'Back to the shared session',
  'own.here': 'This page has a session of its own now, from the same moment. The other pages do not see what it does.',
  'own.back': 'This page looks at the shared session again.',
  'own.again': 'Continue in its own session',
  'join.title': 'Join the session, or have one of your own',
  'join.asks': 'This session is open in another page already. If you join it, both pages step the same run.',
  'join.shared': 'Join the running session',
  'join.own': 'Open one of my own',
  'pages.word': 'pages',
  'pages.look': '{n} pages share this session',
  'pages.alone': 'Only this page uses the session now',
  'pages.shared':
    'They share one run: when one page steps, pauses, goes back or loads a scenario, it happens on all of them. The breakpoints set last apply to all. Selection, open panels and notes belong to each page.',
  'pages.sharedNode':
    'They share one kubelet: when one page pauses or steps it, it stops for all of them. The breakpoints set last apply to all. Selection, open panels and notes belong to each page.',
  'pages.lookOnly': 'This page may only watch: it cannot move the shared session.',
  'pages.last': 'Last move: {what}.',
  'pages.ownHow':
    'In a session of its own this page goes on alone, from this very moment, in this browser. The branch that is in view comes along; other branches stay with the shared session. The menu of the session leads back.',
  'pages.ownNever': 'A kubelet on a node runs only once, so a page cannot have a session of its own on it.',
  'pages.insteadOfOwn':
    'To go through the run at your own pace, save a recording and open it: other pages cannot move it. To watch without moving the kubelet by mistake, open the URL without control that the agent prints.',
  'pages.this': 'this page',
  'pages.other': 'another page',
  'pages.did.pause': '{page} paused it',
  'pages.did.resume': '{page} let it run',
  'pages.did.step': '{page} stepped',
  'pages.did.back': '{page} stepped back',
  'pages.did.go': '{page} went to another moment',
  'pages.did.load': '{page} loaded a run',
  'pages.did.change': '{page} changed something on the node',
  'pages.did.choose': '{page} made another choice',
  'pages.did.explore': '{page} explores schedules',
  'pages.did.move': '{page} moved it',
} as const;

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
