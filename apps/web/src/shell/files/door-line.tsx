import { useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { recall, remember } from '../../page/storage.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { Icon } from '../../ui/icons.js';
import './door-line.css';

const KEY = 'door';

/** The first line of the first screen: it says what can be dropped. It goes with the first step, or when closed. */
export function DoorLine() {
  const t = useT();
  const [closed, setClosed] = useState(() => recall(KEY) !== null);
  const alone = useUI((s) => !s.left && !s.inspectorOpen && !s.bottom);
  const atStart = useSession(
    ({ phase, info, run }) =>
      phase === 'ready' &&
      info?.capabilities.scenarios === true &&
      !run.running &&
      run.steps === (info.opened?.step ?? 0),
  );
  if (closed || !alone || !atStart) return null;
  return (
    <p className="sl-door sl-hint u-round u-absolute u-row u-gap-8 u-fs-2 u-dim u-margin-0" data-testid="door">
      <span>
        <span className="sl-only-keys">{t('door.drop')}</span>
        <span className="sl-only-touch">{t('door.tap')}</span>{' '}
        <button type="button" className="sl-link u-target" onClick={() => runCommand('files.choose')}>
          {t('door.open')}
        </button>
        {t('door.period')}
        {t('door.stays')}
      </span>
      <button
        type="button"
        className="sl-button sl-quiet sl-icon-button u-target"
        aria-label={t('door.end')}
        title={t('door.end')}
        onClick={() => {
          remember(KEY, 'closed');
          setClosed(true);
        }}
      >
        <Icon name="close" />
      </button>
    </p>
  );
}
