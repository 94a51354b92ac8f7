import { diffStates, lastWriter, parsePath } from '@syncloop/core/debug/inspect';
import type { Json, Seq } from '@syncloop/core/trace';
import { useEffect, useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import type { Selection } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { GoThere, RecordLink } from '../../selection/record-link.js';
import { Selectable } from '../../selection/selectable.js';
import { Check } from '../../ui/check/check.js';
import { duration, shortPod } from '../../units/text.js';
import { type Since, setSince, useInspector } from './inspector-store.js';
import { type Group, groupChanges, type Row } from './logic/change-groups.js';
import { isBookkeeping, iterationBefore, partsOf } from './logic/changed.js';
import { Looking } from './looking.js';
import { stops } from './stops.js';
import { useLater } from './use-later.js';
import { Inline, ValueTree } from './value-tree.js';

const MOST_ROWS = 40;

interface ChangeResult {
  readonly from: Seq;
  readonly to: Seq;
  readonly took: number;
  /** True if earlier records are no longer in memory. */
  readonly cut: boolean;
  readonly groups: readonly Group[];
  readonly bookkeeping: number;
}

/** The differences between the state now and the one before the last step. */
function find(selection: Selection | null, since: Since, all: boolean): ChangeResult | null {
  const { records, state } = trace;
  const to = records.last;
  if (records.size === 0) return null;
  const get = (seq: Seq) => records.get(seq);
  const began = since === 'step' ? stops.since(to, get) : iterationBefore(to, state, get);
  const from = Math.max(began, records.first - 1);
  const before = records.stateAt(from);
  const test = partsOf(state, selection);
  const changes = diffStates(before, state).map((change) => ({ change, path: parsePath(change.path) }));
  const about = test ? changes.filter((c) => test(c.path)) : changes;
  const telling = about.filter((c) => !isBookkeeping(c.path, test === null));
  return {
    from: from + 1,
    to,
    took: state.time - before.time,
    cut: from > began,
    // The state goes on changing in place, so a copy is shown.
    groups: structuredClone(
      groupChanges(
        (all ? about : telling).map((c) => c.change),
        parsePath,
        before,
        state,
      ),
    ),
    bookkeeping: about.length - telling.length,
  };
}

/** Shows what the last step changed in the selection, or in the whole node. */
export function Changed({ selection }: { readonly selection: Selection | null }) {
  const t = useT();
  const since = useInspector((s) => s.since);
  const all = useInspector((s) => s.bookkeeping);
  const running = useSession((s) => s.run.running);
  // Nobody sees a difference between two steps of a run: then whole iterations are compared.
  const by: Since = running ? 'iteration' : since;
  const about = selection?.kind === 'record' ? null : selection;
  const { value, error } = useLater(
    () => find(about, by, all),
    `${JSON.stringify(about)} ${by} ${all}`,
    running ? 700 : 80,
  );
  if (value === undefined) return <Looking error={error} />;
  return (
    <div data-testid="changed">
      <div className="sl-chain-head u-row u-between u-wrap">
        {/* biome-ignore lint/a11y/useSemanticElements: a switch of two buttons, not fields of a form */}
        <div className="sl-switch u-inline-flex u-border u-round" role="group" aria-label={t('changed.since')}>
          {(['step', 'iteration'] as const).map((s) => (
            <button
              className="u-bare u-pointer u-fs-1 u-dim"
              key={s}
              type="button"
              aria-pressed={by === s}
              disabled={running && s === 'step'}
              onClick={() => setSince(s)}
            >
              {t(`changed.since.${s}`)}
            </button>
          ))}
        </div>
      </div>
      {value === null ? (
        <p className="sl-empty">{t('changed.before')}</p>
      ) : (
        <Changes found={value} key={`${value.from} ${value.to}`} whole={about === null} />
      )}
    </div>
  );
}

function Changes({ found, whole }: { readonly found: ChangeResult; readonly whole: boolean }) {
  const t = useT();
  const all = useInspector((s) => s.bookkeeping);
  const [most, setMost] = useState(MOST_ROWS);
  const { from, to, took, cut, groups, bookkeeping } = found;
  const total = groups.reduce((n, g) => n + g.rows.length, 0);
  let room = most;
  return (
    <>
      <p className="sl-small sl-pad">
        {t('changed.range', { from, to, t: duration(took) })} {cut && t('changed.cut', { from })}
      </p>
      {total === 0 && <p className="sl-empty">{t(whole ? 'changed.nothingNode' : 'changed.nothing')}</p>}
      {groups.map((group) => {
        const rows = group.rows.slice(0, Math.max(0, room));
        room -= rows.length;
        return rows.length > 0 && <GroupOfChanges key={group.id} group={group} rows={rows} to={to} />;
      })}
      <div className="sl-changed-foot u-row u-wrap u-pad-8">
        {total > most && (
          <button type="button" className="sl-button sl-quiet" onClick={() => setMost(most + 100)}>
            {t('inspector.more', { n: total - most })}
          </button>
        )}
        {bookkeeping > 0 && (
          <Check checked={all} onChange={(checked) => useInspector.setState({ bookkeeping: checked })}>
            {t('changed.bookkeeping', { n: bookkeeping })}
          </Check>
        )}
      </div>
    </>
  );
}

function GroupOfChanges({
  group,
  rows,
  to,
}: {
  readonly group: Group;
  readonly rows: readonly Row[];
  readonly to: Seq;
}) {
  const t = useT();
  const { selection } = group;
  const kind = selection && selection.kind !== 'part' && selection.kind !== 'record' ? t(`kind.${selection.kind}`) : '';
  const name = selection?.kind === 'part' ? t(`part.${selection.part}`) : shortPod(group.name);
  return (
    <section className="sl-change-group u-border-top" aria-label={name}>
      <h3>
        {selection ? (
          <Selectable selection={selection} className="sl-link">
            {name}
          </Selectable>
        ) : (
          name
        )}{' '}
        <span className="sl-small">{kind}</span>
      </h3>
      <ul>
        {rows.map((row) => (
          <ChangeRow key={row.path} row={row} to={to} />
        ))}
      </ul>
    </section>
  );
}

function ChangeRow({ row, to }: { readonly row: Row; readonly to: Seq }) {
  const t = useT();
  const { change, counts, field } = row;
  return (
    <li className="sl-change" data-kind={change.kind}>
      <div className="u-line u-between u-gap-8">
        <button
          type="button"
          className="sl-change-label u-break u-target u-bare u-pointer u-text-left u-dim"
          title={t('inspector.fieldHistory', { field: row.label })}
          onClick={() => runCommand('inspector.field', parsePath(row.path))}
        >
          {row.label}
        </button>
        <Writer path={row.path} to={to} />
      </div>
      {counts ? (
        <details className="sl-rule u-fs-1">
          <summary className="u-pointer u-dim">{t('changed.counts', counts)}</summary>
          <ValueTree value={(row.elements ?? []).map((c) => c.new ?? c.old ?? null)} open={0} />
        </details>
      ) : (
        <div className="sl-change-values u-line u-wrap">
          {change.kind === 'added' && (
            <span className="sl-chip u-nowrap u-pad-tag u-border u-fs-1">{t('changed.added')}</span>
          )}
          {change.kind === 'removed' && (
            <span className="sl-chip u-nowrap u-pad-tag u-border u-fs-1">{t('changed.removed')}</span>
          )}
          {row.old !== undefined && <Side as="old" field={field} value={row.old} />}
          {change.kind === 'changed' && <span aria-hidden="true">→</span>}
          {row.new !== undefined && <Side as="new" field={field} value={row.new} />}
        </div>
      )}
    </li>
  );
}

function Side({ as, field, value }: { readonly as: 'old' | 'new'; readonly field: string; readonly value: Json }) {
  const t = useT();
  const Tag = as === 'old' ? 'del' : 'ins';
  return (
    <Tag className={`sl-${as}`}>
      <span className="sl-visually-hidden">{t(as === 'old' ? 'changed.from' : 'changed.to')} </span>
      <Inline name={field} value={value} />
    </Tag>
  );
}

/** The record that wrote a value; found one after the other, each after the page has been drawn. */
function Writer({ path, to }: { readonly path: string; readonly to: Seq }) {
  const t = useT();
  const [seq, setSeq] = useState<Seq | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setSeq(trace.records.last >= to ? lastWriter(trace.records, path, to) : null));
    return () => clearTimeout(timer);
  }, [path, to]);
  if (seq === null) return null;
  return (
    <span className="u-inline-flex u-center u-flex-none">
      <span className="sl-visually-hidden">{t('changed.writer')} </span>
      <RecordLink seq={seq} />
      <GoThere seq={seq} />
    </span>
  );
}
