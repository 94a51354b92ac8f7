import type { LessonStep, Select } from '@syncloop/core/lessons';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';

/** Opens a step's subject once more, or if the page has no room for it by itself. */
export function LookAt({ show }: { readonly show: LessonStep['show'] }) {
  const t = useT();
  const nameOf = (select: Select): string => {
    if ('part' in select) return t(`part.${select.part}`);
    if ('record' in select) return t('kind.record');
    if ('container' in select) return select.container;
    if ('channel' in select) return select.channel;
    if ('goroutine' in select) return select.goroutine;
    return 'pod' in select ? select.pod : select.sandbox;
  };
  if (!show.select && show.source === undefined && !show.panel) return null;
  const inside =
    show.source !== undefined
      ? t('lessons.lookSource', { name: show.source })
      : show.select
        ? `${nameOf(show.select)}${show.tab && show.tab !== 'what' ? ` · ${t(`inspector.${show.tab}`)}` : ''}`
        : null;
  return (
    <p className="sl-lesson-look u-row u-wrap u-gap-6">
      <span className="sl-small">{t('lessons.look')}</span>
      {inside !== null && (
        <button
          type="button"
          className="sl-button u-ellipsis u-fs-2"
          onClick={() => runCommand('lesson.look', 'inspector')}
        >
          {inside}
        </button>
      )}
      {show.panel && (
        <button
          type="button"
          className="sl-button u-ellipsis u-fs-2"
          onClick={() => runCommand('lesson.look', 'panel')}
        >
          {t(`panel.${show.panel}`)}
        </button>
      )}
    </p>
  );
}
