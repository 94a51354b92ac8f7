import type { Micros } from '@syncloop/core/trace';
import type { Decision } from '../base/types.js';
import { type Divergence, detail, type Ledger } from './ledger.js';
import { RESYNC, type Rule } from './rules.js';

/** The kinds of decisions that a worker makes when it comes back. */
const KINDS = new Set(['sync', 'call', 'restart']);
const CUTS = new Set(['UPDATE', 'DELETE', 'REMOVE']);

/**
 * Returns the rule by which a decision of only one run may have gone either way: the worker came back to an earlier
 * failure before or after something from outside put an end to it.
 */
export function chanceOf(
  ledger: Ledger,
  divergence: Divergence,
  seen: readonly Decision[],
  twin: readonly Decision[],
): Rule | undefined {
  if (divergence.how !== 'missing' && divergence.how !== 'extra') return undefined;
  const of = (divergence.seen ?? divergence.twin) as Decision;
  if (!KINDS.has(of.kind) || /BackOff$|^Remove/.test(of.what)) return undefined;
  const did = divergence.seen ? seen : twin;
  const other = divergence.seen ? twin : seen;
  // The failure that the worker came back to, in both runs.
  const failure = lastFailure(did, of.time);
  const pending = failure && lastFailure(other, Number.POSITIVE_INFINITY, failure);
  if (!failure || !pending || of.time - failure.time > waitOf(failure)) return undefined;
  const cut = other.find((d) => d.kind === 'config' && CUTS.has(d.what) && d.time > pending.time)?.time;
  const end: Micros = cut ?? (divergence.seen ? ledger.until - ledger.shift : ledger.until);
  return end - pending.time <= waitOf(pending) ? 'retries' : undefined;
}

const isFailure = (d: Decision) =>
  (d.kind === 'sync' && Boolean(detail(d, 'error'))) || (d.kind === 'restart' && d.what !== 'restart');
const waitOf = (d: Decision): Micros => {
  const delay = detail(d, 'delaySeconds') ?? /back-off (\d+)s /.exec(String(detail(d, 'error') ?? ''))?.[1] ?? 0;
  return Number(delay) * 1e6 + RESYNC;
};
function lastFailure(list: readonly Decision[], before: Micros, like?: Decision): Decision | undefined {
  for (let i = list.length - 1; i >= 0; i--) {
    const d = list[i] as Decision;
    if (d.time < before && isFailure(d) && (!like || detail(d, 'error') === detail(like, 'error'))) return d;
  }
  return undefined;
}
