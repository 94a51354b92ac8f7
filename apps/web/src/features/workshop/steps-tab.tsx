import type { LineStep } from '@syncloop/workshop/interpreter';
import type { Stage } from '@syncloop/workshop/stages';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { codeOf } from './judging.js';
import { problemIn } from './problem-in.js';
import { Variables } from './variables.js';
import { type Recorded, useWorkshop } from './workshop-store.js';

interface Props {
  readonly stage: Stage;
  readonly recorded: Recorded;
  /** The lines with breakpoints. */
  readonly stops: () => ReadonlySet<number>;
}

/** A recorded call of the learner's code, forwards and backwards, with its variables. */
export function StepsTab({ stage, recorded, stops }: Props) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const at = useWorkshop((s) => s.step);
  const isChanged = useWorkshop(() => codeOf(stage) !== recorded.code);
  const { lines } = recorded.result;
  const end = lines.length - 1;
  const go = (step: number) => useWorkshop.setState({ step: Math.max(0, Math.min(end, step)) });
  const toStop = (by: 1 | -1) => {
    const wanted = stops();
    let to = at + by;
    while (to > 0 && to < end && !wanted.has((lines[to] as LineStep).line)) to += by;
    go(to);
  };
  const line = lines[at];
  const before = lines[at - 1];
  if (!line) return <p className="sl-empty">{t('workshop.noSteps')}</p>;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the buttons inside
    <div
      className="sl-workshop-steps u-grid u-gap-8"
      onKeyDown={(e) => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
        if (by === undefined || e.altKey || e.ctrlKey || e.metaKey) return;
        e.preventDefault();
        e.stopPropagation();
        if (e.shiftKey) toStop(by as 1 | -1);
        else go(at + by);
      }}
    >
      {isChanged && <p className="u-failure u-margin-0">{t('workshop.changed')}</p>}
      <fieldset className="u-row u-wrap u-gap-6 u-pad-0 u-border-0 u-margin-0" aria-label={t('workshop.stepping')}>
        <button
          type="button"
          className="sl-button"
          disabled={at === 0}
          onClick={() => toStop(-1)}
          title={t('workshop.toStopBack')}
        >
          <span aria-hidden="true">|◀</span>
          <span className="sl-visually-hidden">{t('workshop.toStopBack')}</span>
        </button>
        <button
          type="button"
          className="sl-button"
          disabled={at === 0}
          onClick={() => go(at - 1)}
          data-testid="workshop-back"
        >
          ◀ {t('workshop.stepBack')}
        </button>
        <button
          type="button"
          className="sl-button"
          disabled={at === end}
          onClick={() => go(at + 1)}
          data-testid="workshop-forward"
        >
          {t('workshop.stepForward')} ▶
        </button>
        <button
          type="button"
          className="sl-button"
          disabled={at === end}
          onClick={() => toStop(1)}
          title={t('workshop.toStop')}
        >
          <span aria-hidden="true">▶|</span>
          <span className="sl-visually-hidden">{t('workshop.toStop')}</span>
        </button>
        <input
          type="range"
          className="u-grow"
          min={0}
          max={end}
          value={at}
          aria-label={t('workshop.stepping')}
          aria-valuetext={t('workshop.stepOf', { n: at + 1, of: lines.length, line: line.line })}
          onChange={(e) => go(Number(e.currentTarget.value))}
        />
      </fieldset>
      <p className="u-margin-0" role="status" data-testid="workshop-step">
        {t('workshop.stepOf', { n: at + 1, of: lines.length, line: line.line })}
        {line.function && (
          <>
            {' '}
            <code>{line.function}</code>
          </>
        )}
      </p>
      <Variables line={line} before={before} />
      {at === end && (
        <p className="u-margin-0">
          {recorded.result.ok ? (
            <>
              {t('workshop.returned')} <code className="u-break">{JSON.stringify(recorded.result.value)}</code>
            </>
          ) : (
            <span className="u-failure">
              {t('workshop.problemAt', { line: recorded.result.problem.line })}{' '}
              {problemIn(lang, recorded.result.problem)}
            </span>
          )}
        </p>
      )}
    </div>
  );
}
