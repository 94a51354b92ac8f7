import { isObject, sameQuantity } from '../base/index.js';

/** Fields that hold amounts by resource, and those that hold one amount. */
const amountsByResource: ReadonlySet<string> = new Set([
  'limits',
  'requests',
  'overhead',
  'allocatedResources',
  'capacity',
  'allocatable',
]);
const oneAmount: ReadonlySet<string> = new Set(['sizeLimit', 'divisor']);

type Fields = { readonly [key: string]: unknown };
const isAmount = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';
/**
 * True if a value counts as missing. A list of amounts may be empty; any other empty object may be a pointer's, which
 * is not nothing.
 */
const isMissing = (value: unknown, key: string): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (amountsByResource.has(key) && isObject(value) && Object.keys(value).length === 0);

/**
 * True if two objects of the API, or parts of them, mean the same: amounts are compared as such (`1Gi` is `1024Mi`),
 * and a list, a text or a list of amounts that is missing equals an empty one.
 * upstream: apiequality.Semantic.DeepEqual
 */
export const semanticEqual = (a: unknown, b: unknown): boolean => equal(a, b, '', false);

function equal(a: unknown, b: unknown, key: string, amount: boolean): boolean {
  if (a === b || (isMissing(a, key) && isMissing(b, key))) return true;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((x, i) => equal(x, b[i], '', false));
  if (!isObject(a) || !isObject(b)) return amount && isAmount(a) && isAmount(b) && sameQuantity(a, b);
  const amounts = amountsByResource.has(key);
  const same = (k: string) => equal(own(a, k), own(b, k), amounts ? '' : k, amounts || oneAmount.has(k));
  for (const k of Object.keys(a)) if (!same(k)) return false;
  for (const k of Object.keys(b)) if (!Object.hasOwn(a, k) && !same(k)) return false;
  return true;
}
const own = (from: Fields, key: string): unknown => (Object.hasOwn(from, key) ? from[key] : undefined);
