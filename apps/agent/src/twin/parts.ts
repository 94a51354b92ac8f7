/** Proposes parts of a capture that is too long for one twin. */
import { Incidents } from '@syncloop/core/debug/incidents';
import type { Micros } from '@syncloop/core/trace';
import { type Cut, LONGEST_TWIN } from '@syncloop/observe/twin';
import type { Observed } from './reenact.js';

/** The time of a part before and after an incident began. */
const AROUND: Micros = 600e6;
const MOST = 3;

/**
 * Returns lines that say that a capture is too long and name parts around its incidents; none if it is not, or if a
 * part was chosen.
 */
export function proposedParts({ records, epochMicros }: Pick<Observed, 'records' | 'epochMicros'>, cut: Cut): string[] {
  const end = records.at(-1)?.time ?? 0;
  const from = cut.from ?? 0;
  if (Math.min(cut.to ?? end, end) - from <= LONGEST_TWIN) return [];
  const incidents = new Incidents();
  for (const record of records) incidents.take(record);
  const wall = (time: Micros) => `${new Date((epochMicros + time) / 1000).toISOString().slice(0, 19)}Z`;
  const parts = incidents
    .list()
    .incidents.filter(({ expected, begin }) => !expected && begin.time >= from)
    .slice(0, MOST)
    .map(({ begin, pod, text }) => {
      const times = `--from ${wall(Math.max(0, begin.time - AROUND))} --to ${wall(Math.min(end, begin.time + AROUND))}`;
      return `  ${times}${pod === '' ? '' : ` --pod ${pod}`}   # ${text.en.replace(/[^\x20-\x7e]/g, '?').slice(0, 120)}`;
    });
  const hours = Math.floor(end / 3600e6);
  return [
    `what was read covers ${hours} hours, and a twin at most ${LONGEST_TWIN / 3600e6}: choose a part with --from, --to and --pod${parts.length > 0 ? ', such as' : ''}`,
    ...parts,
  ];
}
