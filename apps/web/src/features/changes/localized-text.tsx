import { inLang } from '../../i18n/in-lang.js';
import { useUI } from '../../page/ui-store.js';

/** A text of the changes in the page's language, with backquoted parts as code. */
export function LocalizedText({ text }: { readonly text: { readonly en: string; readonly zh: string } }) {
  const lang = useUI((s) => s.lang);
  const pieces = inLang({ ...text }, lang).split('`');
  return (
    <>
      {pieces.map((piece, i) =>
        // Every other piece stands between backquotes.
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no other name
        i % 2 === 1 ? <code key={i}>{piece}</code> : <span key={i}>{piece}</span>,
      )}
    </>
  );
}
