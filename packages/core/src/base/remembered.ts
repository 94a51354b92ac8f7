import { oldestKey } from './oldest.js';

/**
 * Returns a pure function of a text that keeps its newest results, for texts that come again and again, such as errors
 * of a log. At most `most` results are kept.
 */
export function remembered<T>(of: (text: string) => T, most = 500): (text: string) => T {
  const results = new Map<string, T>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined || results.has(text)) return known as T;
    const result = of(text);
    if (results.size >= most) results.delete(oldestKey(results) as string);
    results.set(text, result);
    return result;
  };
}
