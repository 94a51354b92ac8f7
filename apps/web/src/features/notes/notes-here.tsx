import { useT } from '../../i18n/index.js';
import { useHere } from '../../run/here.js';
import { whereIs } from './notes.js';
import { passed } from './notes-model.js';
import { useNotes } from './notes-store.js';

/**
 * Shows in the narrator's line the notes at the records of the last step. While it runs there is no time to read them.
 */
export function NotesHere() {
  const t = useT();
  const notes = useNotes((s) => s.notes);
  const { from: before, seq: now, still } = useHere();
  if (!still || notes.length === 0) return null;
  const here = passed(notes, before, now).filter((n) => whereIs(n) === 'here');
  if (here.length === 0) return null;
  return (
    <span className="sl-notes-here u-break u-desired" role="note" aria-label={t('notes.here')} data-testid="notes-here">
      <span aria-hidden="true">✎</span> {here.map(({ text }) => text).join(' · ')}
    </span>
  );
}
