import { formatPath, getPath, historyOf, lastWriter, type Path, parsePath } from '@syncloop/core/debug/inspect';
import { ExpressionError } from '@syncloop/core/expression';
import type { Json } from '@syncloop/core/trace';
import { useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { type Selection, useUI } from '../../page/ui-store.js';
import { sentence } from '../../run/narration.js';
import { newest } from '../../run/queries.js';
import { trace } from '../../run/trace-store.js';
import { useThrottled } from '../../run/use-throttled.js';
import { useWhen } from '../../run/wall-time.js';
import { GoThere, RecordLink } from '../../selection/record-link.js';
import { about } from '../../selection/selection.js';
import { useInspector } from './inspector-store.js';
import { labelOf } from './logic/change-groups.js';
import { fieldsOf, newestValues, whyOfPath } from './logic/history.js';
import { Looking } from './looking.js';
import { useLater } from './use-later.js';
import { Inline } from './value-tree.js';

/** Shows the values of a field over time, or the records about the selection. */
export function History({ selection }: { readonly selection: Selection | null }) {
  const field = useInspector((s) => s.field);
  return (
    <>
      <Fields selection={selection} field={field} />
      {field ? <FieldHistory key={formatPath(field)} field={field} /> : <Records selection={selection} />}
    </>
  );
}

/** Picks a field: one of the frequent ones, or any by its path. */
function Fields({ selection, field }: { readonly selection: Selection | null; readonly field: Path | null }) {
  const t = useT();
  const shown = field ? formatPath(field) : '';
  const suggested = useThrottled(
    () => fieldsOf(trace.state, selection).map((path) => ({ path, text: formatPath(path) })),
    JSON.stringify(selection),
    1000,
  );
  return (
    <div className="u-column u-gap-6 u-pad-8 u-border-bottom">
      {/* biome-ignore lint/a11y/useSemanticElements: buttons under a name, not fields of a form */}
      <div className="u-line u-wrap u-gap-4" role="group" aria-label={t('history.field')}>
        <span className="sl-asks-label u-fs-1 u-faint">{t('history.field')}</span>
        {suggested.map(({ path, text }) => (
          <button
            key={text}
            type="button"
            className="sl-ask u-pad-chip u-border u-pointer u-fs-1 u-text-left u-dim"
            aria-pressed={text === shown}
            onClick={() => runCommand('inspector.field', text === shown ? null : path)}
          >
            {labelOf(selection ? path.slice(path.length > 2 ? 2 : 1) : path)}
          </button>
        ))}
      </div>
      <PathInput key={shown} shown={shown} />
    </div>
  );
}

function PathInput({ shown }: { readonly shown: string }) {
  const t = useT();
  const [text, setText] = useState(shown);
  const [error, setError] = useState('');
  const go = () => {
    if (text.trim() === '') {
      runCommand('inspector.field', null);
      return;
    }
    try {
      runCommand('inspector.field', parsePath(text));
      setError('');
    } catch (e) {
      if (!(e instanceof ExpressionError)) throw e;
      setError(e.message);
    }
  };
  return (
    <form
      className="sl-path u-flex u-wrap u-gap-6"
      onSubmit={(e) => {
        e.preventDefault();
        go();
      }}
    >
      <input
        className="sl-input sl-code u-grow u-min-width-0 u-fs-1"
        value={text}
        placeholder={'pods["web"].worker.state'}
        aria-label={t('history.path')}
        aria-invalid={error !== ''}
        aria-describedby={error === '' ? undefined : 'sl-path-error'}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        onChange={(e) => setText(e.target.value)}
        data-testid="history-path"
      />
      <button type="submit" className="sl-button">
        {t('history.show')}
      </button>
      {error !== '' && (
        <p id="sl-path-error" className="sl-error u-break u-failure" role="alert">
          {error}
        </p>
      )}
    </form>
  );
}

const PAGE = 60;

function FieldHistory({ field }: { readonly field: Path }) {
  const t = useT();
  const [count, setCount] = useState(PAGE);
  const label = labelOf(field);
  const { value, error } = useLater(
    () => {
      const { records } = trace;
      const found = newestValues(records, field, count, historyOf);
      const writer = lastWriter(records, field);
      const now = getPath(records.state, field);
      return { ...found, writer, now: now === null ? null : (structuredClone(now) as Json) };
    },
    `${label} ${count}`,
    500,
  );
  if (value === undefined) return <Looking error={error} />;
  const { values, more, writer } = value;
  const name = field.findLast((s) => typeof s === 'string') ?? '';
  const question = whyOfPath(field);
  return (
    <section aria-label={t('inspector.fieldHistory', { field: label })} data-testid="field-history">
      <h3 className="sl-field-name u-break">{labelOf(field.slice(field.length > 2 ? 2 : 0))}</h3>
      <div className="sl-field-head u-row u-between u-wrap u-gap-6">
        <p>
          {writer === null ? (
            t('history.neverWritten')
          ) : (
            <>
              {t('history.lastWriter')} <RecordLink seq={writer} time={trace.records.get(writer)?.time} />
              <GoThere seq={writer} />
            </>
          )}
        </p>
        {question && (
          <button
            type="button"
            className="sl-button"
            onClick={() =>
              runCommand('inspector.ask', {
                id: `field ${label}`,
                not: false,
                question,
                key: 'why.ask.field',
                params: { field: labelOf(field.slice(2)) },
              })
            }
          >
            {t('history.why')}
          </button>
        )}
      </div>
      {values.length === 0 ? (
        <p className="sl-empty">{t('history.none')}</p>
      ) : (
        <p className="sl-small sl-pad">
          {values.length === 1 ? t('history.values1') : t('history.values', { n: values.length })}
        </p>
      )}
      <ol className="sl-values">
        {values.map((v) => (
          <li className="u-grid u-gap-8 u-border-top" key={v.seq}>
            <span className="u-inline-flex u-center u-between">
              {v.seq > 0 ? <RecordLink seq={v.seq} time={v.time} /> : <span className="sl-time-text">0.000 s</span>}
              {v.seq > 0 && <GoThere seq={v.seq} />}
            </span>
            <Value name={String(name)} value={v.value} />
          </li>
        ))}
      </ol>
      {more && (
        <div className="sl-pad">
          <button type="button" className="sl-button sl-quiet" onClick={() => setCount(count * 4)}>
            {t('history.older')}
          </button>
        </div>
      )}
    </section>
  );
}

function Value({ name, value }: { readonly name: string; readonly value: Json }) {
  return (
    <span className="sl-values-value u-break">
      <Inline name={name} value={value} />
    </span>
  );
}

/** Shows the newest records about the selection, newest first. */
function Records({ selection }: { readonly selection: Selection | null }) {
  const t = useT();
  const when = useWhen();
  const lang = useUI((s) => s.lang);
  const [most, setMost] = useState(PAGE);
  const records = useThrottled(
    () => (selection ? newest(trace.records, most + 1, about(trace.state, selection)) : []),
    `${JSON.stringify(selection)} ${most}`,
    250,
  );
  if (!selection) return null;
  if (records.length === 0) return <p className="sl-empty">{t('inspector.noHistory')}</p>;
  return (
    <>
      <p className="sl-small sl-pad">{t('history.records')}</p>
      <ol className="sl-history">
        {records.slice(0, most).map((r) => (
          <li key={r.seq}>
            <button
              type="button"
              className="sl-history-row u-flex u-gap-10 u-width-full u-bare u-pointer u-text-left"
              onClick={() => runCommand('view.select', { kind: 'record', seq: r.seq })}
            >
              <span className="sl-record-time u-flex-none u-fs-1 u-text-right u-time">
                {when(r.time).replace(/ s$/, '')}
              </span>
              <span>{sentence(r, lang).text}</span>
            </button>
          </li>
        ))}
      </ol>
      {records.length > most && (
        <div className="sl-pad">
          <button type="button" className="sl-button sl-quiet" onClick={() => setMost(most * 4)}>
            {t('history.older')}
          </button>
        </div>
      )}
    </>
  );
}
