import type { Json } from '@syncloop/core/trace';

/** A place at which two values are not the same. */
export interface ValueDifference {
  /** Such as `[0].type`; '' for the values as a whole. */
  readonly path: string;
  /** Undefined: there should be nothing. */
  readonly expected: Json | undefined;
  readonly got: Json | undefined;
}

const isObject = (v: Json | undefined): v is { readonly [key: string]: Json } =>
  typeof v === 'object' && v !== null && !Array.isArray(v);

/** Finds the first place at which two values differ; null if they are the same. Absent fields are as undefined. */
export function firstDifference(expected: Json | undefined, got: Json | undefined, path = ''): ValueDifference | null {
  if (Array.isArray(expected) && Array.isArray(got)) {
    for (let i = 0; i < Math.max(expected.length, got.length); i++) {
      const found = firstDifference(expected[i], got[i], `${path}[${i}]`);
      if (found) return found;
    }
    return null;
  }
  if (isObject(expected) && isObject(got)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(got)])) {
      const found = firstDifference(expected[key], got[key], path === '' ? key : `${path}.${key}`);
      if (found) return found;
    }
    return null;
  }
  return JSON.stringify(expected) === JSON.stringify(got) ? null : { path, expected, got };
}

/** A value as a sentence shows it, shortened. */
export function valueText(value: Json | undefined): string {
  const text = value === undefined ? '' : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
