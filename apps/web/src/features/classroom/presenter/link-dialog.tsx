import { useT } from '../../../i18n/index.js';
import { Modal } from '../../../ui/modal.js';
import { useClass } from '../class-store.js';

/** The audience's links to copy by hand. */
export function LinkOfClass() {
  const t = useT();
  const links = useClass((s) => s.presenting.links);
  return (
    <Modal label={t('class.link')}>
      <h2>{t('class.link')}</h2>
      <p>{t('class.copyByHand')}</p>
      <textarea
        className="sl-input sl-code sl-link-text"
        aria-label={t('class.link')}
        readOnly
        rows={4}
        value={links.join('\n')}
        onFocus={(e) => e.currentTarget.select()}
      />
    </Modal>
  );
}
