import { type BreakpointSpec, describeBreakpoint, type Hit } from '@syncloop/core/debug/breakpoints';
import { isAvailable, runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useHere } from '../../run/here.js';
import { sentence } from '../../run/narration.js';
import { trace } from '../../run/trace-store.js';
import { Icon } from '../../ui/icons.js';
import { Rows } from '../../ui/rows.js';
import { seconds } from '../../units/text.js';
import { type SearchResult, useBreakpoints } from './breakpoints-store.js';

/** Shows the lines of logpoints, or the place where a breakpoint was met. */
export function Output() {
  const found = useBreakpoints((s) => s.found);
  return found ? <Hits found={found} /> : <Written />;
}

/** Goes in time to a record if the session can, else only selects it. */
const goTo = (seq: number) =>
  isAvailable('inspector.goTo')
    ? runCommand('inspector.goTo', seq)
    : runCommand('view.select', { kind: 'record', seq });

function Hits({ found }: { readonly found: SearchResult }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const here = useHere((s) => s.seq);
  const { spec, hits, more } = found;
  const what = describeBreakpoint(spec, lang === 'en' ? 'en' : 'zh');
  return (
    <section
      className="sl-breakpoints-output u-column u-min-width-0 u-min-height-0"
      aria-label={what}
      data-testid="found"
    >
      <header className="sl-group sl-breakpoints-head u-wrap u-flex-none u-pad-4 u-height-36">
        <p className="u-grow u-min-width-0 u-break">
          <strong>{t(more ? 'breakpoints.foundMore' : 'breakpoints.found', { n: hits.length })}</strong>{' '}
          <span className="sl-small">{what}</span>
        </p>
        <button
          type="button"
          className="sl-button sl-quiet sl-icon-button sl-push"
          aria-label={t('breakpoints.foundClose')}
          onClick={() => useBreakpoints.setState({ found: null })}
        >
          <Icon name="close" />
        </button>
      </header>
      {hits.length === 0 ? (
        <p className="sl-empty">{t('breakpoints.foundNone')}</p>
      ) : (
        <div className="sl-breakpoints-rows u-grow u-min-height-0">
          <Rows
            items={hits}
            keyOf={(hit) => `${hit.seq} ${hit.uid} ${hit.text ?? ''}`}
            height={24}
            label={what}
            row={(hit) => {
              const { record } = hit;
              const text =
                hit.text ?? (record ? sentence(record, lang).text : t('breakpoints.notHeld', { seq: hit.seq }));
              return <HitRow hit={hit} here={here === hit.seq} time={record?.time} text={text} />;
            }}
          />
        </div>
      )}
    </section>
  );
}

function HitRow(props: {
  readonly hit: Hit;
  readonly here: boolean;
  readonly time: number | undefined;
  readonly text: string;
}) {
  const t = useT();
  const { hit, here, time, text } = props;
  return (
    <button
      type="button"
      className="sl-record u-line u-width-full u-height-full u-hidden-overflow u-bare u-pointer u-text-left"
      aria-current={here || undefined}
      title={t('inspector.goToRecord', { seq: hit.seq })}
      onClick={() => goTo(hit.seq)}
    >
      <span className="sl-record-seq u-flex-none u-fs-1 u-text-right u-faint">{hit.seq}</span>
      <span className="sl-record-time u-flex-none u-fs-1 u-text-right u-time">
        {time === undefined ? '' : seconds(time)}
      </span>
      <span className="sl-record-text u-ellipsis">{text}</span>
    </button>
  );
}

const nameOf = (specs: readonly BreakpointSpec[], id: string, lang: 'en' | 'zh'): string => {
  const spec = specs.find((s) => s.id === id);
  return spec ? describeBreakpoint(spec, lang) : id;
};

function Written() {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const written = useBreakpoints((s) => s.written);
  const specs = useBreakpoints((s) => s.specs);
  return (
    <section
      className="sl-breakpoints-output u-column u-min-width-0 u-min-height-0"
      aria-label={t('breakpoints.output')}
      data-testid="written"
    >
      {written.length === 0 ? (
        <p className="sl-empty">{t('breakpoints.outputNone')}</p>
      ) : (
        <>
          <p className="sl-small sl-breakpoints-head u-wrap u-flex-none u-pad-4 u-height-36">
            {t('breakpoints.output')}
          </p>
          <div className="sl-breakpoints-rows u-grow u-min-height-0">
            <Rows
              items={written}
              keyOf={(hit) => `${hit.seq} ${hit.id}`}
              height={24}
              label={t('breakpoints.output')}
              row={(hit) => (
                <button
                  type="button"
                  className="sl-record u-line u-width-full u-height-full u-hidden-overflow u-bare u-pointer u-text-left"
                  title={`${nameOf(specs, hit.id, lang === 'en' ? 'en' : 'zh')}\n${t('inspector.goToRecord', { seq: hit.seq })}`}
                  onClick={() => goTo(hit.seq)}
                >
                  <span className="sl-record-seq u-flex-none u-fs-1 u-text-right u-faint">{hit.seq}</span>
                  <span className="sl-record-time u-flex-none u-fs-1 u-text-right u-time">{timeOf(hit.seq)}</span>
                  <span className="sl-record-text sl-code u-ellipsis">{hit.text ?? ''}</span>
                </button>
              )}
            />
          </div>
        </>
      )}
    </section>
  );
}
const timeOf = (seq: number): string => {
  const record = trace.records.get(seq);
  return record ? seconds(record.time) : '';
};
