/** The header of a recording that says nothing of its run. */
export const blankHeader = {
  core: 'x',
  title: '',
  scenario: '',
  seed: 0,
  runtime: '',
  node: '',
  epochMillis: 0,
  virtual: false,
  createdBy: '',
} as const;
