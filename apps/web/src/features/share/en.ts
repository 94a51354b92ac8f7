export const en = {
  'share.copiedOnlyHere':
    'The link is copied ({n} characters). It opens this very moment, but only on this computer: its address is {host}. To share the moment, save it as a file.',
  'share.onlyHere':
    'This link opens only on this computer: its address is {host}. To share the moment, save it as a file: it opens when it is dropped onto any page of syncloop.',
  'share.recorded': 'a recording has no links: share its file instead',
  'find.link.copy': 'share url send permalink',
  'find.share.saveMoment': 'download export',
  'find.share.copyStory': 'markdown text summary',
  'command.saveMoment': 'Save this moment as a file',
  'command.copyStory': 'Copy what the narrator said…',
  'share.copied': 'The link is copied ({n} characters). It opens this very moment.',
  'share.title': 'Link to this moment',
  'share.byHand': 'This browser does not let the page copy. Select the link and copy it. It has {n} characters.',
  'share.tooLong':
    'The link has {n} characters. Many programs cut links of more than {most}. Save the moment as a file instead: it opens when it is dropped onto the page.',
  'share.link': 'Link',
  'share.opened': 'This is the moment of the link. You can step on, or back.',
  'share.withNote': 'It brings {n} note.',
  'share.withNotes': 'It brings {n} notes.',
  'share.withBreakpoint': 'It brings {n} breakpoint.',
  'share.withBreakpoints': 'It brings {n} breakpoints.',
  'share.tookBreakpoints': 'breakpoints of the link added',
  'share.notOpened': 'The moment could not be reached: {why}. The session stays as it is.',
  'share.bad.newer': 'The link was made by a later version of syncloop: {why}. Open it where it was made.',
  'share.bad.damaged': 'The link is damaged: {why}. Ask for it again, and copy it whole.',
  'share.bad.long': 'This is too much for a link: {why}. Save the moment as a file instead.',
  'share.bad.browser':
    'The link cannot be opened here: {why}. Use a newer browser: Chrome 103, Firefox 113, Safari 16.4.',
  'share.badFile.newer': 'The file was made by a later version of syncloop: {why}. Open it where it was made.',
  'share.badFile.damaged':
    'This is not a file with a moment or with notes, or it is damaged: {why}. The session stays as it is.',
  'share.badFile.long': 'The file is too large for a moment: {why}.',
  'share.badFile.browser': 'The file cannot be opened here: {why}. Use a newer browser.',
  'share.storyTitle': 'What the narrator said',
  'share.storyHow': 'The last sentences as Markdown, for an issue or a chat.',
  'share.storyMost': 'Sentences',
  'share.storyWithLink': 'with a link to this moment',
  'share.storyText': 'Text to copy',
  'share.storyLink': 'Open this moment in syncloop',
  'command.copyLink': 'Copy a link to this moment',
} as const;

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
