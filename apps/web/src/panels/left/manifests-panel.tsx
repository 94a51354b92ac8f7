import { useEffect, useState } from 'react';
import { runCommand, tryCommand } from '../../app-logic/commands/index.js';
import { session } from '../../app-logic/session.js';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../store/session-store.js';
import { notify } from '../../store/ui-store.js';
import { FILE_NAME, newManifest } from '../../view-logic/manifests.js';

interface Draft {
  readonly file: string;
  readonly text: string;
  /** Not in the folder yet: its name can be changed. */
  readonly fresh: boolean;
}

/** The manifest folder: what the file source reads. Errors show where the text is. */
export function ManifestsPanel() {
  const t = useT();
  const manifests = useSession((s) => s.manifests);
  const allowed = useSession((s) => s.info?.capabilities.apply ?? false);
  const epoch = useSession((s) => s.info?.id);
  const [file, setFile] = useState<string | null>(null);
  const [draft, setDraft] = useState<Draft | null>(null);
  const [error, setError] = useState('');

  // biome-ignore lint/correctness/useExhaustiveDependencies: another session has another folder
  useEffect(() => {
    setFile(null);
    setDraft(null);
    setError('');
    void session.refreshManifests().catch(() => {});
  }, [epoch]);

  if (!allowed) return <p className="sl-empty">{t('manifests.readOnly')}</p>;

  const current = draft ? null : (manifests.find((m) => m.file === file) ?? manifests[0] ?? null);
  const open = (name: string) => {
    setFile(name);
    setDraft(null);
    setError('');
  };
  const shown: Draft | null = draft ?? (current && { ...current, fresh: false });
  const gone = draft !== null && !draft.fresh && !manifests.some((m) => m.file === draft.file);
  const saved = shown ? manifests.find((m) => m.file === shown.file) : undefined;
  const changed = shown !== null && (shown.fresh || saved?.text !== shown.text);

  const apply = async () => {
    if (!shown) return;
    if (!FILE_NAME.test(shown.file)) {
      setError(t('manifests.badName'));
      return;
    }
    try {
      await tryCommand('manifest.apply', { file: shown.file, text: shown.text });
      open(shown.file);
      notify(t('manifests.applied', { file: shown.file }));
    } catch (e) {
      setError(e instanceof Error ? e.message : String(e));
    }
  };
  const edit = (text: string) => {
    if (!shown) return;
    setDraft({ ...shown, text });
    setError('');
  };

  return (
    <div className="sl-manifests">
      <ul className="sl-files" data-testid="files">
        {manifests.map((m) => (
          <li key={m.file} data-current={m.file === shown?.file || undefined}>
            <button
              type="button"
              className="sl-button sl-quiet sl-file"
              aria-pressed={m.file === shown?.file}
              onClick={() => open(m.file)}
            >
              {m.file}
            </button>
            <button
              type="button"
              className="sl-button sl-quiet sl-danger"
              aria-label={t('manifests.deleteFile', { file: m.file })}
              onClick={() => {
                runCommand('manifest.delete', m.file);
                if (shown?.file === m.file) setDraft(null);
              }}
            >
              {t('manifests.delete')}
            </button>
          </li>
        ))}
        {manifests.length === 0 && <li className="sl-empty">{t('manifests.none')}</li>}
      </ul>
      <div className="sl-pad">
        <button
          type="button"
          className="sl-button"
          data-testid="add-manifest"
          onClick={() => {
            setDraft({ ...newManifest(manifests.map((m) => m.file)), fresh: true });
            setError('');
          }}
        >
          + {t('manifests.add')}
        </button>
      </div>
      {shown && (
        <form
          className="sl-editor"
          onSubmit={(e) => {
            e.preventDefault();
            void apply();
          }}
        >
          <div className="sl-row">
            {shown.fresh ? (
              <label className="sl-field">
                {t('manifests.file')}
                <input
                  className="sl-input sl-code"
                  value={shown.file}
                  onChange={(e) => setDraft({ ...shown, file: e.currentTarget.value })}
                />
              </label>
            ) : (
              <span className="sl-code sl-strong">{shown.file}</span>
            )}
            {gone && <span className="sl-small">{t('manifests.gone')}</span>}
            {changed && !gone && <span className="sl-small sl-message-text">{t('manifests.unsaved')}</span>}
          </div>
          <Editor
            label={t('manifests.text')}
            text={shown.text}
            onChange={edit}
            bad={error !== ''}
            onApply={() => void apply()}
          />
          {error !== '' && (
            <p className="sl-error" role="alert" data-testid="manifest-error">
              {error}
            </p>
          )}
          <div className="sl-group">
            <button type="submit" className="sl-button sl-primary" disabled={!changed} data-testid="apply">
              {t('manifests.apply')}
            </button>
            {changed && (
              <button
                type="button"
                className="sl-button"
                onClick={() => (shown.fresh ? setDraft(null) : open(shown.file))}
              >
                {t('manifests.revert')}
              </button>
            )}
          </div>
        </form>
      )}
    </div>
  );
}

interface EditorProps {
  readonly label: string;
  readonly text: string;
  readonly bad: boolean;
  readonly onChange: (text: string) => void;
  readonly onApply: () => void;
}

/** Monospaced text with line numbers. Ctrl/Cmd+Enter applies; Tab leaves it, as everywhere. */
function Editor({ label, text, bad, onChange, onApply }: EditorProps) {
  const lines = text.split('\n').length;
  return (
    <div className="sl-code-editor" data-bad={bad || undefined}>
      <pre aria-hidden="true">{Array.from({ length: lines }, (_, i) => i + 1).join('\n')}</pre>
      <textarea
        aria-label={label}
        aria-invalid={bad}
        value={text}
        rows={lines}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        wrap="off"
        data-testid="manifest-text"
        onChange={(e) => onChange(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) onApply();
        }}
      />
    </div>
  );
}
