export const en = {
  'held.taking': '{what} has taken {n} s so far.',
  'held.at': 'It is at decision {steps}, {time} s into the run.',
  'held.atOf': 'It is at decision {steps} of {of}, {time} s into the run.',
  'held.silent': 'The simulation has not reacted for {n} s.',
  'held.stop': 'Stop',
  'held.stopping': 'Stopping…',
  'held.region': 'Work that takes long',
  'held.stopped': 'Stopped. The run is at decision {steps}, and can go on from there.',
  'held.agentSilent':
    'The agent does not react to the request to stop, which is still pending. You can use the simulation instead.',
  'held.ended': 'The simulation did not react, so it was ended.',
  'held.endedText':
    'A new one has been started. Your manifests, notes and breakpoints are still here. How should the run be opened again?',
  'held.endedRecording': 'The recording took too long, and reading it was ended. Should it be opened again?',
  'held.there': 'Open it where it was',
  'held.start': 'Open it at its start, paused',
  'held.another': 'Another scenario',
  'held.openAgain': 'Open it again',
  'held.unfinishedLink': 'This link did not finish loading last time.',
  'held.unfinishedTab': 'The run of this tab did not finish loading last time.',
  'held.unfinishedText': 'If it is run again, it may take as long as before. You can stop it at any time.',
  'held.again': 'Run it again',
  'held.atStart': 'Open it at its start',
  'held.leave': 'Leave it',
  'progress.running': 'Running',
  'progress.starting': 'Starting the simulation',
} as const;

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
