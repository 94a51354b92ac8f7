import type { TraceRecord } from '@syncloop/core/trace';

/** The header of a test's recording. */
export const header = {
  core: '0',
  title: 't',
  scenario: '',
  seed: 0,
  runtime: 'r',
  node: 'n',
  epochMillis: 0,
  virtual: false,
  createdBy: 'test',
};
/** The least that a record can be. */
export const record = (seq: number) =>
  ({ seq, time: seq, g: 0, span: 0, cause: 0, kind: 'input', verb: 'x', args: [] }) as TraceRecord;
