import type { Taint } from '../cluster-types.js';
import type { Toleration } from '../types.js';

const wholeNumber = /^-?(0|[1-9]\d*)$/;

/**
 * Returns true if a toleration tolerates a taint. `comparison`: gate TaintTolerationComparisonOperators.
 * upstream: core/v1 (*Toleration).ToleratesTaint
 */
export function toleratesTaint(toleration: Toleration, taint: Taint, comparison: boolean): boolean {
  const { effect = '', key = '', operator = '', value = '' } = toleration;
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  const of = taint.value ?? '';
  switch (operator) {
    case '':
    case 'Equal':
      return value === of;
    case 'Exists':
      return true;
    case 'Lt':
    case 'Gt':
      if (!comparison || !wholeNumber.test(value) || !wholeNumber.test(of)) return false;
      return operator === 'Lt' ? BigInt(of) < BigInt(value) : BigInt(of) > BigInt(value);
    default:
      return false;
  }
}

/**
 * Returns the first taint with an effect that counts and that nothing tolerates.
 * upstream: component-helpers FindMatchingUntoleratedTaint
 */
export const findUntoleratedTaint = (
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  counts: (taint: Taint) => boolean,
  comparison = false,
): Taint | undefined =>
  taints.find((taint) => counts(taint) && !tolerations.some((t) => toleratesTaint(t, taint, comparison)));
