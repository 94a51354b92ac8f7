import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { joined, useJoin } from './join-store.js';

/** Asks in a second page of a session: join the run that is under way, or have one of its own. */
export function JoinBar() {
  const t = useT();
  const asks = useJoin((s) => s.asks);
  if (!asks) return null;
  return (
    <section
      className="sl-join u-row u-wrap u-gap-8 u-border-bottom u-panel u-fs-2"
      aria-label={t('join.title')}
      data-testid="join"
    >
      <span role="status">{t('join.asks')}</span>
      <span className="sl-group">
        <button type="button" className="sl-button" data-testid="join-shared" onClick={joined}>
          {t('join.shared')}
        </button>
        <button
          type="button"
          className="sl-button"
          data-testid="join-own"
          onClick={() => {
            joined();
            runCommand('session.own');
          }}
        >
          {t('join.own')}
        </button>
      </span>
    </section>
  );
}
