import { formatKlogBody, type Seq, type TraceRecord } from '@syncloop/core/trace';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { sentence } from '../../run/narration.js';
import { trace } from '../../run/trace-store.js';
import { useTrace } from '../../run/use-trace.js';
import { visible } from '../../units/text.js';
import { useObserved } from './observed-store.js';
import './observed.css';

/** What a record rests on: the lines, calls and spans, as they stand in their sources. */
export function Evidence({ seq }: { readonly seq: Seq }) {
  const t = useT();
  const view = useTrace(() => {
    const record = trace.records.get(seq);
    if (!record || (!record.evidence && !record.basis)) return null;
    return {
      itself: record.evidence !== undefined,
      concluded: record.concluded === true,
      basis: record.basis ?? [seq],
    };
  });
  if (!view) return null;
  const known = view.concluded ? 'concluded' : 'seen';
  return (
    <section className="sl-evidence" aria-label={t('evidence.title')} data-testid="evidence">
      <h3>
        {t('evidence.title')}{' '}
        <span className="sl-basis" data-known={known} title={t(`evidence.${known}How`)}>
          {t(`evidence.${known}`)}
        </span>
      </h3>
      {view.itself && <p className="sl-small">{t('evidence.itself')}</p>}
      <ul>
        {view.basis.map((at) => (
          <Piece key={at} seq={at} />
        ))}
      </ul>
    </section>
  );
}

function Piece({ seq }: { readonly seq: Seq }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const sources = useObserved((s) => s.overview?.sources);
  const piece = useTrace(() => {
    const record = trace.records.get(seq);
    return record ? { text: textOf(record, lang), evidence: record.evidence ?? null } : null;
  });
  if (!piece) return <li className="sl-small">{t('evidence.gone', { seq })}</li>;
  const { evidence } = piece;
  const source = sources?.find((s) => s.id === evidence?.source)?.name ?? evidence?.source ?? '';
  return (
    <li>
      {evidence && (
        <button
          type="button"
          className="sl-link sl-small"
          title={t('evidence.show')}
          data-testid="evidence-place"
          onClick={() => runCommand('observed.show', seq)}
        >
          {evidence.line !== undefined
            ? t('evidence.place', { source, line: evidence.line })
            : t('evidence.byte', { source, offset: evidence.offset ?? 0 })}
        </button>
      )}
      <code className="sl-evidence-text">{piece.text}</code>
    </li>
  );
}

const textOf = (record: TraceRecord, lang: 'en' | 'zh-CN'): string =>
  visible(
    record.kind === 'log'
      ? `${record.severity} ${record.file ? `${record.file}] ` : ''}${formatKlogBody(record)}`
      : sentence(record, lang).text,
  );
