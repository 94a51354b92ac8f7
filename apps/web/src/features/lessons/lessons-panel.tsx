import { useT } from '../../i18n/index.js';
import { LessonList } from './lesson-list.js';
import { LessonView } from './lesson-view.js';
import { inLesson, useLessons } from './lessons-store.js';
import { PresentedView } from './presented-view.js';
import './lessons.css';

/** Shows the open lesson, else the one that a presenter shows, else the list. */
export function LessonsPanel() {
  const t = useT();
  const open = useLessons(inLesson);
  const presented = useLessons((s) => s.presented !== null);
  const opening = useLessons((s) => s.opening !== null);
  if (opening)
    return (
      <p className="sl-empty" role="status">
        {t('lessons.opening')}
      </p>
    );
  if (open) return <LessonView />;
  return presented ? <PresentedView /> : <LessonList />;
}
