import type { Incident } from '@syncloop/core/debug/incidents';
import type { TwinText } from '@syncloop/observe/twin';
import type { PreventAnswer, RemedyAnswer } from '@syncloop/observe/twin/session';
import { preventionText } from '@syncloop/observe/verdict';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { CopyButton } from '../../ui/copy-button.js';
import { Doing } from './twin-bar.js';
import { usePrevention, useTwin } from './twin-store.js';
import './twin.css';

const SIGNS = { prevents: '✓', lessens: '↓', later: '→', nothing: '=', worse: '✕' } as const;
const helps = ({ effect }: RemedyAnswer) => effect === 'prevents' || effect === 'lessens' || effect === 'later';

const useText = () => {
  const lang = useUI((s) => (s.lang === 'zh-CN' ? 'zh' : 'en'));
  return { lang, text: (text: TwinText) => text[lang] } as const;
};

/** On an incident: runs what would have prevented it, and ranks what was run. */
export function Prevention({ incident }: { readonly incident: Incident }) {
  const t = useT();
  const doing = useSession((s) => s.run.twin?.doing);
  const { of, answer } = usePrevention();
  const { id, kind, begin } = incident;
  const mine = of === id;
  return (
    <section className="sl-twin-prevention" data-testid="prevention">
      {mine && !answer && doing ? (
        <Doing doing={doing} />
      ) : (
        <div className="sl-group">
          <button
            type="button"
            className="sl-button u-target"
            disabled={doing !== undefined}
            data-testid="prevent"
            onClick={() => runCommand('twin.prevent', { id, kind, begin })}
          >
            {t('twin.prevent')}
          </button>
          {!(mine && answer) && <span className="sl-small u-dim">{t('twin.preventWhat')}</span>}
        </div>
      )}
      {mine && answer && <Ranking answer={answer} />}
    </section>
  );
}

/** In the panel of a twin: the same ranking, as long as one of the remedies is open. */
export function Remedies() {
  const t = useT();
  const answer = usePrevention((s) => s.answer);
  const open = useTwin((s) => s.answer?.remedy ?? null);
  if (!answer || open === null) return null;
  return (
    <section className="sl-twin-prevention" aria-label={t('twin.prevent')}>
      <h3 className="sl-small u-margin-0 u-weight-600">{t('twin.prevent')}</h3>
      <Ranking answer={answer} />
    </section>
  );
}

export function Ranking({ answer }: { readonly answer: PreventAnswer }) {
  const t = useT();
  const { lang } = useText();
  const { incident, tried, unknown, runs, ended } = answer;
  if (!incident)
    return (
      <>
        <p data-testid="prevention-none">{t(ended ? 'twin.preventNotShown' : 'twin.preventStopped', { n: runs })}</p>
        <Unknown list={unknown} />
      </>
    );
  const rows = tried.map((one, place) => ({ one, place }));
  const vain = rows.filter(({ one }) => !helps(one));
  return (
    <div data-testid="prevention-answer">
      {!ended && <p className="sl-small">{t('twin.preventStopped', { n: runs })}</p>}
      {rows.length === 0 && ended && <p>{t('twin.preventNoneFits')}</p>}
      {rows.length > 0 && rows.length === vain.length && <p>{t('twin.preventNothing', { n: rows.length })}</p>}
      <List rows={rows.filter(({ one }) => helps(one))} />
      {vain.length > 0 && (
        <details className="sl-twin-fold" open={vain.length === rows.length}>
          <summary className="u-target u-pointer">{t('twin.preventVain', { n: vain.length })}</summary>
          <List rows={vain} />
        </details>
      )}
      <Unknown list={unknown} />
      <CopyButton text={preventionText({ incident, tried, unknown }, lang).join('\n')} />
    </div>
  );
}

function Unknown({ list }: { readonly list: readonly TwinText[] }) {
  const t = useT();
  const { text } = useText();
  if (list.length === 0) return null;
  return (
    <>
      <p className="sl-small u-margin-0 u-weight-600">{t('twin.preventUnknown')}</p>
      <ul>
        {list.map((one) => (
          <li key={one.en}>{text(one)}</li>
        ))}
      </ul>
    </>
  );
}

type Rows = readonly { readonly one: RemedyAnswer; readonly place: number }[];
function List({ rows }: { readonly rows: Rows }) {
  const t = useT();
  const { text } = useText();
  const busy = useSession((s) => s.run.twin?.doing !== undefined);
  const open = useTwin((s) => s.answer?.remedy ?? null);
  if (rows.length === 0) return null;
  return (
    <ol className="sl-twin-remedies">
      {rows.map(({ one, place }) => (
        <li key={place} data-effect={one.effect} aria-current={open === place || undefined} data-testid="remedy">
          <span className="sl-twin-effect" aria-hidden="true">
            {SIGNS[one.effect]}
          </span>{' '}
          {text(one.text)}{' '}
          {open === place ? (
            <strong className="sl-small">{t('twin.remedyHere')}</strong>
          ) : (
            <button
              type="button"
              className="sl-link u-target"
              disabled={busy}
              aria-label={t('twin.remedyOpenOf', { text: text(one.text) })}
              data-testid="remedy-open"
              onClick={() => runCommand('twin.remedy', place)}
            >
              {t('twin.remedyOpen')}
            </button>
          )}
        </li>
      ))}
    </ol>
  );
}
