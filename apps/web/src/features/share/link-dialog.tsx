import './share.css';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { CopyButton } from '../../ui/copy-button.js';
import { Modal } from '../../ui/modal.js';
import { onlyHere } from './only-here.js';
import { LONG_LINK } from './share.js';

/** Shows a link that is too long for most programs, or one to copy by hand if the browser does not let a page copy. */
export function LinkDialog() {
  const t = useT();
  const link = useUI((s) => s.link);
  const long = link.length > LONG_LINK;
  const here = link !== '' && onlyHere(link);
  return (
    <Modal label={t('share.title')} className="sl-embed-dialog">
      <h2>{t('share.title')}</h2>
      <p>{t(long ? 'share.tooLong' : 'share.byHand', { n: link.length, most: LONG_LINK })}</p>
      {here && <p data-testid="only-here">{t('share.onlyHere', { host: new URL(link).host || 'file:' })}</p>}
      {(long || here) && (
        <button
          type="button"
          className="sl-button sl-primary"
          data-testid="save-moment"
          onClick={() => {
            useUI.setState({ dialog: null });
            runCommand('share.saveMoment');
          }}
        >
          {t('command.saveMoment')}
        </button>
      )}
      <textarea
        className="sl-input sl-code sl-link-text u-width-full u-break"
        aria-label={t('share.link')}
        readOnly
        rows={5}
        value={link}
        data-testid="link"
        onFocus={(e) => e.currentTarget.select()}
      />
      {long && <CopyButton text={link} />}
    </Modal>
  );
}
