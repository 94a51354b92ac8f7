import type { Json } from '@syncloop/core/trace';

/** Common characters of two long values that are kept before the place where they differ. */
const CONTEXT = 40;

/** Two values that differ, as JSON of at most so many characters; of long ones, the part where they differ. */
export function differingValues(
  { seen, twin }: { readonly seen: Json; readonly twin: Json },
  most: number,
): readonly [seen: string, twin: string] {
  // A value may be absent.
  const [a, b] = [JSON.stringify(seen) ?? '', JSON.stringify(twin) ?? ''];
  let from = 0;
  if (Math.max(a.length, b.length) > most) {
    while (from < a.length && a[from] === b[from]) from++;
    from = Math.max(0, from - CONTEXT);
  }
  const cut = (text: string) =>
    `${from > 0 ? '…' : ''}${text.slice(from, from + most)}${text.length > from + most ? '…' : ''}`;
  return [cut(a), cut(b)];
}
