import {
  type BreakpointKind,
  type BreakpointSpec,
  breakpointKinds,
  breakpointTitle,
} from '@syncloop/core/debug/breakpoints';
import { useMemo, useState } from 'react';
import { tryCommand } from '../../commands/index.js';
import { inLang } from '../../i18n/in-lang.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { trace } from '../../run/trace-store.js';
import { Check } from '../../ui/check/check.js';
import { Field } from '../../ui/field/field.js';
import { useBreakpoints } from './breakpoints-store.js';
import { ExpressionField } from './expression-field.js';
import { KindField, NameField } from './form-fields.js';
import {
  type Draft,
  draftOf,
  emptyDraft,
  fieldsOfKind,
  ofKind,
  type Problem,
  problemIn,
  specOf,
} from './logic/breakpoint-draft.js';
import { podNames } from './logic/breakpoint-names.js';
import { freeId } from './logic/breakpoints.js';

const close = () => useBreakpoints.setState({ editing: null });

/** A form for a breakpoint of any kind; `spec`: the one that is changed. */
export function BreakpointForm({ spec }: { readonly spec: BreakpointSpec | null }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const [draft, setDraft] = useState<Draft>(() =>
    spec ? draftOf(spec) : emptyDraft(freeId(useBreakpoints.getState().specs)),
  );
  // Expressions are checked while they are typed; any other problem is reported on saving.
  const [refused, setRefused] = useState<Problem | null>(null);
  const change = (part: Partial<Draft>) => {
    setDraft((d) => ({ ...d, ...part }));
    setRefused(null);
  };
  const pods = useMemo(() => podNames(trace.state), []);
  const wrongIn = (field: string) => (refused?.field === field ? refused : null);
  const save = async () => {
    const made = specOf(draft);
    if ('problem' in made) {
      setRefused(made.problem);
      return;
    }
    try {
      await tryCommand('breakpoint.put', made.spec);
      close();
    } catch (error) {
      setRefused({ field: '', reason: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <form
      className="sl-breakpoint-form u-grid u-pad-10"
      aria-label={t(spec ? 'breakpoints.titleEdit' : 'breakpoints.titleNew')}
      data-testid="breakpoint-form"
      onSubmit={(e) => {
        e.preventDefault();
        void save();
      }}
      onKeyDown={(e) => {
        if (e.key !== 'Escape') return;
        e.preventDefault();
        e.stopPropagation();
        close();
      }}
    >
      <Field label={t('breakpoints.what')}>
        {(id) => (
          <select
            id={id}
            // biome-ignore lint/a11y/noAutofocus: it was asked for with a button that is gone now
            autoFocus
            className="sl-input"
            data-testid="breakpoint-kind"
            value={draft.on}
            onChange={(e) => {
              setDraft(ofKind(draft, e.currentTarget.value as BreakpointKind));
              setRefused(null);
            }}
          >
            {breakpointKinds.map((kind) => (
              <option key={kind} value={kind}>
                {inLang(breakpointTitle(kind), lang)}
              </option>
            ))}
          </select>
        )}
      </Field>
      {fieldsOfKind(draft.on).map((field) => (
        <KindField
          key={`${draft.on}.${field.name}`}
          on={draft.on}
          field={field}
          value={draft.fields[field.name] ?? ''}
          problem={wrongIn(field.name)}
          onChange={(value) => change({ fields: { ...draft.fields, [field.name]: value } })}
        />
      ))}
      <NameField
        label={t('breakpoints.pod')}
        names={pods}
        value={draft.pod}
        problem={wrongIn('pod')}
        onChange={(pod) => change({ pod })}
      />
      <ExpressionField
        label={t('breakpoints.if')}
        hint={t('breakpoints.ifHint')}
        value={draft.condition}
        problem={problemIn('condition', draft.condition) ?? wrongIn('condition')}
        completes
        testId="breakpoint-condition"
        onChange={(condition) => change({ condition })}
      />
      <Counts draft={draft} problem={wrongIn('n')} change={change} />
      {draft.writes && (
        <ExpressionField
          label={t('breakpoints.log')}
          hint={t('breakpoints.logHint')}
          value={draft.log}
          problem={problemIn('log', draft.log) ?? wrongIn('log')}
          testId="breakpoint-log"
          onChange={(log) => change({ log })}
        />
      )}
      {wrongIn('') && (
        <p className="sl-error sl-form-wide u-break u-failure" role="alert">
          {refused?.reason}
        </p>
      )}
      <div className="sl-group sl-form-wide sl-form-end u-border-top u-panel">
        <button type="submit" className="sl-button sl-primary" data-testid="breakpoint-save">
          {t('breakpoints.save')}
        </button>
        <button type="button" className="sl-button" onClick={close}>
          {t('breakpoints.cancel')}
        </button>
      </div>
    </form>
  );
}

/** Edits at which hits it acts, how often, and whether it stops at all. */
function Counts(props: {
  readonly draft: Draft;
  readonly problem: Problem | null;
  readonly change: (part: Partial<Draft>) => void;
}) {
  const t = useT();
  const { draft, problem, change } = props;
  return (
    <>
      <Field label={t('breakpoints.count')}>
        {(id) => (
          <span className="sl-group">
            <select
              id={id}
              className="sl-input u-min-width-0 u-width-full"
              value={draft.count}
              onChange={(e) => change({ count: e.currentTarget.value as Draft['count'] })}
            >
              {(['each', 'at', 'every'] as const).map((count) => (
                <option key={count} value={count}>
                  {t(`breakpoints.count.${count}`)}
                </option>
              ))}
            </select>
            {draft.count !== 'each' && (
              <input
                className="sl-input sl-number u-min-width-0"
                inputMode="numeric"
                aria-label={t('breakpoints.n')}
                aria-invalid={problem !== null}
                title={problem?.reason}
                value={draft.n}
                onChange={(e) => change({ n: e.currentTarget.value })}
              />
            )}
          </span>
        )}
      </Field>
      {problem && (
        <p className="sl-wrong sl-form-wide u-break u-fs-1 u-failure" role="alert">
          {t('breakpoints.wrong', { reason: problem.reason })}
        </p>
      )}
      <div className="sl-form-checks u-flex u-min-width-0 u-height-28">
        <Check checked={draft.once} onChange={(checked) => change({ once: checked })}>
          {t('breakpoints.once')}
        </Check>
        <Check checked={draft.writes} onChange={(checked) => change({ writes: checked })} testId="breakpoint-writes">
          {t('breakpoints.writes')}
        </Check>
      </div>
    </>
  );
}
