import { isAvailable, runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { Icon } from '../../ui/icons.js';
import { inLesson, useLessons } from './lessons-store.js';
import { useReview } from './review-store.js';
import './lesson-line.css';
import { inLang } from '../../i18n/in-lang.js';

/**
 * Shows under the graph the way back to a lesson whose panel is not in sight; else predictions to be asked again; for
 * newcomers, that there are lessons.
 */
export function LessonLine() {
  const t = useT();
  const open = useLessons(inLesson);
  const hidden = useUI((s) => s.left !== 'lessons');
  const lang = useUI((s) => s.lang);
  const lesson = useLessons((s) => s.lesson);
  const step = useLessons((s) => s.play?.step ?? 0);
  const first = useLessons((s) => s.list[0]);
  const invited = useLessons((s) => s.invited || Object.keys(s.kept).length > 0);
  const due = useReview((s) => s.due.length);
  const possible = useSession(() => isAvailable('lesson.open'));
  if (!hidden || !possible) return null;
  if (open && lesson)
    return (
      <button
        type="button"
        className="sl-link u-flex-none u-nowrap u-target"
        data-testid="lesson-chip"
        onClick={() => useUI.setState({ left: 'lessons' })}
      >
        {t('lessons.chip', { name: inLang({ ...lesson.title }, lang), n: step + 1, m: lesson.steps.length })}
      </button>
    );
  if (due > 0)
    return (
      <button
        type="button"
        className="sl-link u-flex-none u-nowrap u-target"
        data-testid="lesson-review"
        onClick={() => runCommand('lesson.review')}
      >
        {t(due === 1 ? 'lessons.dueOne' : 'lessons.due', { n: due })}
      </button>
    );
  if (invited || !first) return null;
  return (
    <span className="sl-hint sl-invite u-inline-flex u-center u-gap-4 u-flex-none u-nowrap" data-testid="lesson-invite">
      {t('lessons.new')}{' '}
      <button type="button" className="sl-link u-target" onClick={() => runCommand('tour.start')}>
        {t('lessons.tour')}
      </button>
      {' · '}
      <button
        type="button"
        className="sl-link u-target"
        onClick={() => runCommand('lesson.open', { name: first.name })}
      >
        {t('lessons.inviteBegin', { n: first.minutes })}
      </button>
      <button
        type="button"
        className="sl-button sl-quiet sl-icon-button u-target"
        aria-label={t('lessons.inviteEnd')}
        title={t('lessons.inviteEnd')}
        onClick={() => runCommand('lesson.uninvite')}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}
