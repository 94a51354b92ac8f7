import type { IncidentsAnswer } from '@syncloop/core/debug';
import {
  type Incident,
  type IncidentClock,
  incidentSentence,
  nextCommands,
  verdictOf,
} from '@syncloop/core/debug/incidents';
import { useMemo } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { Slot } from '../../shell/slot.js';
import { CopyButton } from '../../ui/copy-button.js';
import { clockOf, parted, signOf } from './logic/incidents-view.js';
import { useObserved } from './observed-store.js';
import './observed.css';

const SIGNS = { bad: '✕', warn: '▲', note: '●' } as const;
/** Pods that are named below an incident. */
const MOST_PODS = 12;

const useLang = () => useUI((s) => (s.lang === 'zh-CN' ? 'zh' : 'en'));
function useClock(answer: IncidentsAnswer) {
  const info = useSession((s) => s.info);
  return useMemo(() => clockOf(info, answer), [info, answer]);
}

/** The verdict on the run in a sentence, and how much of it was read. */
export function VerdictLine({ answer }: { readonly answer: IncidentsAnswer }) {
  const t = useT();
  const lang = useLang();
  const clock = useClock(answer);
  const reading = useSession((s) => s.run.reading?.ended === false);
  const { level, text, read } = verdictOf(answer, clock);
  // While it is read, calm is only calm so far.
  const said = reading && level !== 'wrong' ? t('findings.noneYet') : text[lang];
  return (
    <div className="sl-verdict u-sunken" data-level={level} role="status" data-testid="verdict">
      <p className="u-margin-0 u-break u-weight-600">{said}</p>
      {read && <p className="sl-small u-margin-0 u-dim">{read[lang]}</p>}
    </div>
  );
}

/** Incidents, those that are wrong first; the ones that were expected, and errors of an unknown kind, are folded. */
export function IncidentsList({ answer }: { readonly answer: IncidentsAnswer }) {
  const t = useT();
  const lang = useLang();
  const clock = useClock(answer);
  const { wrong, expected } = parted(answer);
  const { unknown, more } = answer;
  return (
    <>
      {wrong.length > 0 && (
        <ol className="u-border-top" aria-label={t('incidents.title')} data-testid="incidents">
          {wrong.map((incident, i) => (
            <Item key={incident.id} incident={incident} clock={clock} open={i === 0} />
          ))}
        </ol>
      )}
      {more > 0 && <p className="sl-small sl-findings-head">{t('incidents.more', { n: more })}</p>}
      {expected.length > 0 && (
        <details className="sl-incidents-folded" data-testid="incidents-expected">
          <summary>{t('incidents.expected', { n: expected.length })}</summary>
          <ul>
            {expected.map((incident) => (
              <li key={incident.id}>
                <Go id={incident.id} seq={incident.begin.seq} text={incidentSentence(incident, clock)[lang]} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {unknown.count > 0 && (
        <details className="sl-incidents-folded" open={wrong.length === 0} data-testid="incidents-unknown">
          <summary>{t('incidents.unknown', { n: unknown.count })}</summary>
          <ul>
            {unknown.some.map(({ what, count, first }) => (
              <li key={first.seq}>
                <Go id={`unknown ${first.seq}`} seq={first.seq} text={`${count} × ${what}`} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

interface ItemProps {
  readonly incident: Incident;
  readonly clock: IncidentClock;
  readonly open: boolean;
}
function Item({ incident, clock, open }: ItemProps) {
  const t = useT();
  const lang = useLang();
  const node = useObserved((s) => s.overview?.node ?? '');
  const runtime = useObserved((s) => s.overview?.runtime ?? '');
  const observed = useSession((s) => s.info?.capabilities.observed === true);
  const canTwin = useSession((s) => s.info?.capabilities.twin === true);
  const here = useObserved((s) => s.moments[incident.id] !== undefined);
  const { id, begin, consequences, confidence, pods } = incident;
  const next = observed ? nextCommands(incident, { clock, node, runtime }) : [];
  const weight = signOf(incident);
  const text = incidentSentence(incident, clock)[lang];
  const details = consequences.length + next.length > 0 || pods.length > 1 || canTwin;
  return (
    <li
      className="sl-finding sl-incident u-grid u-center u-border-bottom"
      data-weight={weight}
      data-here={here || undefined}
      data-testid="incident"
    >
      <span className="sl-finding-sign u-fs-1 u-dim" aria-hidden="true">
        {SIGNS[weight]}
      </span>
      <Go id={id} seq={begin.seq} text={text} />
      <span className="sl-finding-when sl-small u-line u-wrap u-dim">
        {incident.end === null && <span className="u-failure">{t('incidents.open')}</span>}
        {confidence !== 'seen' && (
          <span className="sl-basis" data-known="concluded">
            {t(confidence === 'likely' ? 'incidents.likely' : 'findings.concluded')}
          </span>
        )}
      </span>
      <span className="sl-finding-tools u-row u-gap-4">
        <button
          type="button"
          className="sl-button u-target"
          aria-label={t('findings.whyOf', { text })}
          onClick={() => runCommand('findings.why', { id, i: 0, seq: begin.seq })}
        >
          {t('findings.why')}
        </button>
      </span>
      {details && (
        <details className="sl-incident-more" open={open} data-testid="incident-more">
          <summary>{t('incidents.details')}</summary>
          {consequences.length > 0 && <Chain of={incident} clock={clock} />}
          {pods.length > 1 && (
            <p className="sl-small u-break">
              {t('incidents.pods', { n: pods.length })}{' '}
              {pods
                .slice(0, MOST_PODS)
                .map(({ pod, uid }) => pod || uid)
                .join(', ')}
              {pods.length > MOST_PODS && ', …'}
            </p>
          )}
          {next.length > 0 && (
            <>
              <p className="sl-small u-margin-0 u-weight-600">{t('incidents.next')}</p>
              <ul className="sl-incident-next">
                {next.map(({ command, why }) => (
                  <li key={command}>
                    <code className="u-break">{command}</code>
                    <span className="sl-small u-dim">{why[lang]}</span>
                  </li>
                ))}
              </ul>
              <CopyButton text={next.map(({ command }) => command).join('\n')} />
            </>
          )}
          <Slot at="incident" props={{ incident }} />
        </details>
      )}
    </li>
  );
}

function Chain({ of, clock }: { readonly of: Incident; readonly clock: IncidentClock }) {
  const t = useT();
  const lang = useLang();
  return (
    <>
      <p className="sl-small u-margin-0 u-weight-600">{t('incidents.followed')}</p>
      <ol className="sl-incident-chain" data-testid="incident-chain">
        {of.consequences.map(({ kind, from, begin, text, count }) => (
          <li key={`${kind} ${from}`} data-deep={from !== of.kind || undefined}>
            <Go
              id={of.id}
              seq={begin.seq}
              text={`${clock.time(begin.time, of.begin.time)} ${text[lang]}${count > 1 ? ` (${count})` : ''}`}
            />
          </li>
        ))}
      </ol>
    </>
  );
}

/** A sentence that leads to its moment. */
function Go({ id, seq, text }: { readonly id: string; readonly seq: number; readonly text: string }) {
  return (
    <button
      type="button"
      className="sl-finding-text u-hidden-overflow u-break u-pad-0 u-target u-bare u-pointer u-text-left u-text"
      onClick={() => runCommand('findings.go', { id, i: 0, seq })}
      title={text}
      data-testid="incident-go"
    >
      {text}
    </button>
  );
}
