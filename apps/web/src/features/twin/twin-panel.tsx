import type { Difference, TwinText, Verdict } from '@syncloop/observe/twin';
import { useMemo, useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { wallTime } from '../../run/wall-time.js';
import { CommandButton } from '../../ui/command-button.js';
import { Facts } from '../../ui/facts/facts.js';
import { Table } from '../../ui/table/table.js';
import { Causes } from './causes.js';
import { LeftOutOfTwin } from './left-out.js';
import { changedBy, decisionOf, kindRows } from './logic/differences.js';
import { answerHere } from './logic/here.js';
import { PairedLanes } from './paired-lanes.js';
import { Part } from './part.js';
import { Remedies } from './prevention.js';
import { ScenarioView } from './scenario-view.js';
import { Doing, Reenact } from './twin-bar.js';
import { TwinEra } from './twin-era.js';
import { useTwin } from './twin-store.js';
import './twin.css';

const useText = () => {
  const lang = useUI((s) => s.lang);
  return (text: TwinText) => (lang === 'zh-CN' ? text.zh : text.en);
};

/**
 * Shows how far the twin does what the observed kubelet did: in words, in figures, on lanes, difference by difference.
 */
export function TwinPanel() {
  const t = useT();
  const text = useText();
  const can = useSession((s) => s.info?.capabilities.twin === true);
  const doing = useSession((s) => s.run.twin?.doing);
  const answer = useTwin((s) => s.answer);
  const shown = useAnswerHere();
  const records = useSession((s) => s.run.reading?.records ?? 0);
  if (!can) return <p className="sl-empty">{t('twin.cannot')}</p>;
  if (!answer) return <Reenact />;
  const { verdict, scenario, chance, edited, seenTo } = answer;
  const parts = shown !== null && shown.verdict.differences.length > 0;
  return (
    <div className="sl-twin u-grid u-height-full" data-testid="twin">
      <section
        className="sl-twin-left u-column u-gap-8 u-min-width-0 u-scroll u-pad-8 u-border-right"
        aria-label={t('twin.verdict')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
      >
        {doing && <Doing doing={doing} />}
        <Remedies />
        <p className="u-weight-600" data-testid="twin-verdict">
          {text(verdict.text)}
        </p>
        <TwinEra scenario={scenario} busy={doing !== undefined} />
        <LeftOutOfTwin left={scenario.left} text={text} />
        <Part key={answer.made} />
        {edited && <p className="sl-small">{t('twin.edited')}</p>}
        {records > seenTo && (
          <div className="sl-group">
            <CommandButton id="twin.again" testId="twin-again">
              {t('twin.again')}
            </CommandButton>
            <span className="sl-small">{t('twin.grown')}</span>
          </div>
        )}
        <Branch />
        {!parts && <Kinds />}
        {shown && <Differences verdict={shown.verdict} />}
        {(parts || chance) && (
          <section>
            <div className="sl-group">
              <CommandButton id="twin.search" testId="twin-search">
                {t('twin.search')}
              </CommandButton>
              <span className="sl-small">{t('twin.searchWhat')}</span>
            </div>
            {chance && (
              <div data-testid="twin-chance">
                <p>{text(chance.text)}</p>
                <ul>
                  {chance.choices.map((choice) => (
                    <li key={choice.seq}>
                      <button type="button" className="sl-link" onClick={() => runCommand('twin.goTwin', choice.seq)}>
                        {text(choice.text)}
                      </button>
                    </li>
                  ))}
                </ul>
              </div>
            )}
          </section>
        )}
        <Causes answer={answer} text={text} />
      </section>
      <div className="sl-twin-right u-min-width-0 u-scroll u-pad-8">
        {shown ? <PairedLanes answer={shown} /> : <p className="u-dim">{t('twin.branchOpen')}</p>}
        {parts && <Kinds />}
        <Fold title={t('twin.tolerances', { n: verdict.tolerances.length })} testId="twin-tolerances">
          <p className="sl-small">{t('twin.tolerancesWhat')}</p>
          <ul>
            {verdict.tolerances.map((one) => (
              <li key={one.rule}>
                {text(one.text)} <span className="sl-small sl-tabular">{t('twin.used', { n: one.used })}</span>
              </li>
            ))}
          </ul>
        </Fold>
        <Fold title={t('twin.assumptions', { n: scenario.assumptions.length })} testId="twin-assumptions">
          <p className="sl-small">{t('twin.assumptionsWhat')}</p>
          <ul>
            {scenario.assumptions.map((one) => (
              <li key={`${one.code} ${one.about}`}>
                {one.about !== '' && <span className="sl-code">{one.about}: </span>}
                {text(one.text)}
              </li>
            ))}
          </ul>
        </Fold>
        <Fold title={t('twin.scenario')} testId="twin-scenario">
          <ScenarioView key={answer.made} text={scenario.text} />
        </Fold>
      </div>
    </div>
  );
}

function Fold({
  title,
  testId,
  children,
}: {
  readonly title: string;
  readonly testId: string;
  readonly children: React.ReactNode;
}) {
  const [open, setOpen] = useState(false);
  return (
    <details className="sl-twin-fold" data-testid={testId} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary className="u-target u-pointer">{title}</summary>
      {open && children}
    </details>
  );
}

/** Returns the comparison that belongs to the run that is shown; null while its branch is not compared. */
function useAnswerHere() {
  const side = useSession((s) => s.run.twin?.side ?? 'seen');
  const branch = useSession((s) => s.run.branch ?? 1);
  const answer = useTwin((s) => s.answer);
  const held = useTwin((s) => s.branch);
  return useMemo(() => answerHere({ answer, branch: held, at: -1 }, { side, branch }), [answer, held, side, branch]);
}

function Kinds() {
  const t = useT();
  const answer = useAnswerHere();
  if (!answer) return null;
  return (
    <Table
      heads={[t('twin.kind'), t('twin.same'), t('twin.coverage')]}
      cell="1px 8px 1px 0"
      className="sl-twin-kinds u-break"
      testId="twin-kinds"
    >
      {kindRows(answer.verdict).map(({ kind, same, compared }) => (
        <tr key={kind} data-parts={same < compared || undefined}>
          <th scope="row">{t(`twin.kind.${kind}`)}</th>
          <td className="sl-tabular">
            {t('twin.of', { same, compared })} {same < compared && <span aria-hidden="true">≠</span>}
          </td>
          <td className="sl-small">{t(`twin.coverage.${answer.coverage[kind]}`)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** Compares a branch with the observed run, next to the verdict on the twin that it branched off. */
function Branch() {
  const t = useT();
  const text = useText();
  const inBranch = useSession(({ run }) => run.twin?.side === 'twin' && (run.branch ?? 1) > 1);
  const branch = useTwin((s) => s.branch);
  const twin = useTwin((s) => s.answer?.verdict);
  if (!inBranch && !branch) return null;
  const changed = branch && twin ? changedBy(branch.verdict, twin) : null;
  return (
    <section className="sl-twin-branch" data-testid="twin-branch">
      <div className="sl-group">
        <CommandButton id="twin.branch" testId="twin-branch-compare">
          {t('twin.branchCompare')}
        </CommandButton>
        {inBranch && (
          <button
            type="button"
            className="sl-button sl-quiet"
            onClick={() => {
              useUI.setState({ bottom: 'branches' });
              runCommand('branch.compare', 1);
            }}
          >
            {t('twin.branchWithTwin')}
          </button>
        )}
      </div>
      {branch && changed && (
        <div data-testid="twin-branch-verdict">
          <p>
            <strong>{t('twin.branchName', { name: branch.name })}</strong> {text(branch.verdict.text)}
          </p>
          <p className="sl-small">
            {t('twin.branchChanged', { gone: changed.gone.length, added: changed.added.length })}
          </p>
          <ul>
            {changed.gone.map((d) => (
              <li key={`- ${d.text.en}`}>− {text(d.text)}</li>
            ))}
            {changed.added.map((d) => (
              <li key={`+ ${d.text.en}`}>+ {text(d.text)}</li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

function Differences({ verdict }: { readonly verdict: Verdict }) {
  const t = useT();
  const { differences } = verdict;
  if (differences.length === 0)
    return (
      <p className="sl-twin-agree u-dim" data-testid="twin-agree">
        {t('twin.noDifference')}
      </p>
    );
  return (
    <ol className="sl-twin-differences" aria-label={t('twin.differences', { n: differences.length })}>
      {differences.map((d, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a verdict's differences never change their places
        <DifferenceItem key={i} difference={d} index={i} />
      ))}
    </ol>
  );
}

function DifferenceItem({ difference: d, index }: { readonly difference: Difference; readonly index: number }) {
  const t = useT();
  const text = useText();
  const at = useTwin((s) => s.at === index);
  const info = useSession((s) => s.info);
  const side = useSession((s) => s.run.twin?.side);
  const seenFrom = useTwin((s) => s.answer?.scenario.seenFrom ?? 0);
  useUI((s) => s.clock);
  const decision = decisionOf(d);
  const shift = (side === 'seen' ? 0 : -seenFrom) + (d.seen ? 0 : seenFrom);
  const when = info && decision ? wallTime(info, decision.time + shift) : '';
  return (
    <li className="u-grid u-border-top" data-here={at || undefined} data-testid="twin-difference">
      <span className="sl-twin-how u-fs-1 u-failure" data-how={d.how}>
        {t(`twin.how.${d.how}`)}
      </span>
      <button
        type="button"
        className="sl-link u-break u-target u-text-left"
        aria-current={at || undefined}
        onClick={() => runCommand('twin.difference', index)}
      >
        {text(d.text)}
      </button>
      <span className="sl-small sl-tabular">{when}</span>
      {d.values && (
        <Facts className="sl-twin-pair">
          <dt className="u-fs-1">{t('twin.show.seen')}</dt>
          <dd className="sl-code">{JSON.stringify(d.values.seen)}</dd>
          <dt className="u-fs-1">{t('twin.show.twin')}</dt>
          <dd className="sl-code">{JSON.stringify(d.values.twin)}</dd>
        </Facts>
      )}
      {d.followers && d.followers.length > 0 && (
        <details>
          <summary className="sl-small">{t('twin.followers', { n: d.followers.length })}</summary>
          <ul>
            {d.followers.map((f) => (
              <li key={`${f.how} ${f.seen?.seq} ${f.twin?.seq} ${f.path}`}>
                <button
                  type="button"
                  className="sl-link u-break u-target u-text-left"
                  onClick={() => runCommand('twin.moment', momentOf(f))}
                >
                  {text(f.text)}
                </button>
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}
const momentOf = ({ seen, twin }: Difference) => ({
  ...(seen && { seen: seen.seq }),
  ...(twin && { twin: twin.seq }),
});
