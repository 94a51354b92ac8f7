import { importanceOf } from '@syncloop/core/trace';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { type Selection, useUI } from '../../page/ui-store.js';
import { newest } from '../../run/queries.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { useThrottled } from '../../run/use-throttled.js';
import { about } from '../../selection/selection.js';
import { answerTo } from './answers.js';
import { Chain, Findings } from './chain.js';
import { setDetail, useInspector } from './inspector-store.js';
import { type Ask, type AskContext, asksOf, containerIn } from './logic/asks.js';
import { Looking } from './looking.js';
import { useLater } from './use-later.js';

/** The records that the questions about a selection start from. */
function known(selection: Selection): AskContext {
  const { state, records } = trace;
  if (selection.kind === 'record') return { newest: 0, record: records.get(selection.seq) };
  const test = about(state, selection);
  const telling = (least: number) => newest(records, 1, (r) => importanceOf(r) >= least && test(r))[0];
  const last = (telling(3) ?? telling(2) ?? telling(0))?.seq ?? 0;
  const id = selection.kind === 'container' ? containerIn(state, selection.id)?.id : undefined;
  if (id === undefined) return { newest: last };
  const call = (method: string) =>
    newest(records, 1, (r) => r.kind === 'cri-call' && r.method === method && r.container === id)[0]?.seq ?? 0;
  const ended = newest(records, 1, (r) => r.kind === 'actual-container' && r.id === id && r.state === 'exited')[0]?.seq;
  return { newest: last, started: call('StartContainer'), stopped: call('StopContainer') || (ended ?? 0) };
}

/** Shows the chain of causes behind the selection, or the reasons why something has not happened. */
export function Why({ selection }: { readonly selection: Selection }) {
  const asked = useInspector((s) => s.asked);
  const key = JSON.stringify(selection);
  const asks = useThrottled(() => asksOf(trace.state, selection, known(selection)), key, 500);
  const t = useT();
  const ask = (asked && (asks.find((a) => a.id === asked.id) ?? asked)) ?? asks[0];
  if (!ask) return <p className="sl-empty">{t('why.nothing')}</p>;
  const all = asks.some((a) => a.id === ask.id) ? asks : [ask, ...asks];
  return (
    <>
      <Questions asks={all} ask={ask} />
      <AnswerView key={`${key} ${ask.id}`} ask={ask} />
    </>
  );
}

function Questions({ asks, ask }: { readonly asks: readonly Ask[]; readonly ask: Ask }) {
  const t = useT();
  const group = (not: boolean) => {
    const list = asks.filter((a) => a.not === not);
    if (list.length === 0) return null;
    const label = t(not ? 'why.askNot' : 'why.ask');
    return (
      // biome-ignore lint/a11y/useSemanticElements: buttons under a name, not fields of a form
      <div className="u-line u-wrap u-gap-4" role="group" aria-label={label}>
        <span className="sl-asks-label u-fs-1 u-faint">{label}</span>
        {list.map((a) => (
          <button
            key={a.id}
            type="button"
            className="sl-ask u-pad-chip u-border u-pointer u-fs-1 u-text-left u-dim"
            aria-pressed={a.id === ask.id}
            onClick={() => runCommand('inspector.ask', a)}
          >
            {t(a.key, a.params)}
          </button>
        ))}
      </div>
    );
  };
  if (asks.length === 1 && ask.question.about === 'record') return null;
  return (
    <div className="u-column u-gap-6 u-pad-8 u-border-bottom" data-testid="why-asks">
      {group(false)}
      {group(true)}
    </div>
  );
}

function AnswerView({ ask }: { readonly ask: Ask }) {
  const t = useT();
  const zh = useUI((s) => s.lang === 'zh-CN');
  const detail = useInspector((s) => s.detail);
  const running = useSession((s) => s.run.running);
  const { value, error } = useLater(
    () => answerTo(ask, detail),
    `${JSON.stringify(ask.question)} ${detail}`,
    // With many records each look takes a moment: a user who steps fast waits until the end of the steps.
    running ? 1000 : trace.records.size > 50_000 ? 400 : 120,
  );
  if (value === undefined) return <Looking error={error} />;
  if (value === null) return <p className="sl-empty">{t('why.nothing')}</p>;
  const { answer, from } = value;
  const { findings, hidden, links, summary } = answer;
  return (
    <div data-testid="why-answer">
      {findings.length > 0 && <Findings findings={findings} />}
      {links.length === 0 ? (
        findings.length === 0 && <p className="sl-pad">{zh ? summary.zh : summary.en}</p>
      ) : (
        <>
          <div className="sl-chain-head u-row u-between u-wrap">
            <p className="sl-small">{t(findings.length > 0 ? 'why.chainOfFirst' : 'why.chain')}</p>
            <DetailSwitch />
          </div>
          <Chain answer={answer} />
        </>
      )}
      {hidden > 0 && (
        <div className="sl-pad">
          <button type="button" className="sl-button sl-quiet" onClick={() => setDetail('full')}>
            {hidden === 1 ? t('why.hidden1') : t('why.hidden', { n: hidden })}
          </button>
        </div>
      )}
      {from === 'session' && <p className="sl-small sl-pad">{t('why.fromSession')}</p>}
    </div>
  );
}

function DetailSwitch() {
  const t = useT();
  const detail = useInspector((s) => s.detail);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a switch of two buttons, not fields of a form
    <div className="sl-switch u-inline-flex u-border u-round" role="group" aria-label={t('why.detail')}>
      {(['brief', 'full'] as const).map((d) => (
        <button
          className="u-bare u-pointer u-fs-1 u-dim"
          key={d}
          type="button"
          aria-pressed={detail === d}
          onClick={() => setDetail(d)}
        >
          {t(`why.${d}`)}
        </button>
      ))}
    </div>
  );
}
