export const share = {
  'share.copied': 'The link is copied. It opens this very moment.',
  'share.copiedLong': 'The link is copied. It has {n} characters, and some programs cut links that long.',
  'share.title': 'Link to this moment',
  'share.byHand': 'This browser does not let the page copy. Select the link and copy it.',
  'share.link': 'Link',
  'share.opened': 'This is the moment of the link. Step on, or back.',
  'share.notOpened': 'The moment of the link could not be reached: {why}. The session stays as it is.',
  'share.bad.newer': 'The link was made by a later version of syncloop: {why}. Open it where it was made.',
  'share.bad.damaged': 'The link is damaged: {why}. Ask for it again, and copy it whole.',
  'share.bad.long': 'This is too much for a link: {why}. Save a recording instead.',
  'share.bad.browser':
    'The link cannot be opened here: {why}. Use a newer browser: Chrome 103, Firefox 113, Safari 16.4.',
} as const;
