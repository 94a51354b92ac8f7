import { Fragment } from 'react';

/** A text in which what is in [brackets] is a key. */
export function Keys({ text }: { readonly text: string }) {
  return text.split(/(\[[^\]]+\])/).map((part, i) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity
    part.startsWith('[') ? <kbd key={i}>{part.slice(1, -1)}</kbd> : <Fragment key={i}>{part}</Fragment>,
  );
}
