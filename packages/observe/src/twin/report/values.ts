import type { Json } from '@syncloop/core/trace';

/** Characters that two long values have in common before their difference, and that are kept. */
const CONTEXT = 40;

/** Returns two different values as JSON of at most this many characters; of long ones, the part where they differ. */
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
