import type { ContainerEnd, PodEnd, SessionFinding } from '@syncloop/core/debug';
import { isAvailable, runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { Table } from '../../ui/table/table.js';
import { seconds } from '../../units/text.js';
import { type Explored, useExplore } from './explore-store.js';
import { problemTitle, stepOf } from './logic/problem-title.js';
import { type FindingRow, findingRows, type OutcomeRow, outcomeRows } from './logic/results.js';

/** Most changes of a schedule that are listed. */
const MOST_CHANGES = 8;

/** Shows the result: what broke, with the smallest way to it, and how the runs ended. */
export function ExploreResults() {
  const t = useT();
  const explored = useExplore((s) => s.explored);
  const running = useExplore((s) => s.running !== null);
  const here = useSession((s) => s.info?.id === explored?.session);
  return (
    <div className="sl-explore-results u-grow u-min-width-0 u-scroll u-pad-10" data-testid="explore-results">
      <p className="sl-visually-hidden" role="status">
        {explored &&
          t('explore.said', {
            n: explored.report.schedules,
            outcomes: explored.report.outcomes.length,
            found: explored.report.findings.length,
          })}
      </p>
      {explored ? (
        <>
          <Summary explored={explored} />
          {!here && <p className="sl-small sl-bad">{t('explore.elsewhere', { scenario: explored.scenario })}</p>}
          <Findings explored={explored} here={here} />
          <Outcomes explored={explored} here={here} />
        </>
      ) : (
        !running && <p className="sl-empty">{t('explore.nothingYet')}</p>
      )}
    </div>
  );
}

function Summary({ explored: { report, scenario, from, ended } }: { readonly explored: Explored }) {
  const t = useT();
  const { schedules, distinct, exhaustive, findings } = report;
  return (
    <p data-testid="explore-summary" data-ended={ended}>
      {t('explore.summary', { n: schedules, scenario, t: seconds(from.time), distinct })} {t(`explore.${ended}`)}{' '}
      {exhaustive && (exhaustive.bound >= 0 ? t('explore.bound', { n: exhaustive.bound }) : t('explore.boundNone'))}{' '}
      {findings.length === 0 && <strong>{t('explore.nothingBroke')}</strong>}
    </p>
  );
}

interface Props {
  readonly explored: Explored;
  readonly here: boolean;
}

function Findings({ explored, here }: Props) {
  const t = useT();
  const rows = findingRows(explored.report, explored.own);
  if (rows.length === 0) return null;
  return (
    <section aria-label={t('explore.broke')}>
      <h3>{t('explore.broke')}</h3>
      <ul className="sl-explore-findings">
        {rows.map((row) => (
          <Finding key={row.index} row={row} of={explored.report.schedules} here={here} />
        ))}
      </ul>
    </section>
  );
}

function Finding({ row, of, here }: { readonly row: FindingRow; readonly of: number; readonly here: boolean }) {
  const t = useT();
  const { finding, index } = row;
  const { times, inBase, shrunk, branch } = finding;
  const problem = shrunk?.problem ?? finding.problem;
  const title = problemTitle(problem, t);
  const { time, decision, seq, pod } = problem;
  const place = { t: seconds(time), step: decision, seq };
  return (
    <li data-testid={`finding-${index}`}>
      <p>
        <strong>{title}</strong>{' '}
        <span className="sl-small">
          {t('explore.times', { n: times, m: of })}
          {inBase && ` · ${t('explore.inBase')}`}
        </span>
      </p>
      <p className="sl-small">{pod === '' ? t('explore.at', place) : t('explore.atPod', { ...place, pod })}</p>
      {detailOf(finding) !== '' && (
        <p className="sl-small sl-explore-detail" lang="en">
          {detailOf(finding)}
        </p>
      )}
      <Changes row={row} />
      <div className="sl-group">
        <button
          type="button"
          className="sl-button"
          aria-label={t('explore.stepFinding', { name: title })}
          disabled={branch === undefined || !here || !isAvailable('explore.finding')}
          data-testid={`finding-step-${index}`}
          onClick={() => runCommand('explore.finding', index)}
        >
          {t('explore.step')}
        </button>
        {branch === undefined && <span className="sl-small">{t('explore.noBranch')}</span>}
      </div>
    </li>
  );
}

/** Returns what the title does not say already. */
const detailOf = ({ problem, shrunk }: SessionFinding): string => {
  const { kind, text } = shrunk?.problem ?? problem;
  return kind === 'never' || kind === 'finally' || kind === 'stuck' ? '' : text;
};

function Changes({ row: { changes, before, finding } }: { readonly row: FindingRow }) {
  const t = useT();
  const { shrunk } = finding;
  const n = changes.length;
  return (
    <>
      <p className="sl-small" data-testid="smallest">
        {n === 0
          ? t('explore.smallestNone')
          : n === 1
            ? t('explore.smallestOne', { before })
            : t('explore.smallest', { n, before })}
        {shrunk && !shrunk.minimal && ` ${t('explore.notMinimal')}`}
        {shrunk && !shrunk.replays && ` ${t('explore.notRepeated')}`}
      </p>
      {n > 0 && (
        <ol className="sl-explore-changes u-fs-1">
          {changes.slice(0, MOST_CHANGES).map((d) => (
            <li key={`${d.decision} ${d.goroutine ?? ''} ${d.case ?? ''}`}>
              {d.goroutine === undefined
                ? t(d.name === '' ? 'explore.change.case' : 'explore.change.channel', {
                    n: d.decision,
                    case: (d.case ?? 0) + 1,
                    name: d.name,
                  })
                : t('explore.change.goroutine', { n: d.decision, name: d.name || goroutineName(d.goroutine, t) })}
            </li>
          ))}
        </ol>
      )}
      {n > MOST_CHANGES && <p className="sl-small">{t('explore.more', { n: n - MOST_CHANGES })}</p>}
    </>
  );
}

const goroutineName = (id: number, t: ReturnType<typeof useT>): string =>
  trace.state.goroutines[id]?.name ?? t('explore.goroutine', { n: id });

function Outcomes({ explored, here }: Props) {
  const t = useT();
  const { report, own } = explored;
  const { rows, alike } = outcomeRows(report, own.length);
  return (
    <section aria-label={t('explore.outcomes')}>
      <h3>{t('explore.outcomes')}</h3>
      <div className="sl-explore-scroll">
        <Table
          heads={[
            t('explore.col.ending'),
            t('explore.col.times'),
            t('explore.col.pods'),
            t('explore.col.first'),
            <span key="way" className="sl-visually-hidden">
              {t('explore.col.way')}
            </span>,
          ]}
          cell="4px 10px 4px 0"
          className="sl-explore-table"
          testId="outcomes"
        >
          {rows.map((row) => (
            <Outcome key={row.index} row={row} here={here} />
          ))}
        </Table>
      </div>
      {alike > 0 && <p className="sl-small">{t('explore.alike', { n: alike })}</p>}
      {report.otherOutcomes > 0 && <p className="sl-small">{t('explore.others', { n: report.otherOutcomes })}</p>}
    </section>
  );
}

function Outcome({ row, here }: { readonly row: OutcomeRow; readonly here: boolean }) {
  const t = useT();
  const { index, times, share, result, pods, failures, changes, seed } = row;
  return (
    <tr data-testid={`outcome-${index}`} data-result={result}>
      <th scope="row">{index + 1}</th>
      <td className="sl-tabular">
        {times} <span className="sl-small">({Math.max(1, Math.round(share * 100))} %)</span>
      </td>
      <td>
        {pods.length === 0 && <p>{t('explore.noPods')}</p>}
        {pods.map((pod) => (
          <Pod key={pod.pod} pod={pod} />
        ))}
        <p className="sl-small" data-result={result}>
          {t(`explore.result.${result}`)}
          {failures.length > 0 && `: ${failures.map((name) => stepOf(name, t)).join(', ')}`}
        </p>
      </td>
      <td className="sl-small">
        {changes === 0
          ? t('explore.asItIs')
          : t(changes === 1 ? 'explore.changesOne' : 'explore.changes', { seed, n: changes })}
      </td>
      <td>
        {changes > 0 && (
          <button
            type="button"
            className="sl-button"
            aria-label={t('explore.stepOutcome', { n: index + 1 })}
            disabled={!here || !isAvailable('explore.outcome')}
            data-testid={`outcome-step-${index}`}
            onClick={() => runCommand('explore.outcome', index)}
          >
            {t('explore.step')}
          </button>
        )}
      </td>
    </tr>
  );
}

function Pod({ pod: { pod, present, phase, reason, containers } }: { readonly pod: PodEnd }) {
  const t = useT();
  return (
    <p>
      <code>{pod}</code> {present ? phase : t('explore.gone', { phase })}
      {reason !== '' && ` (${reason})`}
      {containers.map((c) => (
        <span key={c.name} className="sl-small">
          {' · '}
          <Container end={c} />
        </span>
      ))}
    </p>
  );
}

/** Written as kubectl names them: `app running`, `app CrashLoopBackOff`, `app Error (1)`. */
function Container({ end: { name, state, reason, exitCode, restarts } }: { readonly end: ContainerEnd }) {
  const t = useT();
  return (
    <>
      {name} {reason === '' ? state : reason}
      {exitCode !== null && ` (${exitCode})`}
      {restarts > 0 && `, ${restarts === 1 ? t('explore.restartsOne') : t('explore.restarts', { n: restarts })}`}
    </>
  );
}
