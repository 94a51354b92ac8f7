import { runCommand } from '../../app-logic/commands/index.js';
import { useT } from '../../i18n/index.js';
import { type Selection, useUI } from '../../store/ui-store.js';
import { causes, newest } from '../../trace/queries.js';
import { trace } from '../../trace/trace-store.js';
import { useThrottled } from '../../trace/use-throttled.js';
import { importance } from '../../view-logic/importance.js';
import { about, whyFrom } from '../../view-logic/selection.js';
import { seconds } from '../../view-logic/text.js';
import { sentence } from '../narrator/narration.js';
import { Sentence } from '../narrator/sentence.js';

/** The chain of causes behind the selected record, or behind the newest telling one about what is selected. */
export function Why({ selection }: { readonly selection: Selection }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const { chain, cut } = useThrottled(
    () => {
      const test = about(trace.state, selection);
      const telling = (least: number) => newest(trace.records, 1, (r) => importance(r) >= least && test(r))[0];
      const from = selection.kind === 'record' ? undefined : (telling(3) ?? telling(2) ?? telling(0));
      return causes(trace.records, whyFrom(selection, from));
    },
    JSON.stringify(selection),
    250,
  );
  if (chain.length === 0) return <p className="sl-empty">{t('inspector.noHistory')}</p>;
  return (
    <>
      <p className="sl-small sl-pad">{t('inspector.cause')}</p>
      <ol className="sl-why">
        {chain.map((r) => {
          const said = sentence(r, lang);
          return (
            <li key={r.seq}>
              <button
                type="button"
                className="sl-link sl-why-seq"
                onClick={() => runCommand('view.select', { kind: 'record', seq: r.seq })}
              >
                #{r.seq} · {seconds(r.time)} s
              </button>
              <p>
                <Sentence parts={said.parts} />
              </p>
              {said.why && <p className="sl-small">{said.why}</p>}
            </li>
          );
        })}
      </ol>
      <p className="sl-small sl-pad">{t(cut ? 'inspector.cut' : 'inspector.root')}</p>
    </>
  );
}
