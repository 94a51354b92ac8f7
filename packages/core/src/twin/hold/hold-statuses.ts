import type { Json } from '../../trace/index.js';
import type { Decision } from '../base/types.js';
import { align } from './align.js';
import type { Ledger } from './ledger.js';
import { RELIST, STABLE } from './rules.js';
import { partings } from './scrub.js';

export function holdStatuses(ledger: Ledger, seen: readonly Decision[], twin: readonly Decision[]): void {
  const whole = seen.some((d) => d.details !== undefined && 'conditions' in (d.details as object));
  const of = (list: readonly Decision[]) => list.map((d) => ({ d, text: text(d, whole) }));
  const a = distinct(of(seen));
  const b = distinct(of(twin));
  // How often somebody looked is not told: two changes that were seen so near each other show it.
  const gaps = seen.slice(1).map((d, i) => d.time - (seen[i] as Decision).time);
  const asked = Math.min(10e6, ...gaps.filter((gap) => gap > 0));
  const long = STABLE + RELIST + 2 * asked;
  let i = 0;
  let j = 0;
  for (const [x, y] of [...align(a, b, (p, q) => p.text === q.text), [a.length, b.length] as const]) {
    const left = a.slice(i, x).filter(({ d }) => isLong(ledger, d, STABLE));
    const right = b.slice(j, y).filter(({ d }) => isLong(ledger, d, long));
    for (const [n, { d }] of left.entries()) {
      // Nothing of the twin's stood long enough: what is nearest to it shows where they part.
      const other = (right[n] ?? b.slice(j, y)[n])?.d;
      if (!other) {
        ledger.missing(d);
        continue;
      }
      ledger.match(d, other);
      const [first] = partings(shown(d, whole), shown(other, whole));
      if (first) ledger.value(d, other, first.path, { seen: first.seen, twin: first.twin });
    }
    for (const { d } of right.slice(left.length)) ledger.extra(d);
    const [p, q] = [a[x], b[y]];
    if (p && q) ledger.match(p.d, q.d);
    i = x + 1;
    j = y + 1;
  }
}

function isLong(ledger: Ledger, d: Decision, least: number): boolean {
  if ((d.took ?? 0) >= least) return true;
  ledger.pass('short-status');
  return false;
}
const shown = (d: Decision, whole: boolean): Json => (whole ? (d.details ?? {}) : { phase: d.what }) as Json;
const text = (d: Decision, whole: boolean): string => (whole ? JSON.stringify(d.details) : d.what);
/** Where only the phase is told, several statuses are one. */
function distinct(list: readonly { d: Decision; text: string }[]): { d: Decision; text: string }[] {
  const out: { d: Decision; text: string }[] = [];
  for (const one of list) {
    const last = out.at(-1);
    if (last?.text === one.text) last.d = { ...last.d, took: (last.d.took ?? 0) + (one.d.took ?? 0) };
    else out.push({ ...one });
  }
  return out;
}
