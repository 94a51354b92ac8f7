import { useT } from '../i18n/index.js';
import { useUI } from '../page/ui-store.js';
import { Icon } from '../ui/icons.js';

/** A sentence about something that was done or failed. */
export function Notice() {
  const t = useT();
  const notice = useUI((s) => s.notice);
  return (
    <div className="sl-notice-place u-flex u-absolute u-no-pointer" role="status">
      {notice && (
        <div
          key={notice.n}
          className="sl-notice u-row u-gap-8 u-border-strong u-round u-raised u-shadow"
          data-bad={notice.bad || undefined}
        >
          <span>{notice.text}</span>
          {notice.action && (
            <button
              type="button"
              className="sl-button"
              data-testid="notice-action"
              onClick={() => {
                useUI.setState({ notice: null });
                notice.action?.run();
              }}
            >
              {notice.action.label}
            </button>
          )}
          <button
            type="button"
            className="sl-button sl-quiet"
            aria-label={t('dialog.close')}
            onClick={() => useUI.setState({ notice: null })}
          >
            <Icon name="close" />
          </button>
        </div>
      )}
    </div>
  );
}
