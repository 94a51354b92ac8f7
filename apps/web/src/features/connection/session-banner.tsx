import { runCommand } from '../../commands/index.js';
import { type MessageKey, useT } from '../../i18n/index.js';
import { type SessionPhase, useSession } from '../../run/session-store.js';

/** Texts for why there is no connection, by the names of socket.io and `socketConnection`. */
const ENDINGS: Readonly<Record<string, MessageKey>> = {
  'io server disconnect': 'session.ended',
  'transport close': 'session.broke',
  'transport error': 'session.broke',
  'ping timeout': 'session.broke',
  'websocket error': 'session.nobody',
  'link used': 'session.linkUsed',
  'link expired': 'session.linkExpired',
  'token wrong': 'session.wrongToken',
};

interface BannerText {
  readonly title: MessageKey;
  readonly text?: MessageKey;
  /** True if the page is trying again. */
  readonly trying?: boolean;
}

function bannerText(phase: SessionPhase, kind: 'worker' | 'agent'): BannerText {
  const agent = kind === 'agent';
  if (phase === 'starting') return { title: agent ? 'session.connecting' : 'session.starting', trying: true };
  if (!agent) return { title: 'session.workerTitle', text: 'session.workerFailed' };
  if (phase === 'refused') return { title: 'session.refusedTitle', text: 'session.badToken' };
  return { title: 'session.lostTitle', text: 'session.lostAgent', trying: true };
}

/**
 * Shown in place of the graph while there is no session, and above the graph when the session has ended: the event, its
 * reason, and the remedy.
 */
export function SessionBanner() {
  const t = useT();
  const phase = useSession((s) => s.phase);
  const said = useSession((s) => s.reason);
  const kind = useSession((s) => s.kind);
  const known = useSession((s) => s.info !== null);
  if (phase === 'ready') return null;
  const ending = ENDINGS[said];
  const why = ending ? t(ending) : said;
  const reason = `${why.slice(0, 1).toUpperCase()}${why.slice(1)}`;
  const { title, text, trying } = bannerText(phase, kind);
  const bad = phase !== 'starting';
  return (
    <div
      className="sl-banner u-row u-absolute u-fs-3 u-text-center u-dim"
      role={bad ? 'alert' : 'status'}
      aria-busy={!bad}
      data-strip={known || undefined}
      data-bad={bad || undefined}
      data-testid="banner"
    >
      <div className="sl-banner-text u-column u-gap-6">
        <p className={bad ? 'sl-strong' : undefined}>{t(title)}</p>
        {text && <p>{t(text, { reason })}</p>}
        {trying && <progress aria-label={t(title)} />}
      </div>
      {bad && (
        <div className="sl-group">
          {kind === 'worker' ? (
            <button type="button" className="sl-button sl-primary" onClick={() => location.reload()}>
              {t('crash.reload')}
            </button>
          ) : (
            <>
              <button
                type="button"
                className="sl-button sl-primary"
                data-testid="banner-simulate"
                onClick={() => runCommand('session.simulate')}
              >
                {t('command.simulate')}
              </button>
              <button type="button" className="sl-button" onClick={() => runCommand('session.liveNode')}>
                {t('session.otherUrl')}
              </button>
            </>
          )}
        </div>
      )}
    </div>
  );
}
