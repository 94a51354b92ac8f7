import { isObject } from '@syncloop/core/base';

/**
 * Returns the newest items, at most `most`, of a list that the browser keeps as `{version, [field]: [...]}`; none if
 * it is not ours, or of another version.
 */
export function keptList(stored: string | null, version: number, field: string, most: number): readonly unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(stored ?? 'null');
  } catch {
    return [];
  }
  if (!isObject(value) || value.version !== version) return [];
  const list = value[field];
  return Array.isArray(list) ? list.slice(-most) : [];
}
