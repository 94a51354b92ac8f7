import { useEffect, useRef } from 'react';
import { isAvailable, runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { Check } from '../../ui/check/check.js';
import { Field } from '../../ui/field/field.js';
import { seconds } from '../../units/text.js';
import { ExpressionField } from '../breakpoints/expression-field.js';
import { useExplore } from './explore-store.js';
import { type Draft, EXAMPLES, INVARIANTS, LOOKS, STRATEGIES } from './logic/draft.js';
import { conditionProblem, MOST_SCHEDULES, MOST_SECONDS, problemOf } from './logic/request.js';

const put = (part: Partial<Draft>) => useExplore.setState(({ draft }) => ({ draft: { ...draft, ...part }, error: '' }));

/** Asks for the goal, the variation and the time of an exploration; while it runs, shows its progress. */
export function ExploreForm() {
  const t = useT();
  const draft = useExplore((s) => s.draft);
  const error = useExplore((s) => s.error);
  const running = useExplore((s) => s.running !== null);
  const toForm = useExplore((s) => s.toForm);
  const run = useSession((s) => s.run);
  const start = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (toForm > 0) start.current?.focus();
  }, [toForm]);
  const problem = problemOf(draft);
  return (
    <form
      className="sl-explore-form u-column u-gap-8 u-scroll u-pad-10 u-border-right"
      aria-label={t('explore.form')}
      data-testid="explore-form"
      onSubmit={(e) => {
        e.preventDefault();
        if (running) runCommand('explore.stop');
        else if (!problem) runCommand('explore.start');
      }}
    >
      <p className="sl-small">{t('explore.intro')}</p>
      <fieldset className="u-column u-gap-8 u-min-width-0 u-pad-0 u-border-0 u-margin-0" disabled={running}>
        <Field label={t('explore.look')}>
          {(id) => (
            <select
              id={id}
              className="sl-input"
              data-testid="explore-look"
              value={draft.look}
              onChange={(e) => put({ look: e.currentTarget.value as Draft['look'] })}
            >
              {LOOKS.map((look) => (
                <option key={look} value={look}>
                  {t(`explore.look.${look}`)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <LookedFor draft={draft} />
        <fieldset className="sl-explore-checks u-column u-gap-8 u-min-width-0 u-pad-0 u-border-0 u-margin-0">
          <legend>{t('explore.vary')}</legend>
          {(['select', 'goroutine'] as const).map((kind) => (
            <Check
              key={kind}
              testId={`explore-vary-${kind}`}
              checked={draft[kind]}
              onChange={(checked) => put({ [kind]: checked })}
            >
              {t(`explore.vary.${kind}`)}
            </Check>
          ))}
          {problem?.field === 'vary' && (
            <p className="sl-small sl-bad" role="status">
              {t('explore.vary.none')}
            </p>
          )}
        </fieldset>
        <div className="sl-explore-row u-grid u-gap-8">
          <Field label={t('explore.strategy')}>
            {(id) => (
              <select
                id={id}
                className="sl-input"
                data-testid="explore-strategy"
                value={draft.strategy}
                onChange={(e) => put({ strategy: e.currentTarget.value as Draft['strategy'] })}
              >
                {STRATEGIES.map((name) => (
                  <option key={name} value={name}>
                    {t(`explore.strategy.${name}`)}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Limit field="schedules" most={MOST_SCHEDULES} bad={problem?.field === 'schedules'} />
          <Limit field="seconds" most={MOST_SECONDS} bad={problem?.field === 'seconds'} />
        </div>
        <Check testId="explore-first" checked={draft.stopAtFirst} onChange={(stopAtFirst) => put({ stopAtFirst })}>
          {t('explore.stopAtFirst')}
        </Check>
      </fieldset>
      <div className="sl-group sl-explore-go u-panel">
        <button
          ref={start}
          type="submit"
          className="sl-button sl-primary"
          aria-disabled={!running && problem !== null}
          data-testid="explore-go"
        >
          {t(running ? 'explore.stop' : 'explore.start')}
        </button>
        {!running && isAvailable('faults.open') && (
          <button type="button" className="sl-button sl-quiet" onClick={() => runCommand('faults.open')}>
            {t('explore.fault')}
          </button>
        )}
      </div>
      {running ? (
        <Running />
      ) : (
        <p className="sl-small" data-testid="explore-from">
          {t('explore.from', { t: seconds(run.time), step: run.steps })}
        </p>
      )}
      {error !== '' && (
        <p className="sl-error u-break u-failure" role="alert" data-testid="explore-error">
          {error}
        </p>
      )}
    </form>
  );
}

/** Chooses the invariant or the condition, and explains what is reported in addition. */
function LookedFor({ draft }: { readonly draft: Draft }) {
  const t = useT();
  const { look } = draft;
  if (look === 'anything') return <p className="sl-small">{t('explore.look.anything.help')}</p>;
  if (look === 'invariant')
    return (
      <>
        <Field label={t('explore.rule')}>
          {(id) => (
            <select
              id={id}
              className="sl-input"
              data-testid="explore-invariant"
              value={draft.invariant}
              onChange={(e) => put({ invariant: e.currentTarget.value as Draft['invariant'] })}
            >
              {INVARIANTS.map((name) => (
                <option key={name} value={name}>
                  {t(`explore.invariant.${name}`)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <p className="sl-small">{t('explore.look.also')}</p>
      </>
    );
  const problem = conditionProblem(draft);
  const examples = Object.entries(EXAMPLES[look]);
  return (
    <>
      <Field label={t('explore.examples')}>
        {(id) => (
          <select
            id={id}
            className="sl-input"
            data-testid="explore-example"
            value={examples.find(([, source]) => source === draft[look])?.[0] ?? ''}
            onChange={(e) => {
              const source = examples.find(([name]) => name === e.currentTarget.value)?.[1];
              if (source !== undefined) put({ [look]: source });
            }}
          >
            <option value="">{t('explore.choose')}</option>
            {examples.map(([name]) => (
              <option key={name} value={name}>
                {t(`explore.example.${name as 'restart' | 'running'}`)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <ExpressionField
        label={t('explore.condition')}
        hint=""
        value={draft[look]}
        problem={problem}
        completes
        testId="explore-condition"
        onChange={(source) => put({ [look]: source })}
      />
      <p className="sl-small">{t('explore.look.also')}</p>
    </>
  );
}

function Running() {
  const t = useT();
  const exploring = useSession((s) => s.run.exploring);
  if (!exploring) return <p className="sl-small">{t('explore.preparing')}</p>;
  const { schedules, of, findings } = exploring;
  const said = t('explore.progress', { n: schedules, m: of, found: findings });
  return (
    <div className="sl-explore-progress" data-testid="explore-progress">
      <progress className="u-width-full" aria-label={t('progress.explore')} max={of} value={schedules} />
      <p className="sl-small">{said}</p>
    </div>
  );
}

function Limit({
  field,
  most,
  bad,
}: {
  readonly field: 'schedules' | 'seconds';
  readonly most: number;
  readonly bad: boolean;
}) {
  const t = useT();
  const value = useExplore((s) => s.draft[field]);
  return (
    <Field label={t(`explore.${field}`)}>
      {(id) => (
        <>
          <input
            id={id}
            className="sl-input sl-number"
            inputMode="numeric"
            aria-invalid={bad}
            aria-describedby={bad ? `${id}-bad` : undefined}
            data-testid={`explore-${field}`}
            value={value}
            onChange={(e) => put({ [field]: e.currentTarget.value })}
          />
          {bad && (
            <span id={`${id}-bad`} className="sl-small sl-bad" role="status">
              {t('explore.schedules.bad', { most })}
            </span>
          )}
        </>
      )}
    </Field>
  );
}
