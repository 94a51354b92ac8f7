import { type ArticleName, type Lesson, type LessonState, stoppedAt } from '@syncloop/core/lessons';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { Inline } from './lesson-text.js';

interface Props {
  readonly names: readonly ArticleName[];
  /** The names at which the run was stopped. */
  readonly stopped: readonly string[];
  readonly moving: boolean;
}

/**
 * Shows the names that an article has at this point: the run can be stopped at each, and each says what became of it.
 */
export function Names({ names, stopped, moving }: Props) {
  const t = useT();
  if (names.length === 0) return null;
  const there = names.filter((n) => n.at !== null);
  return (
    <section className="sl-lesson-names" aria-labelledby="sl-lesson-names" data-testid="names">
      <h4 className="u-fs-3 u-weight-600" id="sl-lesson-names">
        {t('lessons.names')}{' '}
        <span className="sl-small sl-tabular" data-testid="names-met">
          {t('lessons.namesMet', { n: there.filter((n) => stopped.includes(n.name)).length, m: there.length })}
        </span>
      </h4>
      <ul>
        {names.map((n) => (
          <Name key={n.name} name={n} met={stopped.includes(n.name)} moving={moving} />
        ))}
      </ul>
    </section>
  );
}

function Name({ name, met, moving }: { readonly name: ArticleName; readonly met: boolean; readonly moving: boolean }) {
  const t = useT();
  const none = name.at === null;
  return (
    <li data-met={met} data-testid={`name-${name.name}`}>
      <div className="sl-lesson-name u-row u-wrap">
        <span className="sl-lesson-mark u-flex-none" aria-hidden="true">
          {none ? '–' : met ? '✓' : '○'}
        </span>
        <code className="u-grow u-weight-600">{name.name}</code>
        {none ? (
          <span className="sl-small">{t('lessons.notHere')}</span>
        ) : (
          <button
            type="button"
            className="sl-button"
            disabled={moving}
            aria-label={t(met ? 'lessons.stopAgainAt' : 'lessons.stopAt', { name: name.name })}
            onClick={() => runCommand('lesson.stopAt', name.name)}
          >
            {t('lessons.stopHere')}
          </button>
        )}
      </div>
      <p className="sl-lesson-text">
        {name.calledBy !== undefined && (
          <>
            {t('lessons.calledBy')} <code>{name.calledBy}</code>
            {t('lessons.calledByEnd')}
          </>
        )}
        <Inline text={name.now} values={undefined} />
      </p>
    </li>
  );
}

/** All names of a lesson, to find one's place by: each leads to its step. */
export function AllNames({ lesson, play }: { readonly lesson: Lesson; readonly play: LessonState }) {
  const t = useT();
  const { names, met } = stoppedAt(lesson, play);
  if (names === 0) return null;
  return (
    <details className="sl-lesson-steps u-fs-2 u-dim" data-testid="all-names">
      <summary className="u-target u-pointer">
        {t('lessons.namesAll')} <span className="sl-tabular">({t('lessons.namesMet', { n: met, m: names })})</span>
      </summary>
      <ul className="sl-lesson-all-names">
        {lesson.steps.flatMap((step, i) =>
          step.names.map((n) => (
            <li key={`${step.line} ${n.name}`}>
              <button
                type="button"
                className="sl-link u-target"
                disabled={play.phase === 'moving'}
                aria-current={i === play.step ? 'step' : undefined}
                aria-label={t('lessons.nameAt', { name: n.name, n: i + 1 })}
                onClick={() => runCommand('lesson.go', i)}
              >
                <code>{n.name}</code>
              </button>
              {play.progress[i]?.stopped?.includes(n.name) && <span aria-hidden="true"> ✓</span>}
            </li>
          )),
        )}
      </ul>
    </details>
  );
}
