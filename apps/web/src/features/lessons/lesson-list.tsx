import type { LibraryLesson } from '@syncloop/core/lessons';
import { useEffect } from 'react';
import { isAvailable, runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { useLocal } from './lesson-text.js';
import { loadLessons } from './lessons-start.js';
import { type KeptLesson, nextLesson, useLessons } from './lessons-store.js';
import { groupedLessons } from './logic/lesson-groups.js';
import { useReview } from './review-store.js';

/** The lessons by subject, with how far each was taken. */
export function LessonList() {
  const t = useT();
  const list = useLessons((s) => s.list);
  const kept = useLessons((s) => s.kept);
  const due = useReview((s) => s.due.length);
  const missed = useReview((s) => s.missed.length);
  const possible = useSession(() => isAvailable('lesson.open'));
  const ready = useSession((s) => s.phase === 'ready');
  const next = useLessons((s) => nextLesson(s)?.name);
  useEffect(() => {
    loadLessons().catch(() => {});
  }, []);
  if (list.length === 0)
    return (
      <p className="sl-empty" role="status">
        {t('lessons.loading')}
      </p>
    );
  return (
    <div className="sl-scroll sl-lessons u-grow u-min-height-0 u-scroll" data-testid="lessons">
      <p className="sl-small sl-lessons-intro">
        {ready && !possible ? t('lessons.needSimulation') : t('lessons.intro')}
      </p>
      {due > 0 && (
        <section className="sl-lesson-due u-pad-8 u-sunken u-above-6" data-testid="lessons-due">
          <p>{t(due === 1 ? 'lessons.dueHelpOne' : 'lessons.dueHelp', { n: due })}</p>
          <button
            type="button"
            className="sl-button sl-primary"
            disabled={!possible}
            onClick={() => runCommand('lesson.review')}
          >
            {t('lessons.review')}
          </button>
        </section>
      )}
      {groupedLessons(list).map(({ group, lessons }) => (
        <section key={group} aria-labelledby={`sl-lessons-${group}`}>
          <h2 id={`sl-lessons-${group}`} className="sl-lessons-group u-fs-1 u-weight-600 u-dim">
            {t(`lessons.group.${group}`)}
          </h2>
          <ul className="sl-lesson-cards">
            {lessons.map((l) => (
              <Card key={l.name} lesson={l} kept={kept[l.name]} next={l.name === next} possible={possible} />
            ))}
          </ul>
        </section>
      ))}
      {Object.keys(kept).length + missed > 0 && (
        <div className="sl-lessons-end u-border-top">
          <button type="button" className="sl-button sl-quiet" onClick={() => runCommand('lesson.forget')}>
            {t('lessons.forget')}
          </button>
        </div>
      )}
    </div>
  );
}

function Card({
  lesson: { name, title, summary, minutes },
  kept,
  next,
  possible,
}: {
  readonly lesson: LibraryLesson;
  readonly kept: KeptLesson | undefined;
  readonly next: boolean;
  readonly possible: boolean;
}) {
  const t = useT();
  const local = useLocal();
  const begun = kept !== undefined && !(kept.done && kept.step >= kept.steps - 1);
  const action = !kept ? 'begin' : begun ? 'goOn' : 'onceMore';
  const state = !kept ? 'new' : kept.done ? 'done' : 'begun';
  return (
    <li className="sl-lesson-card u-border-top" data-state={state} data-testid={`lesson-${name}`}>
      <h3 className="u-margin-0">{local(title)}</h3>
      <p>{local(summary)}</p>
      <div className="sl-lesson-card-foot u-row u-wrap">
        <button
          type="button"
          className={`sl-button ${next ? 'sl-primary' : ''}`}
          disabled={!possible}
          aria-label={t(`lessons.${action}Name`, { name: local(title) })}
          data-testid={`begin-${name}`}
          onClick={() => runCommand('lesson.open', { name })}
        >
          {t(`lessons.${action}`)}
        </button>
        <span className="sl-small sl-tabular">{t('lessons.minutes', { n: minutes })}</span>
        <span className="sl-small sl-lesson-state" data-testid={`state-${name}`}>
          <span aria-hidden="true">{state === 'done' ? '✓ ' : state === 'begun' ? '◐ ' : '○ '}</span>
          {state === 'new' && t('lessons.notBegun')}
          {state === 'done' && t('lessons.done')}
          {begun && state === 'done' && ' · '}
          {begun && kept && t('lessons.stepOf', { n: kept.step + 1, m: kept.steps })}
        </span>
      </div>
    </li>
  );
}
