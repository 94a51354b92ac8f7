export const en = {
  'find.session.liveNode': 'real cluster agent node kubelet connect',
  'command.liveNode': 'Connect to a live node',
  'liveNode.how':
    'Start syncloop’s kubelet on the node, as root. It prints a link: open it, or paste it here. Each is good once, for ten minutes; “syncloop url” on the node prints another.',
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
    'The link was used already, and is good once. For another one press Enter where syncloop runs, or run “syncloop url” on that machine',
  'session.linkExpired':
    'The link is older than ten minutes. For another one press Enter where syncloop runs, or run “syncloop url” on that machine',
  'session.wrongToken':
    'This page belongs to an earlier start of syncloop. For a link to the present one press Enter where syncloop runs, or run “syncloop url” on that machine',
  'command.linkToAgent': 'Copy a link for another browser',
  'find.session.link': 'url code second device person hand on invite open elsewhere',
  'session.linkCopied': 'Copied: a link that is good once, for ten minutes. It may do what this page may.',
  'session.lookLinkCopied': 'Copied: a link to look only, good once, for ten minutes.',
  'session.linkShown': 'A link that is good once, for ten minutes: {link}',
  'session.linkNone': 'This page has no agent: there is nothing that another browser could come to.',
  'session.ended': 'it has ended the connection',
  'session.broke': 'the connection broke',
  'session.nobody': 'nothing answers at its address',
  'session.workerFailed':
    '{reason}. If it does not start at all, this browser may be too old: Chrome 123, Firefox 120 or Safari 17.5 will do.',
  'find.session.own': 'alone private copy fork separate second session page',
  'find.session.rejoin': 'return agent shared together',
  'command.ownSession': 'Have a session of its own',
  'command.rejoin': 'Back to the shared session',
  'own.here': 'This page has a session of its own now, from the same moment. The other pages do not see what it does.',
  'own.back': 'This page looks at the shared session again.',
  'own.again': 'Go on with its own',
  'pages.word': 'pages',
  'pages.look': '{n} pages look at this session',
  'pages.alone': 'Only this page looks at the session now',
  'pages.shared':
    'They share one run: when one page steps, pauses, goes back or loads a scenario, it happens on all of them. The breakpoints that were set last hold for all. What is selected, open or noted stays with each page.',
  'pages.sharedNode':
    'They look at one kubelet: when one page pauses or steps it, it stands still for all of them. The breakpoints that were set last hold for all. What is selected, open or noted stays with each page.',
  'pages.lookOnly': 'This page may only look: it cannot move the shared session.',
  'pages.last': 'Last move: {what}.',
  'pages.ownHow':
    'In a session of its own this page goes on alone, from this very moment, in this browser. The branch that is in view comes along; other branches stay with the shared session. The menu of the session leads back.',
  'pages.ownNever': 'A kubelet on a node runs only once, so a page cannot have a session of its own on it.',
  'pages.insteadOfOwn':
    'To go through what happened at one’s own pace, save a recording and open it: nobody else moves that. To look on without moving the kubelet by mistake, open the URL without control that the agent prints.',
  'pages.this': 'this page',
  'pages.other': 'another page',
  'pages.did.pause': '{page} paused it',
  'pages.did.resume': '{page} let it run',
  'pages.did.step': '{page} stepped',
  'pages.did.back': '{page} stepped back',
  'pages.did.go': '{page} went to another moment',
  'pages.did.load': '{page} loaded a run',
  'pages.did.change': '{page} changed something on the node',
  'pages.did.choose': '{page} took another way',
  'pages.did.explore': '{page} explores schedules',
  'pages.did.move': '{page} moved it',
} as const;

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
