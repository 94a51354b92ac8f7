import type { Checked, Exercise as ExerciseOf, StepProgress } from '@syncloop/core/lessons';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { Paragraphs } from './lesson-text.js';
import { useLessons } from './lessons-store.js';

interface Props {
  readonly exercise: ExerciseOf;
  readonly own: StepProgress;
  readonly moving: boolean;
}

/** Something to do with the whole page; each condition is ticked as soon as it holds. */
export function Exercise({ exercise, own, moving }: Props) {
  const t = useT();
  const live = useLessons((s) => s.checked);
  const hinted = useLessons((s) => s.hinted);
  const values = own.entered?.values;
  // A solution that is being shown is not one yet.
  const solved = own.ended ? own.solved : undefined;
  const checked: readonly (Checked | undefined)[] = live ?? own.checked ?? [];
  return (
    <div data-testid="exercise" data-solved={solved}>
      <Paragraphs text={exercise.text} values={values} />
      <p className="sl-small sl-lesson-free">{t('lessons.free')}</p>
      <p className="sl-lesson-conditions" id="sl-lesson-conditions">
        {t('lessons.conditions')}
      </p>
      <ul className="sl-lesson-checks" aria-labelledby="sl-lesson-conditions">
        {exercise.done.map((check, i) => (
          <Condition
            // biome-ignore lint/suspicious/noArrayIndexKey: the conditions of an exercise stand in one order
            key={i}
            text={check.text}
            problem={solved && !live ? null : (checked[i]?.problem ?? (checked[i] ? null : ''))}
          />
        ))}
      </ul>
      {solved ? (
        <p className="sl-lesson-verdict" data-testid="solved">
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
          <div className="sl-lesson-hint">
            <Paragraphs text={exercise.hint} values={values} />
          </div>
        )}
      </div>
    </div>
  );
}

/** `problem`: null where it holds, '' where nobody looked yet. */
function Condition({ text, problem }: { readonly text: string; readonly problem: string | null }) {
  const t = useT();
  const holds = problem === null;
  const value = /^it is (.*)$/s.exec(problem ?? '')?.[1];
  return (
    <li data-holds={holds}>
      <span className="sl-lesson-mark" aria-hidden="true">
        {holds ? '✓' : '○'}
      </span>
      <span>
        <code>{text}</code>
        <span className="sl-small sl-lesson-check-state">
          {t(holds ? 'lessons.holds' : 'lessons.holdsNot')}
          {problem && value !== 'false' && (
            <>
              {': '}
              {value === undefined ? <span lang="en">{problem}</span> : t('lessons.now', { value })}
            </>
          )}
        </span>
      </span>
    </li>
  );
}
