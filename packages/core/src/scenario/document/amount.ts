import { quantityValue, readQuantity } from '../../base/index.js';

/**
 * The amount that a text such as `60Mi`, `500` or `4%` means: a percentage is of `capacity`. Throws a RangeError for
 * any other text.
 */
export function amountOf(text: string, capacity: number): number {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text);
  if (percent && Number(percent[1]) <= 100) return (capacity * Number(percent[1])) / 100;
  try {
    const amount = percent ? -1 : quantityValue(readQuantity(text).nano);
    if (amount >= 0) return amount;
  } catch {
    // Said below.
  }
  throw new RangeError(`"${text.slice(0, 40)}" is not an amount`);
}
