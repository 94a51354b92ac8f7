export const offline = {
  'command.pageUpdate': 'Reload with the new version of syncloop',
  'offline.ready': 'A new version of syncloop is ready. It is taken at the next start, or now.',
  'offline.reload': 'Reload',
} as const;
