import { runCommand } from '../../app-logic/commands/index.js';
import { useT } from '../../i18n/index.js';
import { type Selection, useUI } from '../../store/ui-store.js';
import { newest } from '../../trace/queries.js';
import { trace } from '../../trace/trace-store.js';
import { useThrottled } from '../../trace/use-throttled.js';
import { about } from '../../view-logic/selection.js';
import { seconds } from '../../view-logic/text.js';
import { sentence } from '../narrator/narration.js';

/** The newest records about what is selected, newest first. */
export function History({ selection }: { readonly selection: Selection }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const records = useThrottled(
    () => newest(trace.records, 120, about(trace.state, selection)),
    JSON.stringify(selection),
    250,
  );
  if (records.length === 0) return <p className="sl-empty">{t('inspector.noHistory')}</p>;
  return (
    <ol className="sl-history">
      {records.map((r) => (
        <li key={r.seq}>
          <button
            type="button"
            className="sl-history-row"
            onClick={() => runCommand('view.select', { kind: 'record', seq: r.seq })}
          >
            <span className="sl-record-time">{seconds(r.time)}</span>
            <span>{sentence(r, lang).text}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}
