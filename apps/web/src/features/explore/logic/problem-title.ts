import type { Problem } from '@syncloop/core/debug';
import type { MessageKey, Translate } from '../../../i18n/index.js';
import { EXAMPLES, INVARIANTS } from './draft.js';

/** Returns a problem in the words of the page. */
export function problemTitle({ kind, name }: Pick<Problem, 'kind' | 'name'>, t: Translate): string {
  const example =
    kind === 'never' || kind === 'finally'
      ? Object.entries(EXAMPLES[kind]).find(([, source]) => source === name)?.[0]
      : undefined;
  if (example !== undefined) return t(`explore.kind.${kind}`, { name: t(`explore.example.${example}` as MessageKey) });
  if (kind === 'step') return t('explore.kind.step', { name: stepOf(name, t) });
  if (kind === 'stuck' && name === 'nothing to do') return t('explore.kind.idle');
  const known = kind === 'invariant' && (INVARIANTS as readonly string[]).includes(name);
  return t(`explore.kind.${kind}`, { name: known ? t(`explore.invariant.${name}` as MessageKey) : name });
}

/**
 * Returns the number of a scenario's failed step, which core names `step 3: waitFor ...`; its text has the expectation.
 */
export function stepOf(name: string, t: Translate): string {
  const [, n] = /^step (\d+):/.exec(name) ?? [];
  return n === undefined ? name : t('explore.stepNumber', { n });
}
