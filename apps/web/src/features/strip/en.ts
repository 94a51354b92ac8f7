export const en = {
  'strip.label': 'The whole file',
  'strip.keys':
    'Left and right: previous and next lines, with Shift to mark a part. Page up and page down: further. Home and End: the beginning and the end. n and p: next and previous incident. Escape: no part is marked.',
  'strip.spoken': '{at}. Lines here: {lines}, errors: {errors}, warnings: {warnings}.',
  'strip.hover': '{at} · {lines} lines · {errors} errors',
  'strip.incidents': '{n} incidents',
  'strip.incident': '1 incident',
  'strip.noIncident': 'no incident',
  'strip.errors': '{n} errors',
  'strip.lines': '{n} lines',
  'strip.found': '{n} in the whole file',
  'strip.foundAt': '{at} of {n} in the whole file',
  'strip.foundFirst': 'the first {n} in the file: narrow the search',
  'strip.looking': '{n} found, {percent} % searched',
  'strip.first': 'First',
  'strip.stop': 'Stop',
  'strip.marked': 'Marked: {from} to {to}',
  'strip.asRecording': 'Save as a recording',
  'strip.asLines': 'Save its lines',
  'strip.saveCancelled': 'it was cancelled; nothing is saved',
  'strip.nothingThere': 'There is nothing in the marked part that could be saved: mark a longer one.',
  'strip.hatched':
    'The frame is what the page has loaded; a click elsewhere loads what is there. Hatched: not read yet, or no longer kept.',
  'progress.saveWindow': 'Saving the marked part',
  'command.stripGo': 'Go to this time',
  'command.stripNextIncident': 'Next incident',
  'command.stripPreviousIncident': 'Previous incident',
  'command.stripFirstHit': 'First match in the whole file',
  'command.stripNextHit': 'Next match in the whole file',
  'command.stripPreviousHit': 'Previous match in the whole file',
  'command.stripStopSearch': 'Stop the search in the whole file',
  'command.stripClearRange': 'Whole file: mark no part',
  'command.stripSaveRecording': 'Save the marked part as a recording',
  'command.stripSaveLines': 'Save the lines of the marked part',
  'find.strip.nextIncident': 'trouble problem failure jump',
  'find.strip.nextHit': 'search find log',
  'find.strip.saveRecording': 'export window range download',
  'find.strip.saveLines': 'export window range download text log',
} as const;

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
