import { formatKlogBody, placeOf, type Seq, type TraceRecord } from '@syncloop/core/trace';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { type Selection, useUI } from '../../page/ui-store.js';
import { sentence } from '../../run/narration.js';
import { newest } from '../../run/queries.js';
import { trace } from '../../run/trace-store.js';
import { useThrottled } from '../../run/use-throttled.js';
import { RecordLink } from '../../selection/record-link.js';
import { visible } from '../../units/text.js';
import { aboutSelection } from './logic/about-selection.js';
import { useObserved } from './observed-store.js';
import './observed.css';

/** Most pieces of evidence that are shown for one record. */
const MOST = 12;

/**
 * Shows the basis of a record, or of the newest one about the selection: lines, calls, spans as they are in their
 * sources.
 */
export function Evidence({ selection }: { readonly selection: Selection }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const view = useThrottled(
    () => {
      const record =
        selection.kind === 'record'
          ? trace.records.get(selection.seq)
          : newest(
              trace.records,
              1,
              (r) => r.basis !== undefined && aboutSelection(r, selection, trace.state, placeOf),
            )[0];
      if (!record || (!record.evidence && !record.basis)) return null;
      const basis = record.basis ?? [record.seq];
      return {
        seq: record.seq,
        time: record.time,
        itself: record.evidence !== undefined,
        concluded: record.concluded === true,
        pieces: basis.slice(0, MOST).map((at) => piece(at, lang)),
        more: Math.max(0, basis.length - MOST),
      };
    },
    `${JSON.stringify(selection)} ${lang}`,
    200,
  );
  if (!view) return null;
  const known = view.concluded ? 'concluded' : 'seen';
  return (
    <section className="sl-evidence" aria-label={t('evidence.title')} data-testid="evidence">
      <h3 className="u-line u-gap-8">
        {t('evidence.title')}{' '}
        <span className="sl-basis" data-known={known} title={t(`evidence.${known}How`)}>
          {t(`evidence.${known}`)}
        </span>
      </h3>
      {view.itself && <p className="sl-small">{t('evidence.itself')}</p>}
      {selection.kind !== 'record' && (
        <p className="sl-small">
          {t('evidence.newest')} <RecordLink seq={view.seq} time={view.time} />
        </p>
      )}
      <ul className="u-pad-0">
        {view.pieces.map((p) => (
          <Piece key={p.seq} piece={p} />
        ))}
      </ul>
      {view.more > 0 && <p className="sl-small">{t('evidence.more', { n: view.more })}</p>}
    </section>
  );
}

interface EvidencePiece {
  readonly seq: Seq;
  /** Null: it is no longer in memory. */
  readonly text: string | null;
  readonly source: string;
  readonly line: number | null;
  readonly offset: number;
}

function piece(seq: Seq, lang: 'en' | 'zh-CN'): EvidencePiece {
  const record = trace.records.get(seq);
  const { source = '', line = null, offset = 0 } = record?.evidence ?? {};
  return { seq, text: record ? textOf(record, lang) : null, source, line, offset };
}

function Piece({ piece: { seq, text, source, line, offset } }: { readonly piece: EvidencePiece }) {
  const t = useT();
  const name = useObserved((s) => s.overview?.sources.find(({ id }) => id === source)?.name ?? source);
  if (text === null) return <li className="sl-small">{t('evidence.gone', { seq })}</li>;
  return (
    <li>
      {source !== '' && (
        <button
          type="button"
          className="sl-link sl-small"
          title={t('evidence.show')}
          data-testid="evidence-place"
          onClick={() => runCommand('observed.show', seq)}
        >
          {line === null ? t('evidence.byte', { source: name, offset }) : t('evidence.place', { source: name, line })}
        </button>
      )}
      <code className="sl-evidence-text u-block u-break u-sunken">{text}</code>
    </li>
  );
}

const textOf = (record: TraceRecord, lang: 'en' | 'zh-CN'): string =>
  visible(
    record.kind === 'log'
      ? `${record.severity} ${record.file ? `${record.file}] ` : ''}${formatKlogBody(record)}`
      : sentence(record, lang).text,
  );
