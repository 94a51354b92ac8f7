import { useT } from '../../i18n/index.js';
import { useUI } from '../../store/ui-store.js';
import { Modal } from '../../widgets/modal.js';

/** A link to copy by hand, where the browser does not let a page copy. */
export function LinkDialog() {
  const t = useT();
  const link = useUI((s) => s.link);
  return (
    <Modal label={t('share.title')}>
      <h2>{t('share.title')}</h2>
      <p>{t('share.byHand')}</p>
      <textarea
        className="sl-input sl-code sl-link-text"
        aria-label={t('share.link')}
        readOnly
        rows={5}
        value={link}
        data-testid="link"
        onFocus={(e) => e.currentTarget.select()}
      />
    </Modal>
  );
}
