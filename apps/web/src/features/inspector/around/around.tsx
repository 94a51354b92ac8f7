import { useT } from '../../../i18n/index.js';
import { type Part, useUI } from '../../../page/ui-store.js';
import { ABOUT, notesOf } from './notes.js';
import './around.css';

/** What a part is for; above its values. */
export function AboutPart({ part }: { readonly part: Part }) {
  const lang = useUI((s) => s.lang);
  const about = ABOUT[part];
  if (!about) return null;
  return <p className="sl-around-about">{about[lang]}</p>;
}

/** What else is good to know about it; below its values. */
export function GoodToKnow({ part }: { readonly part: Part }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const notes = notesOf(part);
  if (notes.length === 0) return null;
  return (
    <section className="sl-around" data-testid="around-notes">
      <h3>{t('around.title')}</h3>
      <ul>
        {notes.map(({ row, text }) => (
          <li key={row}>
            {text[lang]}{' '}
            <span className="sl-small sl-code" title={t('around.row', { row })}>
              {row}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
