/** What commands share that write a recording without names. */
import type { RecordingFile, RecordingInfo, TraceRecord } from '@syncloop/core/trace';
import { Pseudonyms } from '@syncloop/core/trace/pseudonyms';

export const pseudonymsFlag = {
  type: 'bool',
  help: 'replace names of hosts, pods, images and the like, addresses and ids, the same by the same; commands, paths and times stay',
} as const;

/** Looks at all records, so that each name has one pseudonym in whatever is written of them. */
export function pseudonymsOf(info: RecordingInfo, records: Iterable<TraceRecord>): Pseudonyms {
  const names = new Pseudonyms();
  names.lookAtInfo(info);
  for (const record of records) names.look(record);
  return names;
}

/** The records as they are to be written; they can be iterated several times. */
export const withPseudonyms = (
  names: Pseudonyms,
  records: Pick<RecordingFile, 'iterate'>,
): Pick<RecordingFile, 'iterate'> => ({
  *iterate(from) {
    for (const record of records.iterate(from)) yield names.record(record);
  },
});
