import type { CheckedCriterion, Exercise as ExerciseOf, StepProgress } from '@syncloop/core/lessons';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { CriterionItem } from './criterion.js';
import { Paragraphs } from './lesson-text.js';
import { useLessons } from './lessons-store.js';

interface Props {
  readonly exercise: ExerciseOf;
  readonly own: StepProgress;
  readonly moving: boolean;
}

/** Something to do with the whole page; each criterion is ticked as soon as it is met. */
export function Exercise({ exercise, own, moving }: Props) {
  const t = useT();
  const live = useLessons((s) => s.checked);
  const hinted = useLessons((s) => s.hinted);
  const values = own.entered?.values;
  // A solution that is being shown is not one yet.
  const solved = own.ended ? own.solved : undefined;
  const checked: readonly CheckedCriterion[] = (solved ? own.checked : live) ?? own.checked ?? [];
  const met = checked.filter((c) => c.problem === null).length;
  return (
    <div data-testid="exercise" data-solved={solved}>
      <Paragraphs text={exercise.text} values={values} />
      <p className="sl-small sl-lesson-free">{t('lessons.free')}</p>
      <p className="sl-lesson-conditions" id="sl-lesson-conditions">
        {t('lessons.conditions')}{' '}
        <span className="sl-small" data-testid="met">
          {t('lessons.met', { n: met, m: exercise.done.length })}
        </span>
      </p>
      <ul className="sl-lesson-checks" aria-labelledby="sl-lesson-conditions">
        {exercise.done.map((criterion, i) => (
          <CriterionItem
            // biome-ignore lint/suspicious/noArrayIndexKey: the criteria of an exercise are in one order
            key={i}
            criterion={criterion}
            checked={checked[i]}
            values={values}
          />
        ))}
      </ul>
      {exercise.done.some((c) => c.sentence) && (
        <details className="sl-lesson-expressions u-fs-2 u-dim" data-testid="expressions">
          <summary className="u-target u-pointer">{t('lessons.expressions')}</summary>
          <ul>
            {exercise.done.map((criterion, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              <li key={i}>
                <code>{criterion.text}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
      {solved ? (
        <p className="sl-lesson-verdict u-pad-8 u-sunken" data-testid="solved">
          <strong>
            <span aria-hidden="true">✓ </span>
            {t(solved === 'learner' ? 'lessons.solved' : 'lessons.shown')}
          </strong>
        </p>
      ) : (
        <div className="sl-group">
          <button
            type="button"
            className="sl-button"
            disabled={moving}
            aria-expanded={hinted}
            aria-controls="sl-lesson-hint"
            data-testid="hint-button"
            onClick={() => runCommand('lesson.hint')}
          >
            {t('lessons.hint')}
          </button>
          <button
            type="button"
            className="sl-button sl-quiet"
            disabled={moving}
            data-testid="solve"
            onClick={() => runCommand('lesson.solve')}
          >
            {t('lessons.solve')}
          </button>
        </div>
      )}
      <div id="sl-lesson-hint" role="status">
        {hinted && !solved && (
          <div className="sl-lesson-hint u-pad-8 u-above-8 u-sunken">
            <Paragraphs text={exercise.hint} values={values} />
          </div>
        )}
      </div>
    </div>
  );
}
