import type { PodOutcome } from '@syncloop/core/debug';
import type { TraceRecord } from '@syncloop/core/trace';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { sentence } from '../../run/narration.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { Check } from '../../ui/check/check.js';
import { Icon } from '../../ui/icons.js';
import { Table } from '../../ui/table/table.js';
import { seconds } from '../../units/text.js';
import { type Compared, useBranches } from './branches-store.js';
import { changesToShow, namesOf, outcomeRows } from './logic/branches.js';

/** The first difference of two branches, the outcome of the pods in each, and the differences at their ends. */
export function ComparisonView() {
  const t = useT();
  const compared = useBranches((s) => s.compared);
  if (!compared)
    return <p className="sl-empty sl-comparison u-grow u-min-width-0 u-scroll">{t('branches.compareHint')}</p>;
  const { ours, theirs, result } = compared;
  const parted = result.first[0] !== null || result.first[1] !== null;
  return (
    <section
      className="sl-comparison u-grow u-min-width-0 u-scroll"
      aria-label={t('branches.compared', { ours: ours.name, theirs: theirs.name })}
      data-testid="comparison"
    >
      <header className="sl-group">
        <h3>{t('branches.compared', { ours: ours.name, theirs: theirs.name })}</h3>
        <Stale compared={compared} />
        <button
          type="button"
          className="sl-button sl-quiet sl-icon-button sl-push"
          aria-label={t('branches.close')}
          onClick={() => useBranches.setState({ compared: null })}
        >
          <Icon name="close" />
        </button>
      </header>
      <h4 className="u-fs-1 u-weight-600 u-dim">
        {!parted
          ? t('branches.same', { n: result.same })
          : result.same > 0
            ? t('branches.part', { seq: result.same })
            : t('branches.partStart')}
      </h4>
      {parted && (
        <div className="sl-sides u-grid u-gap-12">
          <First branch={ours.id} name={ours.name} record={result.first[0]} />
          <First branch={theirs.id} name={theirs.name} record={result.first[1]} />
        </div>
      )}
      <When compared={compared} />
      <h4 className="u-fs-1 u-weight-600 u-dim">{t('branches.outcomes')}</h4>
      <Outcomes compared={compared} />
      <h4 className="u-fs-1 u-weight-600 u-dim">{t('branches.changes')}</h4>
      <Changes compared={compared} />
    </section>
  );
}

/** Shows the time of the comparison, and the other choice of it. */
function When({ compared: { ours, theirs, result } }: { readonly compared: Compared }) {
  const t = useT();
  const chosen = useBranches((s) => s.ends);
  const [a, b] = result.times;
  return (
    <div className="sl-group sl-comparison-when">
      <Check checked={chosen} onChange={(checked) => runCommand('branch.compareEnds', checked)} testId="compare-ends">
        {t('branches.atEnds')}
      </Check>
      <span className="sl-small sl-tabular" data-testid="compared-at">
        {a === b
          ? t('branches.atTime', { time: seconds(a) })
          : t('branches.atTimes', { ours: ours.name, a: seconds(a), theirs: theirs.name, b: seconds(b) })}
      </span>
    </div>
  );
}

/** Tells that one of the two has been run on since. */
function Stale({ compared: { ours, theirs } }: { readonly compared: Compared }) {
  const t = useT();
  const stale = useSession(({ run }) =>
    [ours, theirs].some((b) => b.id === run.branch && run.end !== undefined && run.end.seq !== b.end.seq),
  );
  const here = useSession((s) => s.run.branch);
  const other = here === theirs.id ? ours.id : theirs.id;
  if (!stale) return null;
  return (
    <>
      <span className="sl-small">{t('branches.stale')}</span>
      <button type="button" className="sl-button" onClick={() => runCommand('branch.compare', other)}>
        {t('branches.again')}
      </button>
    </>
  );
}

function First({
  branch,
  name,
  record,
}: {
  readonly branch: number;
  readonly name: string;
  readonly record: TraceRecord | null;
}) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  return (
    <div className="sl-side u-min-width-0 u-break">
      <p className="sl-small sl-strong">{name}</p>
      {record ? (
        <button
          type="button"
          className="sl-link"
          title={t('branches.goThere', { seq: record.seq, name })}
          onClick={() => runCommand('branch.go', { branch, seq: record.seq })}
        >
          <span className="sl-record-time u-flex-none u-fs-1 u-text-right u-time">
            #{record.seq} · {seconds(record.time)} s
          </span>{' '}
          {sentence(record, lang).text}
        </button>
      ) : (
        <p>{t('branches.ends')}</p>
      )}
    </div>
  );
}

function Outcomes({ compared: { ours, theirs, result } }: { readonly compared: Compared }) {
  const t = useT();
  const rows = outcomeRows(result.outcomes);
  if (rows.length === 0) return <p className="sl-small">{t('branches.noPods')}</p>;
  return (
    <Table heads={[t('branches.pod'), ours.name, theirs.name]} cell="3px 12px 3px 0" className="sl-branch-table u-fs-2">
      {rows.map((row) => (
        <tr key={row.pod} data-same={row.same || undefined}>
          <th scope="row" className="sl-code">
            {row.pod}
          </th>
          <td>
            <OutcomeText outcome={row.ours} />
          </td>
          <td>{row.same ? t('branches.sameOutcome') : <OutcomeText outcome={row.theirs} />}</td>
        </tr>
      ))}
    </Table>
  );
}

function OutcomeText({ outcome }: { readonly outcome: PodOutcome | null }) {
  const t = useT();
  if (!outcome) return t('branches.noPod');
  return (
    <>
      <span className="sl-phase u-fs-1 u-dim" data-phase={outcome.phase}>
        {outcome.phase || t('graph.phaseNone')}
      </span>{' '}
      {outcome.reason}
      <ul className="sl-small">
        {outcome.containers.map((c) => (
          <li key={c.name}>
            {c.name}: {c.state}
            {c.restarts > 0 && `, ${t('branches.restarts', { n: c.restarts })}`}
          </li>
        ))}
      </ul>
    </>
  );
}

function Changes({ compared: { ours, theirs, result } }: { readonly compared: Compared }) {
  const t = useT();
  const { shown, more, quiet } = changesToShow(result.changes, namesOf(trace.state));
  return (
    <>
      {shown.length === 0 ? (
        <p className="sl-small">{t('branches.changesNone')}</p>
      ) : (
        <div className="sl-table-scroll">
          <Table
            heads={[null, ours.name, theirs.name]}
            cell="3px 12px 3px 0"
            className="sl-branch-table sl-changes u-fs-2"
          >
            {shown.map((c) => (
              <tr key={c.path}>
                <th scope="row">{c.path}</th>
                <td>{c.kind === 'added' ? <i className="u-faint">{t('branches.absent')}</i> : c.old}</td>
                <td>{c.kind === 'removed' ? <i className="u-faint">{t('branches.absent')}</i> : c.new}</td>
              </tr>
            ))}
          </Table>
        </div>
      )}
      <p className="sl-small">
        {more > 0 && t('branches.more', { n: more })} {quiet > 0 && t('branches.quiet', { n: quiet })}
      </p>
    </>
  );
}
