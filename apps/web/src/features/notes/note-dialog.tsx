import './notes.css';
import { useId, useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { sentence } from '../../run/narration.js';
import { trace } from '../../run/trace-store.js';
import { Modal } from '../../ui/modal.js';
import { seconds } from '../../units/text.js';
import { noteById } from './notes.js';
import { MOST_TEXT } from './notes-model.js';
import { useNotes } from './notes-store.js';

/** Asks for the text of a note, new or changed. */
export function NoteDialog() {
  const t = useT();
  const id = useId();
  const lang = useUI((s) => s.lang);
  const form = useNotes((s) => s.form);
  const note = form && 'id' in form ? noteById(form.id) : undefined;
  const [text, setText] = useState(note?.text ?? '');
  const seq = form && 'at' in form ? form.at : (note?.seq ?? 0);
  const record = trace.records.get(seq);
  const label = t(note ? 'notes.change' : 'notes.addTitle');
  const close = () => {
    useUI.setState({ dialog: null });
    useNotes.setState({ form: null });
  };
  const save = () => {
    if (text.trim() === '') return;
    if (note) runCommand('notes.change', { id: note.id, text });
    else runCommand('notes.put', { at: seq, text });
    close();
  };
  return (
    <Modal label={label} className="sl-note-dialog">
      <h2>{label}</h2>
      <p className="sl-small">
        #{seq}
        {record && ` · ${t('time.s', { n: seconds(record.time) })} · ${sentence(record, lang).text}`}
      </p>
      <form
        className="u-grid u-gap-8 u-above-8"
        onSubmit={(e) => {
          e.preventDefault();
          save();
        }}
      >
        <label htmlFor={id} className="sl-visually-hidden">
          {t('notes.text')}
        </label>
        <textarea
          id={id}
          // biome-ignore lint/a11y/noAutofocus: the dialog was opened to write this
          autoFocus
          className="sl-input u-width-full"
          rows={3}
          maxLength={MOST_TEXT}
          placeholder={t('notes.placeholder')}
          value={text}
          data-testid="note-text"
          onChange={(e) => setText(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key !== 'Enter' || e.shiftKey || e.nativeEvent.isComposing) return;
            e.preventDefault();
            save();
          }}
        />
        <p className="sl-small">
          {t('notes.keys')} <span className="sl-tabular">{t('notes.left', { n: MOST_TEXT - text.length })}</span>
        </p>
        <div className="sl-group">
          <button type="submit" className="sl-button sl-primary" disabled={text.trim() === ''} data-testid="note-save">
            {t('notes.saveNote')}
          </button>
          <button type="button" className="sl-button" onClick={close}>
            {t('notes.cancel')}
          </button>
        </div>
      </form>
    </Modal>
  );
}
