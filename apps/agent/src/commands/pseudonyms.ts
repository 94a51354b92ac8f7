/** Helpers of commands that write a recording without names. */
import type { RecordingFile, RecordingInfo, TraceRecord } from '@syncloop/core/trace';
import { Pseudonyms } from '@syncloop/core/trace/pseudonyms';

export const pseudonymsFlag = {
  type: 'bool',
  help: 'replace names of hosts, pods, images and the like, addresses and ids by pseudonyms, consistently; commands, paths and times stay',
} as const;

/** Looks at all records, so that each name has one pseudonym in all output. */
export function pseudonymsOf(info: RecordingInfo, records: Iterable<TraceRecord>): Pseudonyms {
  const names = new Pseudonyms();
  names.lookAtInfo(info);
  for (const record of records) names.look(record);
  return names;
}

/** Reports the replaced names to whoever is about to share the file. */
export function replacedText(names: Pseudonyms): string {
  const parts = [...names.counts()].map(([category, n]) => `${n} ${category.toLowerCase()}${n === 1 ? '' : 's'}`);
  const what =
    parts.length === 0 ? 'no names were found' : `names replaced: ${parts.join(', ')}; and addresses and ids`;
  return `syncloop: ${what}. Commands, arguments, paths and messages stay but for the names in them: look before you share\n`;
}

/** Returns the records to write; they can be iterated several times. */
export const withPseudonyms = (
  names: Pseudonyms,
  records: Pick<RecordingFile, 'iterate'>,
): Pick<RecordingFile, 'iterate'> => ({
  *iterate(from) {
    for (const record of records.iterate(from)) yield names.record(record);
  },
});
