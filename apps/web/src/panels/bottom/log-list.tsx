import type { RecordOf, TraceRecord } from '@syncloop/core/trace';
import { runCommand } from '../../app-logic/commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../store/ui-store.js';
import { newest } from '../../trace/queries.js';
import { trace } from '../../trace/trace-store.js';
import { useThrottled } from '../../trace/use-throttled.js';
import { klogLine } from '../../view-logic/klog.js';
import { Rows } from '../../widgets/rows.js';
import { GoThere } from '../inspector/record-link.js';

/** The kubelet's log, as klog prints it. */
export function LogList({ filter }: { readonly filter: string }) {
  const t = useT();
  const selected = useUI((s) => (s.selection?.kind === 'record' ? s.selection.seq : 0));
  const wanted = filter.trim().toLowerCase();
  const lines = useThrottled(() => {
    const text = (r: RecordOf<'log'>) => {
      const line = klogLine(r);
      return `${line.head} ${line.message} ${line.fields}`.toLowerCase();
    };
    const test = (r: TraceRecord) => r.kind === 'log' && (wanted === '' || text(r).includes(wanted));
    return newest(trace.records, 2_000, test, 50_000).reverse() as RecordOf<'log'>[];
  }, wanted);
  if (lines.length === 0) return <p className="sl-empty">{t('log.none')}</p>;
  return (
    <Rows
      items={lines}
      keyOf={(r) => r.seq}
      height={20}
      label={t('panel.log')}
      testId="log"
      row={(r) => {
        const line = klogLine(r);
        return (
          <div className="sl-record-row">
            <button
              type="button"
              className="sl-record sl-log"
              aria-pressed={r.seq === selected}
              data-severity={r.severity}
              onClick={() => runCommand('view.select', { kind: 'record', seq: r.seq })}
            >
              <span className="sl-log-head">{line.head}</span> <span className="sl-log-message">{line.message}</span>{' '}
              <span className="sl-log-fields">{line.fields}</span>
            </button>
            <GoThere seq={r.seq} />
          </div>
        );
      }}
    />
  );
}
