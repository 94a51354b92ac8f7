import { useEffect, useRef, useState } from 'react';
import { focusOn } from '../../commands/focus.js';
import { isAvailable, runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { CommandButton } from '../../ui/command-button.js';
import { duration } from '../../units/text.js';
import { readList } from './recordings-shelf.js';
import './recordings.css';
import { bytesText } from '../../units/sizes.js';
import { useRecordings } from './recordings-store.js';
import type { KeptRecording } from './shelf.js';

/** Shows recordings: opens files, and lists those that are kept in this browser. */
export function RecordingsPanel() {
  const t = useT();
  const list = useRecordings((s) => s.list);
  const state = useRecordings((s) => s.state);
  const why = useRecordings((s) => s.why);
  const opened = useRecordings((s) => s.opened);
  useEffect(() => {
    void readList();
  }, []);
  // Both hooks above decide whether something can be kept.
  const keepable = useSession(() => isAvailable('recording.keep'));
  return (
    <div className="sl-scroll sl-recordings u-grow u-min-height-0 u-scroll" data-testid="recordings">
      <div className="u-flex u-wrap u-gap-8">
        <CommandButton id="files.choose" testId="recording-open" />
        <button
          type="button"
          className="sl-button"
          disabled={!(opened ? opened.id === null : keepable)}
          data-testid="recording-keep"
          onClick={() => runCommand('recording.keep')}
        >
          {t(opened ? 'recordings.keepOpened' : 'recordings.keepRun')}
        </button>
        <CommandButton id="recording.save" label={t('command.saveRecording')} testId="recording-save">
          {t('recordings.saveFile')}
        </CommandButton>
      </div>
      <p className="sl-small sl-only-keys u-above-8">{t('recordings.dropHint')}</p>
      {opened?.id === null && (
        <p className="sl-recordings-now u-break" data-testid="recording-now">
          {t('recordings.nowOpen', { name: opened.name })}
        </p>
      )}
      {state === 'failed' && (
        <p className="sl-error u-break u-failure" role="alert" data-testid="recordings-failed">
          {why}
        </p>
      )}
      {state === 'read' && list.length === 0 && <p className="sl-recordings-none u-dim">{t('recordings.none')}</p>}
      {list.length > 0 && (
        <ul className="sl-recordings-list u-border-top" aria-label={t('recordings.list')}>
          {list.map((kept) => (
            <Row key={kept.id} kept={kept} current={kept.id === opened?.id} />
          ))}
        </ul>
      )}
      <Room />
    </div>
  );
}

function Row({ kept, current }: { readonly kept: KeptRecording; readonly current: boolean }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const [renaming, setRenaming] = useState(false);
  const title = useRef<HTMLButtonElement>(null);
  const { id, name } = kept;
  const done = (to: string | null) => {
    focusOn(
      () => title.current,
      () => setRenaming(false),
    );
    if (to !== null) runCommand('recording.rename', { id, name: to });
  };
  const on = new Date(kept.kept).toLocaleString(lang, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <li
      className="sl-recording u-grid u-gap-2 u-border-bottom"
      data-current={current || undefined}
      data-testid="recording"
    >
      {renaming ? (
        <NameField name={name} onDone={done} />
      ) : (
        <h2 className="u-break u-fs-2 u-weight-600">
          {name}
          {current && <span className="sl-recording-open u-nowrap u-fs-1 u-weight-400">● {t('recordings.open')}</span>}
        </h2>
      )}
      <p className="sl-small sl-tabular">
        {t('recordings.facts', {
          records: kept.records.toLocaleString(lang),
          time: duration(kept.micros),
          size: bytesText(kept.size, lang),
        })}
      </p>
      <p className="sl-small">
        {t(`recordings.from.${kept.from}`, { scenario: kept.scenario || kept.title, seed: kept.seed, node: kept.node })}
        {' · '}
        <time dateTime={new Date(kept.kept).toISOString()}>{on}</time>
      </p>
      <div className="sl-group">
        <button
          type="button"
          className="sl-button"
          aria-label={t('recordings.openOf', { name })}
          data-testid="recording-open-kept"
          onClick={() => runCommand('recording.openKept', id)}
        >
          {t('recordings.openIt')}
        </button>
        <button
          ref={title}
          type="button"
          className="sl-button sl-quiet"
          aria-label={t('recordings.renameOf', { name })}
          onClick={() => setRenaming(true)}
        >
          {t('recordings.rename')}
        </button>
        <button
          type="button"
          className="sl-button sl-quiet"
          aria-label={t('recordings.downloadOf', { name })}
          onClick={() => runCommand('recording.download', id)}
        >
          {t('recordings.download')}
        </button>
        <button
          type="button"
          className="sl-button sl-quiet sl-danger"
          aria-label={t('recordings.removeOf', { name })}
          data-testid="recording-remove"
          onClick={(e) => {
            const row = e.currentTarget.closest('li');
            const next = row?.nextElementSibling ?? row?.previousElementSibling ?? row?.closest('.sl-recordings');
            runCommand('recording.remove', id);
            // The button goes with its row; the keyboard stays in the list.
            next?.querySelector('button')?.focus();
          }}
        >
          {t('recordings.remove')}
        </button>
      </div>
    </li>
  );
}

/** Enter and leaving it rename, Escape does not. */
function NameField({ name, onDone }: { readonly name: string; readonly onDone: (to: string | null) => void }) {
  const t = useT();
  const field = useRef<HTMLInputElement>(null);
  const over = useRef(false);
  const end = (to: string | null) => {
    if (over.current) return;
    over.current = true;
    onDone(to);
  };
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  return (
    <input
      ref={field}
      className="sl-input u-width-full"
      aria-label={t('recordings.renameOf', { name })}
      defaultValue={name}
      maxLength={120}
      data-testid="recording-name"
      onBlur={(e) => end(e.currentTarget.value)}
      onKeyDown={(e) => {
        if (e.key !== 'Enter' && e.key !== 'Escape') return;
        e.preventDefault();
        e.stopPropagation();
        end(e.key === 'Enter' ? e.currentTarget.value : null);
      }}
    />
  );
}

/** Shows the size of all recordings, the room for them, and whether they stay. */
function Room() {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const list = useRecordings((s) => s.list);
  const room = useRecordings((s) => s.room);
  const persisted = useRecordings((s) => s.persisted);
  if (list.length === 0) return null;
  const total = list.reduce((sum, kept) => sum + kept.size, 0);
  return (
    <div className="sl-recordings-room sl-small u-grid u-gap-6">
      <p>
        {t('recordings.total', { n: list.length, size: bytesText(total, lang) })}
        {room && ` ${t('recordings.room', { free: bytesText(Math.max(0, room.most - room.used), lang) })}`}
      </p>
      {persisted !== null && <p>{t(persisted ? 'recordings.stays' : 'recordings.mayGo')}</p>}
      {persisted === false && (
        <button type="button" className="sl-button" onClick={() => runCommand('recording.persist')}>
          {t('recordings.persist')}
        </button>
      )}
    </div>
  );
}
