import type { Json } from '../../trace/index.js';
import { WhyError } from './types.js';

/**
 * Reads a path such as `containerStatuses[0].state.waiting`, `containerStatuses[name=app].ready`,
 * `conditions.Ready.status`: fields, places in lists, and entries of lists by name or type. A leading `status.` may
 * stay.
 */
export function parsePath(text: string): string[] {
  const out: string[] = [];
  const piece = /\.?([^.[\]=]+)|\[([^\]=]*=)?([^\]]+)\]/gy;
  let at = 0;
  while (at < text.length) {
    piece.lastIndex = at;
    const found = piece.exec(text);
    if (!found || (at === 0 && text.startsWith('.')))
      throw new WhyError(
        `path "${text}", position ${at + 1}: expected a field such as phase, conditions.Ready or containerStatuses[0].state`,
      );
    out.push((found[1] ?? found[3] ?? '').replace(/^["']|["']$/g, ''));
    at = piece.lastIndex;
  }
  if (out[0] === 'status') out.shift();
  if (out.length === 0) throw new WhyError('path: expected a field of the status, such as phase');
  return out;
}

/** The value at a path, undefined if there is none. */
export function valueAt(status: Json | undefined, path: readonly string[]): Json | undefined {
  let value: Json | undefined = status;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value)) {
      const list: readonly Json[] = value;
      value = /^\d+$/.test(key)
        ? list[Number(key)]
        : list.find((x) => entry(x, 'name') === key || entry(x, 'type') === key);
    } else value = entry(value, key);
  }
  return value;
}

function entry(value: Json | undefined, key: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
    return undefined;
  return (value as { readonly [key: string]: Json | undefined })[key];
}
