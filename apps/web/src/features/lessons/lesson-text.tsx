import { type Piece, pieces, plainText, type Values } from '@syncloop/core/lessons';
import { Fragment } from 'react';
import { TermMark } from '../../glossary/term-mark.js';
import { termNamed } from '../../glossary/terms.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';

/** A text in the languages of lessons. */
export interface LocalText {
  readonly en: string;
  readonly zh: string;
}

const langOf = (lang: string): keyof LocalText => (lang === 'en' ? 'en' : 'zh');

/** Picks the page's language. */
export function useLocal(): (text: LocalText) => string {
  const lang = useUI((s) => langOf(s.lang));
  return (text) => text[lang];
}

/** A text without its marks, with its values: for names and for reading out. */
export function usePlain(): (text: LocalText | undefined, values?: Values) => string {
  const local = useLocal();
  return (text, values = {}) => (text ? plainText(local(text), values) : '');
}

interface Props {
  readonly text: LocalText;
  readonly values: Values | undefined;
}

/** A lesson's text as paragraphs. `explained`: the first mention of each term of the glossary shows its sentence. */
export function Paragraphs({ text, values, explained = false }: Props & { readonly explained?: boolean }) {
  const local = useLocal();
  const all: Piece[][] = [[]];
  for (const piece of pieces(local(text), values ?? {}))
    if (piece.kind === 'break') all.push([]);
    else all.at(-1)?.push(piece);
  const marked = explained ? firstMentions(all.flat()) : undefined;
  return (
    <div className="sl-lesson-text">
      {all.map((paragraph, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the paragraphs of a text have no other identity
        <p key={i}>
          <Pieces all={paragraph} marked={marked} />
        </p>
      ))}
    </div>
  );
}

/** The same within a line. */
export function Inline({ text, values }: Props) {
  const local = useLocal();
  return <Pieces all={pieces(local(text), values ?? {})} />;
}

function firstMentions(all: readonly Piece[]): ReadonlySet<Piece> {
  const first = new Map<string, Piece>();
  for (const piece of all) {
    const term = piece.kind === 'code' ? termNamed(piece.text) : undefined;
    if (term && !first.has(term.name)) first.set(term.name, piece);
  }
  return new Set(first.values());
}

/** `marked`: the pieces that are shown as terms. */
function Pieces({ all, marked }: { readonly all: readonly Piece[]; readonly marked?: ReadonlySet<Piece> | undefined }) {
  const t = useT();
  return all.map((piece, i) => {
    const key = i;
    if (marked?.has(piece)) return <TermMark key={key} name={piece.kind === 'code' ? piece.text : ''} />;
    if (piece.kind === 'code') return <code key={key}>{piece.text}</code>;
    if (piece.kind === 'strong') return <strong key={key}>{piece.text}</strong>;
    if (piece.kind === 'link')
      return (
        <a key={key} href={piece.href} target="_blank" rel="noopener noreferrer">
          {piece.text}
          <span aria-hidden="true"> ↗</span>
          <span className="sl-visually-hidden">{t('lessons.newTab')}</span>
        </a>
      );
    if (piece.value)
      return (
        <span key={key} className="sl-lesson-value u-tabular">
          {piece.text}
        </span>
      );
    return <Fragment key={key}>{piece.kind === 'break' ? ' ' : piece.text}</Fragment>;
  });
}
