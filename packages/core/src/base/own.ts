/** An own field of an object or list; undefined if there is none. A prototype's fields are never returned. */
export function own<T>(from: { readonly [key: string]: T }, key: string | number): T | undefined;
export function own(from: object, key: string | number): unknown;
export function own(from: object, key: string | number): unknown {
  return Object.hasOwn(from, key) ? (from as { readonly [key: string | number]: unknown })[key] : undefined;
}
