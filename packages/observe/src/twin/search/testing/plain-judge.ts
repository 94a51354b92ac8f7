import type { Micros, TraceRecord } from '@syncloop/core/trace';
import type { Decision } from '../../base/types.js';
import type { Judge } from '../types.js';

/** Returns the calls that change something, and the choices of the sync loop's select: in order, nothing else. */
export function plainDecisions(records: readonly TraceRecord[]): Decision[] {
  return records.flatMap((r): Decision[] => {
    const base = { seq: r.seq, time: r.time, pod: '', incarnation: 0 };
    if (r.kind === 'cri-call' && /^(Run|Create|Start|Stop|Remove|Kill)/.test(r.method))
      return [{ ...base, kind: 'call', what: r.method }];
    if (r.kind === 'select' && r.cases.length >= 6 && (r.ready?.length ?? 0) > 1)
      return [{ ...base, kind: 'sync', what: `case ${r.chosen}` }];
    return [];
  });
}

/** Compares runs with the observed one's decisions, one after the other; returns the first difference. */
export function plainJudge(seen: readonly TraceRecord[]): Judge {
  const theirs = plainDecisions(seen);
  return (records, until: Micros) => {
    const ours = plainDecisions(records);
    let agreed = 0;
    while (agreed < theirs.length && ours[agreed]?.what === theirs[agreed]?.what) agreed++;
    const [a, b] = [theirs[agreed], ours[agreed]];
    if (!a && !b) return { agreed, differences: [] };
    if (!b && a && a.time > until) return { agreed, differences: [] };
    const text = `${a?.what ?? 'nothing'} was seen, the twin did ${b?.what ?? 'nothing'}`;
    const how = a && b ? 'value' : a ? 'missing' : 'extra';
    return { agreed, differences: [{ how, seen: a ?? null, twin: b ?? null, text: { en: text, zh: text } }] };
  };
}
