import { useT } from '../../i18n/index.js';
import { LessonList } from './lesson-list.js';
import { LessonView } from './lesson-view.js';
import { inLesson, useLessons } from './lessons-store.js';
import './lessons.css';

/** Shows the list of lessons, or the open one. */
export function LessonsPanel() {
  const t = useT();
  const open = useLessons(inLesson);
  const opening = useLessons((s) => s.opening !== null);
  if (opening)
    return (
      <p className="sl-empty" role="status">
        {t('lessons.opening')}
      </p>
    );
  return open ? <LessonView /> : <LessonList />;
}
