import { importanceOf, type TraceRecord } from '@syncloop/core/trace';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { sentence } from '../../run/narration.js';
import { newest } from '../../run/queries.js';
import { trace } from '../../run/trace-store.js';
import { useThrottled } from '../../run/use-throttled.js';
import { useTrace } from '../../run/use-trace.js';
import { GoThere, InTheOther } from '../../selection/record-link.js';
import { Rows } from '../../ui/rows.js';
import { seconds } from '../../units/text.js';

const MOST = 2_000;

/**
 * Records as sentences. Without a filter the plumbing (waits, starts, returns) is left out, and so are pieces of
 * evidence that other records rest on, which have lists of their own; a filter searches everything.
 */
export function RecordsList({ filter }: { readonly filter: string }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const selected = useUI((s) => (s.selection?.kind === 'record' ? s.selection.seq : 0));
  const wanted = filter.trim().toLowerCase();
  const records = useThrottled(() => {
    const test =
      wanted === ''
        ? (r: TraceRecord) => importanceOf(r) > (r.evidence ? 1 : 0)
        : (r: TraceRecord) => r.kind.includes(wanted) || sentence(r, lang).text.toLowerCase().includes(wanted);
    return newest(trace.records, MOST, test, wanted === '' ? 20_000 : 4_000).reverse();
  }, `${wanted}|${lang}`);
  const first = useTrace(() => trace.records.first);
  const held = wanted !== '' && first > 1 && (
    <p className="sl-small sl-pad" data-testid="records-held">
      {t('records.held', { first })}
    </p>
  );
  if (records.length === 0)
    return (
      <>
        {held}
        <p className="sl-empty">{t('records.none')}</p>
      </>
    );
  const list = (
    <Rows
      items={records}
      keyOf={(r) => r.seq}
      height={24}
      label={t('panel.records')}
      testId="records"
      row={(r) => (
        <div className="sl-record-row u-row u-height-full">
          <button
            type="button"
            className="sl-record u-line u-width-full u-height-full u-hidden-overflow u-bare u-pointer u-text-left"
            aria-pressed={r.seq === selected}
            data-importance={Math.min(3, importanceOf(r))}
            onClick={() => runCommand('view.select', { kind: 'record', seq: r.seq })}
          >
            <span className="sl-record-seq u-flex-none u-fs-1 u-text-right u-faint">{r.seq}</span>
            <span className="sl-record-time u-flex-none u-fs-1 u-text-right u-time">{seconds(r.time)}</span>
            <span
              className="sl-record-kind u-flex-none u-fs-1 u-mono u-faint"
              data-known={r.concluded ? 'concluded' : undefined}
            >
              {r.kind}
            </span>
            <span className="sl-record-text u-ellipsis">{sentence(r, lang).text}</span>
          </button>
          <GoThere seq={r.seq} />
          <InTheOther seq={r.seq} />
        </div>
      )}
    />
  );
  return (
    <>
      {held}
      {list}
    </>
  );
}
