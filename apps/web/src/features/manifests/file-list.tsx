import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import type { FileRow } from './logic/manifests-drafts.js';
import { dropDraft, openFile } from './manifests-store.js';

/** The files of the folder and those that are to be; each with its state and a way to delete it. */
export function FileList({
  rows,
  current,
}: {
  readonly rows: readonly FileRow[];
  readonly current: string | undefined;
}) {
  const t = useT();
  return (
    <ul className="sl-files u-flex-none u-scroll" data-testid="files" aria-label={t('manifests.files')}>
      {rows.map(({ file, state }) => (
        <li key={file} data-current={file === current || undefined}>
          <button
            type="button"
            className="sl-button sl-quiet sl-file u-line u-wrap u-grow u-min-width-0 u-text-left"
            aria-current={file === current || undefined}
            onClick={() => openFile(file)}
          >
            <span className="u-break u-mono">{file}</span>
            {state !== 'saved' && (
              <span className="sl-file-state" data-state={state}>
                {t(`manifests.state.${state === 'gone' ? 'fresh' : state}`)}
              </span>
            )}
          </button>
          <button
            type="button"
            className="sl-button sl-quiet sl-danger"
            aria-label={t('manifests.deleteFile', { file })}
            onClick={() => {
              dropDraft(file);
              if (state === 'saved' || state === 'changed') runCommand('manifest.delete', file);
            }}
          >
            {t('manifests.delete')}
          </button>
        </li>
      ))}
      {rows.length === 0 && <li className="sl-empty">{t('manifests.none')}</li>}
    </ul>
  );
}
