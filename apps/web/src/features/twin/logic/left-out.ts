import type { LeftOut } from '@syncloop/observe/twin';
import type { MessageKey } from '../../../i18n/index.js';

/** Pods that the summary names; the list below it has all. */
const NAMED = 5;

/** Returns a line about what a twin does not have: a message with its values; null if it has all. */
export function leftOutSummary(
  left: readonly LeftOut[],
): { readonly key: MessageKey; readonly values: { readonly n: number; readonly names: string } } | null {
  if (left.length === 0) return null;
  const pods = [...new Set(left.map(({ pod }) => pod).filter((pod) => pod !== ''))];
  const names = pods.slice(0, NAMED).join(', ') + (pods.length > NAMED ? ', …' : '');
  const key = pods.length === 0 ? 'twin.leftOutPart' : pods.length === 1 ? 'twin.leftOutOne' : 'twin.leftOut';
  return { key, values: { n: pods.length, names } };
}
