export const en = {
  'story.desired': 'What should run',
  'story.desired.what': 'The pods that this node should run.',
  'story.desired.more':
    'Files, a web address or the API server say which pods this node should run. PodConfig merges them into one list.',
  'story.inputs': 'Channels',
  'story.inputs.what': 'Whatever needs attention queues here.',
  'story.inputs.more':
    'Eight channels: a changed pod, a container that died, a probe that failed, a clock that ticks. Each waits here for its turn.',
  'story.choice': 'select',
  'story.choice.what': 'Takes one ready message, then another.',
  'story.choice.more':
    'The loop waits until a channel has something and takes one message. If several are ready, Go picks at random.',
  'story.handler': 'SyncHandler',
  'story.handler.what': 'Finds the pods that the message is about.',
  'story.handler.more':
    'Works out which pods the message is about and hands each to its own worker. It never waits for the work itself.',
  'story.workers': 'Pod workers',
  'story.workers.what': 'One per pod: makes it what it should be.',
  'story.workers.more':
    'One worker for each pod compares what should be with what is, and does the next few things to bring them together.',
  'story.node': 'Runtime & node',
  'story.node.what': 'Containers start, run and stop here.',
  'story.node.more':
    'Over the CRI the workers ask the container runtime to create, start and stop sandboxes and containers.',
  'story.pleg': 'PLEG',
  'story.pleg.what': 'Looks every second for what has changed.',
  'story.pleg.more':
    'Every second it lists all containers and compares the list with the previous one. Each difference goes back into a channel.',
  'story.status': 'Status manager',
  'story.status.what': 'Reports the state of each pod.',
  'story.status.more':
    'Keeps the state of each pod and reports it to the API server, which shows it to everybody else.',
  'story.noPods': 'No pods yet',
  'story.empty': 'All are empty',
  'story.unseen': 'Depth unknown (?)',
  'story.last': 'last: {what}',
  'story.took': 'took {channel}',
  'story.readyN': '{n} were ready',
  'story.none': 'Nothing to do',
  'story.before': 'Not started',
  'story.now': 'now: {what}',
  'story.moreN': 'and {n} more',
  'story.step': 'step {n} of {of}',
  'story.waitsNews': 'waits for news of its containers',
  'story.idle': 'idle',
  'story.failed': 'failed, tries again',
  'story.noNode': 'Nothing runs yet',
  'story.relists': 'looked {n} times, last at {t}',
  'story.same': 'Nothing has changed so far',
  'story.noStatus': 'Nothing reported yet',
  'story.noApi': 'No API server here: statuses stay in memory',
  'story.api': 'API',
} as const;

declare module '../../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
