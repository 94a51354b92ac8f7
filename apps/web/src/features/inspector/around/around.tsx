import { useT } from '../../../i18n/index.js';
import { type Part, type Selection, useUI } from '../../../page/ui-store.js';
import { useSession } from '../../../run/session-store.js';
import { sourceNames } from '../../../run/source-names.js';
import { trace } from '../../../run/trace-store.js';
import { useTrace } from '../../../run/use-trace.js';
import { ABOUT, notesFor } from './notes.js';
import './around.css';

/** Explains the purpose of a part, above its values. */
export function AboutPart({ part }: { readonly part: Part }) {
  const lang = useUI((s) => s.lang);
  const about = ABOUT[part];
  if (!about) return null;
  return <p className="sl-around-about u-pad-8 u-fs-2">{about[lang]}</p>;
}

/** Says what the version's source calls the selection, if the page has another name for it. */
export function InTheSource({ selection }: { readonly selection: Selection }) {
  const t = useT();
  const era = useSession((s) => s.info?.era);
  const names = useTrace((s) =>
    sourceNames(
      selection,
      selection.kind === 'record' ? trace.records.get(selection.seq) : undefined,
      selection.kind === 'goroutine' ? (s.goroutines[selection.id]?.name ?? '') : '',
      era,
    ),
  );
  if (names.length === 0) return null;
  return (
    <p className="sl-small" data-testid="source-names">
      {era === undefined ? t('around.source') : t('around.sourceOf', { version: era })}{' '}
      {names.map((name, i) => (
        <span key={name}>
          {i > 0 && ' · '}
          <code>{name}</code>
        </span>
      ))}
    </p>
  );
}

/** Shows notes about the selection; nothing if there are none. */
export function GoodToKnow({ selection }: { readonly selection: Selection }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const notes = notesFor(selection, selection.kind === 'record' ? trace.records.get(selection.seq) : undefined);
  if (notes.length === 0) return null;
  return (
    <section className="sl-around u-pad-8 u-fs-2" data-testid="around-notes">
      <h3>{t('around.title')}</h3>
      <ul className="u-column u-gap-10">
        {notes.map(({ row, text }) => (
          <li className="u-dim" key={row}>
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
