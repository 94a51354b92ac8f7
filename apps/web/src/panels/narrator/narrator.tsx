import { useSyncExternalStore } from 'react';
import { runCommand } from '../../app-logic/commands/index.js';
import { podToTry } from '../../app-logic/commands/pods.js';
import type { MessageKey } from '../../i18n/en.js';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../store/session-store.js';
import { useUI } from '../../store/ui-store.js';
import { useTrace } from '../../trace/use-trace.js';
import { shortPod } from '../../view-logic/text.js';
import { CommandButton } from '../../widgets/command-button.js';
import { Icon } from '../../widgets/icons.js';
import { Next, Outcome } from '../transport/standing.js';
import { narration } from './narration.js';
import { Sentence } from './sentence.js';

const subscribe = (then: () => void) => narration.subscribe(then);

/** One sentence about what just happened, and a quieter line: why, a hint, or what could be tried. */
export function Narrator() {
  const t = useT();
  const said = useSyncExternalStore(subscribe, () => narration.said);
  const record = useSyncExternalStore(subscribe, () => narration.record);
  const phase = useSession((s) => s.phase);
  const running = useSession((s) => s.run.running);
  return (
    <section className="sl-narrator" aria-label={t('region.narrator')} data-testid="narrator">
      {/* Spoken step by step; a run would drown its listener. */}
      <p className="sl-said" aria-live={running ? 'off' : 'polite'} aria-atomic="true">
        {said ? (
          <>
            <span className="sl-said-time sl-tabular" aria-hidden="true">
              {record && `${(record.time / 1e6).toFixed(3)} s`}
            </span>{' '}
            <Sentence parts={said.parts} />
          </>
        ) : (
          phase === 'ready' && t('narrator.before')
        )}
      </p>
      <div className="sl-standing">
        <Outcome />
        <Next />
      </div>
      <SecondLine why={said?.why} />
    </section>
  );
}

function SecondLine({ why }: { readonly why: string | undefined }) {
  const t = useT();
  const dismissed = useUI((s) => s.tryDismissed);
  const pod = useTrace(podToTry);
  const control = useSession((s) => s.info?.capabilities.control ?? false);
  const begun = useSession((s) => s.run.steps > 0);
  const can = useSession((s) => (s.info?.capabilities.apply ?? false) && (s.info?.capabilities.intervene ?? false));
  if (!begun && control) {
    return (
      <p className="sl-second">
        <span className="sl-only-keys">{t('hint.first')}</span>
        <span className="sl-only-touch">{t('hint.touch')}</span>
      </p>
    );
  }
  return (
    <div className="sl-second">
      {why && <span>{why}</span>}
      {pod && can && !dismissed && (
        <span className="sl-try" data-testid="try">
          <span>{t('try.title', { pod: shortPod(pod.pod) })}</span>
          <CommandButton id="try.kill" label={t('try.kill')} />
          <CommandButton id="try.break" label={t('try.break')} />
          <CommandButton id="try.change" label={t('try.change')} />
          <CommandButton id="faults.open" className="sl-quiet" label={t('try.more')} />
          <button
            type="button"
            className="sl-button sl-quiet"
            aria-label={t('try.dismiss')}
            title={t('try.dismiss')}
            onClick={() => useUI.setState({ tryDismissed: true })}
          >
            <Icon name="close" />
          </button>
        </span>
      )}
    </div>
  );
}

/** A sentence about something that was done or failed. */
export function Notice() {
  const t = useT();
  const notice = useUI((s) => s.notice);
  return (
    <div className="sl-notice-place" role="status">
      {notice && (
        <div key={notice.n} className="sl-notice" data-bad={notice.bad || undefined}>
          <span>{notice.text}</span>
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

/** How socket.io says why a connection is no more. */
const ENDINGS: Readonly<Record<string, MessageKey>> = {
  'io server disconnect': 'session.ended',
  'transport close': 'session.broke',
  'transport error': 'session.broke',
  'ping timeout': 'session.broke',
  'websocket error': 'session.nobody',
};

/** Stands where the graph would while there is no session, and above it when there no longer is one. */
export function SessionBanner() {
  const t = useT();
  const phase = useSession((s) => s.phase);
  const said = useSession((s) => s.reason);
  const ending = ENDINGS[said];
  const reason = ending ? t(ending) : said;
  const kind = useSession((s) => s.kind);
  const known = useSession((s) => s.info !== null);
  if (phase === 'ready') return null;
  const text =
    phase === 'starting'
      ? t(kind === 'worker' ? 'session.starting' : 'session.connecting')
      : kind === 'worker'
        ? t('session.workerFailed', { reason })
        : t(phase === 'refused' ? 'session.badToken' : 'session.lostAgent', { reason });
  return (
    <div
      className="sl-banner"
      role="alert"
      data-strip={known || undefined}
      data-bad={phase !== 'starting' || undefined}
      data-testid="banner"
    >
      <p>{text}</p>
      {kind === 'agent' && phase !== 'starting' && (
        <button type="button" className="sl-button sl-primary" onClick={() => runCommand('session.simulate')}>
          {t('command.simulate')}
        </button>
      )}
    </div>
  );
}
