import { sameQuantity } from '../base/index.js';
import { isObject } from './json.js';

/** Fields that hold amounts by resource, and those that hold one amount. */
const lists: ReadonlySet<string> = new Set(['limits', 'requests', 'overhead']);
const single: ReadonlySet<string> = new Set(['sizeLimit', 'divisor']);

/**
 * Whether two specs of pods, or parts of them, mean the same: amounts are compared as such, so that `1Gi` is `1024Mi`.
 * A field that is undefined is none. upstream: apiequality.Semantic.DeepEqual
 */
export function semanticEqual(a: unknown, b: unknown, amount = false): boolean {
  if (a === b) return true;
  if (Array.isArray(a) || Array.isArray(b))
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((x, i) => semanticEqual(x, b[i]));
  if (!isObject(a) || !isObject(b)) return amount && isAmount(a) && isAmount(b) && sameQuantity(a, b);
  const keys = Object.keys(a).filter((k) => a[k] !== undefined);
  if (keys.length !== Object.keys(b).filter((k) => b[k] !== undefined).length) return false;
  return keys.every(
    (k) =>
      Object.hasOwn(b, k) &&
      (lists.has(k) && isObject(a[k]) && isObject(b[k])
        ? sameAmounts(a[k], b[k])
        : semanticEqual(a[k], b[k], single.has(k))),
  );
}

const isAmount = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

function sameAmounts(a: object, b: object): boolean {
  const [x, y] = [Object.entries(a), new Map(Object.entries(b))];
  return x.length === y.size && x.every(([name, amount]) => y.has(name) && semanticEqual(amount, y.get(name), true));
}
