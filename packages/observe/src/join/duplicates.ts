import type { Evidence, LineEvidence } from '../evidence/index.js';

/** Lines that are remembered, twice: two files of one node are read in the order of time. */
const REMEMBERED = 50_000;
/** Times of two files may be in zones that are not known. */
const QUARTER = 15 * 60e6;

/**
 * Finds lines that two logs of one node both have: the journal of everything and that of the kubelet, files that
 * overlap. A line that a program wrote twice is in each of them twice, and counts twice.
 */
export class Duplicates {
  /** By line: how often each source has it. */
  private young = new Map<string, Map<string, number>>();
  private old = new Map<string, Map<string, number>>();
  /** Lines that were left out. */
  count = 0;

  /** True if another source has had this line already. */
  has(evidence: Evidence): boolean {
    if (evidence.kind !== 'line') return false;
    const key = keyOf(evidence);
    let counts = this.young.get(key);
    if (!counts) {
      counts = this.old.get(key) ?? new Map();
      if (this.young.size >= REMEMBERED) {
        this.old = this.young;
        this.young = new Map();
      }
      this.young.set(key, counts);
    }
    const own = (counts.get(evidence.source) ?? 0) + 1;
    counts.set(evidence.source, own);
    for (const [source, others] of counts)
      if (source !== evidence.source && others >= own) {
        this.count++;
        return true;
      }
    return false;
  }
}

function keyOf({ entry, at }: LineEvidence): string {
  if (entry.kind === 'other') return `${at === null ? '' : Math.floor((at % QUARTER) / 1e6)} ${entry.text}`;
  const { pid, file, sourceLine, msg, fields } = entry;
  // Text without quotes is whole in its message; a structured record differs in its fields.
  const rest = entry.structured ? JSON.stringify(fields) : '';
  return `${(at ?? 0) % QUARTER} ${pid} ${file} ${sourceLine} ${msg} ${rest}`;
}
