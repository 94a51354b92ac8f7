import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { CommandButton } from '../../ui/command-button.js';
import { Modal } from '../../ui/modal.js';
import { useObserved } from './observed-store.js';

/** Asks for the file of a link that was followed. */
export function FileLinkDialog() {
  const t = useT();
  const link = useObserved((s) => s.link);
  useUI((s) => s.lang);
  if (!link) return null;
  const at = new Date(link.at / 1000);
  const when = Number.isNaN(at.getTime()) ? '' : at.toISOString().slice(0, 19).replace('T', ' ');
  return (
    <Modal label={t('observed.link.title')}>
      <div data-testid="file-link">
        <h2>{t('observed.link.title')}</h2>
        <p>{t('observed.link.asks', { at: when, name: link.name })}</p>
        <p className="sl-small">{t('observed.link.stays')}</p>
        <CommandButton id="files.choose" className="sl-primary">
          {t('observed.link.choose')}
        </CommandButton>
      </div>
    </Modal>
  );
}
