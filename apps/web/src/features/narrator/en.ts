export const en = {
  'region.narrator': 'What just happened',
  'hint.step': '[→] steps to the next thing you can see, [Space] runs.',
  'hint.back': '[←] steps back, [Shift+→] steps a whole iteration, [Space] runs.',
  'hint.select': 'Click anything to look inside: a box, a message, a name in this sentence.',
  'hint.why': '[W] asks why it is so.',
  'hint.touch.step': 'Run, or step to the next thing you can see.',
  'hint.touch.back': 'The button on the left steps back; the double arrow steps a whole iteration.',
  'hint.touch.select': 'Tap anything to look inside: a box, a message, a name in this sentence.',
  'hint.touch.why': 'The tab Why explains why it is so.',
  'hint.end': 'No more hints',
  'narrator.opensFolder': 'The folder contains the manifest {file}.',
  'narrator.opensAPI': 'A pod {pod} has been created in the API server.',
  'narrator.follow': 'Press [→] and follow it.',
  'narrator.followTouch': 'Step, and follow it.',
  'narrator.fast': 'Running fast: {n} iterations of syncLoop and {records} records so far.',
  'narrator.lastReported': 'last reported at {time}:',
  'narrator.way': 'On the way:',
  'narrator.before': 'Nothing has happened yet. The kubelet has not started.',
} as const;

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
