import { Fragment } from 'react';

/** Renders a text in which words in [brackets] are keys. */
export function Keys({ text }: { readonly text: string }) {
  return text.split(/(\[[^\]]+\])/).map((part, i) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity
    part.startsWith('[') ? <kbd key={i}>{part.slice(1, -1)}</kbd> : <Fragment key={i}>{part}</Fragment>,
  );
}
