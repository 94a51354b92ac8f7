import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { Modal } from '../../ui/modal.js';
import { actionOf } from './pages.js';

/** Explains that several pages look at one session, and how this one can have its own. */
export function PagesDialog() {
  const t = useT();
  const { pages, moved } = useSession((s) => s.company);
  const virtual = useSession((s) => s.info?.virtual ?? true);
  const control = useSession((s) => s.info?.capabilities.control ?? false);
  const title = pages > 1 ? t('pages.look', { n: pages }) : t('pages.alone');
  const leave = (id: 'session.own' | 'recording.save') => {
    useUI.setState({ dialog: null });
    runCommand(id);
  };
  return (
    <Modal label={title} className="sl-embed-dialog sl-pages-dialog">
      <h2>{title}</h2>
      <p>{t(virtual ? 'pages.shared' : 'pages.sharedNode')}</p>
      {!control && <p>{t('pages.lookOnly')}</p>}
      {moved && pages > 1 && (
        <p data-testid="pages-moved">
          {t('pages.last', {
            what: t(actionOf(moved), { page: t(moved.by === 'this' ? 'pages.this' : 'pages.other') }),
          })}
        </p>
      )}
      {virtual ? (
        <>
          <p>{t('pages.ownHow')}</p>
          <div className="sl-group">
            <button
              type="button"
              className="sl-button sl-primary"
              data-testid="own-session"
              onClick={() => leave('session.own')}
            >
              {t('command.ownSession')}
            </button>
          </div>
        </>
      ) : (
        <>
          <p data-testid="own-never">{t('pages.ownNever')}</p>
          <p>{t('pages.insteadOfOwn')}</p>
          <div className="sl-group">
            <button
              type="button"
              className="sl-button sl-primary"
              data-testid="pages-save"
              onClick={() => leave('recording.save')}
            >
              {t('command.saveRecording')}
            </button>
          </div>
        </>
      )}
    </Modal>
  );
}
