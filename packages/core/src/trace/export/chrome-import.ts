import { isObject, own } from '../../base/index.js';
import { headerOf, type Raw } from '../recording/header.js';
import { RecordingError, type RecordingInfo, recordProblem } from '../recording/index.js';
import { asRecord } from '../recording/validate.js';
import type { TraceRecord } from '../records.js';

/**
 * The recording in a Chrome trace that was exported with its records as arguments. Throws a RecordingError that says
 * what to do for any other: what another program traced has no records in it.
 */
export function importChromeTrace(text: string): { readonly info: RecordingInfo; readonly records: TraceRecord[] } {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw new RecordingError(
      `this is not a trace: ${error instanceof Error ? error.message : 'it is not JSON'}; was the file cut off?`,
    );
  }
  const events = Array.isArray(file) ? file : isObject(file) ? own(file, 'traceEvents') : undefined;
  if (!Array.isArray(events))
    throw new RecordingError(
      'this is not a trace: there is no list of "traceEvents" in it; export one with --format chrome',
    );
  const records: TraceRecord[] = [];
  for (let i = 0; i < events.length; i++) {
    const event: unknown = events[i];
    const args = isObject(event) ? own(event, 'args') : undefined;
    const record = isObject(args) ? own(args, 'record') : undefined;
    if (record === undefined) continue;
    const problem = isObject(record) ? recordProblem(record) : 'it is not an object';
    if (problem !== '') throw new RecordingError(`the record of traceEvents[${i}] is broken: ${problem}`);
    records.push(asRecord(record as Raw));
  }
  if (records.length === 0)
    throw new RecordingError(
      'this trace has no records in it: it was made by another program, or exported without its arguments; import a recording, or a trace that was exported with them',
    );
  records.sort((a, b) => a.seq - b.seq);
  for (let i = 1; i < records.length; i++)
    if (records[i]?.seq === records[i - 1]?.seq)
      throw new RecordingError(
        `record ${records[i]?.seq} is in this trace twice: the trace was changed; export it once more`,
      );
  const other = isObject(file) ? own(file, 'otherData') : undefined;
  const { format: _f, version: _v, ...info } = headerOf(isObject(other) ? other : {}, {});
  return { info, records };
}
