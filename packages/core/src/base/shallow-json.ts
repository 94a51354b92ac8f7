/**
 * The deepest nesting that a stranger's JSON may have. Kubernetes' own stays below 30; whatever looks at a value calls
 * itself for each level, and a stack has room for some thousands.
 */
export const deepestJson = 100;
/** Stands in place of what is nested deeper. */
export const cutMark = '(nested too deep: left out)';

/**
 * A stranger's JSON text as a value that nests {@link deepestJson} levels at most; deeper parts are {@link cutMark}.
 * Throws a SyntaxError as JSON.parse does.
 */
export function parseShallowJson(text: string): unknown {
  return parseCutJson(text).value;
}

/** The same, and whether anything was cut. */
export function parseCutJson(text: string): { readonly value: unknown; readonly cut: boolean } {
  const value: unknown = JSON.parse(text);
  // Each level takes two characters at least.
  return { value, cut: text.length > 2 * deepestJson && cutBelow(value, deepestJson - 1) };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Cuts what is nested more than `levels` below `value`, in place. Returns true if there was anything. */
function cutBelow(value: unknown, levels: number): boolean {
  if (!isObject(value)) return false;
  let any = false;
  for (const [name, part] of Object.entries(value)) {
    if (!isObject(part)) continue;
    if (levels > 0) any = cutBelow(part, levels - 1) || any;
    else {
      any = true;
      // A key may be `__proto__`, which JSON.parse defines and an assignment would not.
      Object.defineProperty(value, name, { value: cutMark, enumerable: true, configurable: true, writable: true });
    }
  }
  return any;
}
