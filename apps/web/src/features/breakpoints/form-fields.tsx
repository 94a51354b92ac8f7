import type { BreakpointKind } from '@syncloop/core/debug/breakpoints';
import type { TraceRecord } from '@syncloop/core/trace';
import { useMemo } from 'react';
import { isMessageKey, type MessageKey, useT } from '../../i18n/index.js';
import { trace } from '../../run/trace-store.js';
import { Field } from '../../ui/field/field.js';
import { type DraftField, defaultOf, type Problem } from './logic/breakpoint-draft.js';
import { namesFor } from './logic/breakpoint-names.js';

/** Records that are looked through for names to offer. */
const LOOKED_AT = 20_000;

function* newestFirst(): Generator<TraceRecord> {
  const { first, last } = trace.records;
  for (let seq = last; seq >= Math.max(first, last - LOOKED_AT); seq--) {
    const record = trace.records.get(seq);
    if (record) yield record;
  }
}

/** Returns the words for a value, if it is one of ours; Kubernetes' own stay as they are. */
function wordsKey(option: string): MessageKey | null {
  const key = `breakpoints.option.${option}`;
  return isMessageKey(key) ? key : null;
}

interface KindProps {
  readonly on: BreakpointKind;
  readonly field: DraftField;
  readonly value: string;
  readonly problem: Problem | null;
  readonly onChange: (value: string) => void;
}

/** Shows a field of the kind, with a control that suits its values. */
export function KindField({ on, field, value, problem, onChange }: KindProps) {
  const t = useT();
  const { name, kind } = field;
  const label = t(`breakpoints.field.${name}` as MessageKey);
  const names = useMemo(
    () => (kind.type === 'glob' || kind.type === 'step' ? namesFor(on, name, trace.state, newestFirst()) : []),
    [on, name, kind.type],
  );
  if (kind.type === 'glob' || kind.type === 'step')
    return <NameField label={label} names={names} value={value} problem={problem} onChange={onChange} />;
  const options = kind.type === 'flag' ? ['true', 'false'] : kind.of;
  const words = (option: string) => {
    if (kind.type === 'flag') return t(option === 'true' ? 'breakpoints.yes' : 'breakpoints.no');
    const key = wordsKey(option);
    return key ? t(key) : option;
  };
  return (
    <Field label={label}>
      {(id) => (
        <>
          <select
            id={id}
            className="sl-input u-min-width-0 u-width-full"
            value={value}
            onChange={(e) => onChange(e.currentTarget.value)}
          >
            {defaultOf(on, name) === '' && <option value="">{t('breakpoints.any')}</option>}
            {options.map((option) => (
              <option key={option} value={option}>
                {words(option)}
              </option>
            ))}
          </select>
        </>
      )}
    </Field>
  );
}

/** A name or a glob, with the names that are known. */
export function NameField(props: {
  readonly label: string;
  readonly names: readonly string[];
  readonly value: string;
  readonly problem: Problem | null;
  readonly onChange: (value: string) => void;
}) {
  const t = useT();
  const { label, names, value, problem, onChange } = props;
  return (
    <Field label={label}>
      {(id) => (
        <>
          <input
            id={id}
            className="sl-input u-min-width-0 u-width-full"
            list={names.length > 0 ? `${id}-names` : undefined}
            placeholder={t('breakpoints.any')}
            autoComplete="off"
            spellCheck={false}
            aria-invalid={problem !== null}
            aria-describedby={problem ? `${id}-bad` : undefined}
            value={value}
            onChange={(e) => onChange(e.currentTarget.value)}
          />
          <datalist id={`${id}-names`}>
            {names.map((n) => (
              <option key={n} value={n} />
            ))}
          </datalist>
          {problem && (
            <p id={`${id}-bad`} className="sl-wrong u-break u-fs-1 u-failure" role="alert">
              {t('breakpoints.wrong', { reason: problem.reason })}
            </p>
          )}
        </>
      )}
    </Field>
  );
}
