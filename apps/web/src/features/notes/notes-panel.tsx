import './notes.css';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { CommandButton } from '../../ui/command-button.js';
import { seconds } from '../../units/text.js';
import { whereIs } from './notes.js';
import type { Note, NotePlace } from './notes-model.js';
import { useNotes } from './notes-store.js';

/** Shows the run's notes in their order: when, where, what; to go to, change and delete. */
export function NotesPanel({ filter }: { readonly filter: string }) {
  const t = useT();
  const notes = useNotes((s) => s.notes);
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = notes.filter(({ text }) => words.every((w) => text.toLowerCase().includes(w)));
  return (
    <div className="sl-notes u-height-full u-scroll" data-testid="notes">
      <div className="sl-group sl-pad">
        <CommandButton id="notes.add" testId="note-add">
          {t('notes.add')}
        </CommandButton>
        <CommandButton id="notes.previous" className="sl-quiet">
          {t('notes.previous')}
        </CommandButton>
        <CommandButton id="notes.next" className="sl-quiet">
          {t('notes.next')}
        </CommandButton>
        {notes.length > 0 && (
          <CommandButton id="notes.save" className="sl-quiet">
            {t('notes.save')}
          </CommandButton>
        )}
      </div>
      {notes.length === 0 && <p className="sl-empty">{t('notes.none')}</p>}
      {notes.length > 0 && shown.length === 0 && <p className="sl-empty">{t('notes.noneFound')}</p>}
      <ul aria-label={t('panel.notes')}>
        {shown.map((note) => (
          <Row key={note.id} note={note} />
        ))}
      </ul>
    </div>
  );
}

/** The note's place in the run as it is now. */
function usePlace(note: Note): NotePlace {
  useSession((s) => s.run.branch);
  return useTrace(() => whereIs(note));
}

function Row({ note }: { readonly note: Note }) {
  const t = useT();
  const { id, seq, time, step, text } = note;
  const place = usePlace(note);
  const here = useSession((s) => s.run.seq === seq) && place === 'here';
  const at = `${t('time.s', { n: seconds(time) })} · ${step === undefined ? `#${seq}` : t('notes.step', { n: step })}`;
  return (
    <li className="sl-note u-grid u-center" data-here={here || undefined} data-place={place} data-testid={`note-${id}`}>
      <span className="sl-tabular u-nowrap u-fs-1 u-time">{at}</span>
      <span className="sl-note-text u-break">
        {text}
        {place !== 'here' && <span className="sl-small"> · {t(`notes.${place}`)}</span>}
      </span>
      <span className="sl-group sl-note-tools">
        <button
          type="button"
          className="sl-button"
          aria-label={t('notes.goOf', { text })}
          aria-current={here || undefined}
          disabled={place === 'elsewhere'}
          onClick={() => runCommand('notes.go', id)}
        >
          {t('notes.go')}
        </button>
        <button
          type="button"
          className="sl-button sl-quiet"
          aria-label={t('notes.editOf', { text })}
          onClick={() => runCommand('notes.edit', id)}
        >
          {t('notes.edit')}
        </button>
        <button
          type="button"
          className="sl-button sl-quiet sl-danger"
          aria-label={t('notes.removeOf', { text })}
          onClick={() => runCommand('notes.remove', id)}
        >
          {t('notes.remove')}
        </button>
      </span>
    </li>
  );
}
