import type { Decision, NotCompared } from '../base/types.js';
import type { Ledger } from './ledger.js';
import { rules } from './rules.js';

const leftOut = {
  en: 'Decisions about pods that the twin does not have.',
  zh: '孪生中没有的 Pod 的决策。',
};

/** Counts the decisions of both runs that were not compared, by the rule that says why; the most frequent first. */
export function notCompared(
  ledger: Ledger,
  all: { readonly seen: readonly Decision[]; readonly twin: readonly Decision[] },
  /** Pods that the twin does not have. */
  gone: ReadonlySet<string>,
): NotCompared[] {
  const compared = new Set<Decision>();
  for (const { seen, twin } of ledger.pairs) compared.add(seen).add(twin);
  for (const { seen, twin } of ledger.divergences) for (const d of [seen, twin]) if (d) compared.add(d);
  const counts = new Map<string, { seen: number; twin: number }>();
  const seen = new Set(all.seen);
  const count = (rule: string, d: Decision) => {
    const of = counts.get(rule) ?? { seen: 0, twin: 0 };
    of[seen.has(d) ? 'seen' : 'twin']++;
    counts.set(rule, of);
  };
  for (const [d, rule] of ledger.aside) if (!compared.has(d)) count(rule, d);
  for (const d of [...all.seen, ...all.twin]) if (gone.has(d.pod)) count('left-out', d);
  return [...counts]
    .map(([rule, of]) => ({ rule, text: rule === 'left-out' ? leftOut : rules[rule as keyof typeof rules], ...of }))
    .sort((a, b) => b.seen + b.twin - (a.seen + a.twin));
}
