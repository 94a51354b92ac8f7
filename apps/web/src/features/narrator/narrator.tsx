import { useSyncExternalStore } from 'react';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { narration } from '../../run/narration.js';
import { useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { CommandButton } from '../../ui/command-button.js';
import { Icon } from '../../ui/icons.js';
import { Keys } from '../../ui/keys.js';
import { shortPod } from '../../units/text.js';
import { LessonLine } from '../lessons/lesson-line.js';
import { inLesson, useLessons } from '../lessons/lessons-store.js';
import { NotesHere } from '../notes/notes-here.js';
import { podToTry } from '../pods/commands.js';
import { Progress } from '../transport/progress.js';
import { Next, Outcome } from '../transport/standing.js';
import { endHints, type Hint } from './hints.js';
import { Sentence } from './sentence.js';
import { useHint } from './use-hint.js';

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
        <Progress />
        <Outcome />
        <Next />
      </div>
      <SecondLine why={said?.why} />
    </section>
  );
}

/** What a newcomer could do next. */
function HintLine({ hint }: { readonly hint: Hint }) {
  const t = useT();
  return (
    <span className="sl-hint" data-testid="hint">
      <span className="sl-only-keys">
        <Keys text={t(`hint.${hint}`)} />
      </span>
      <span className="sl-only-touch">{t(`hint.touch.${hint}`)}</span>
      <button
        type="button"
        className="sl-button sl-quiet sl-icon-button"
        aria-label={t('hint.end')}
        title={t('hint.end')}
        onClick={endHints}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}

function SecondLine({ why }: { readonly why: string | undefined }) {
  const t = useT();
  const dismissed = useUI((s) => s.tryDismissed);
  const pod = useTrace(podToTry);
  const can = useSession((s) => (s.info?.capabilities.apply ?? false) && (s.info?.capabilities.intervene ?? false));
  const hint = useHint();
  const learning = useLessons(inLesson);
  const trying = pod !== null && can && !dismissed && !learning;
  return (
    <div className="sl-second">
      {hint ? <HintLine hint={hint} /> : why && <span>{why}</span>}
      <NotesHere />
      {!trying && <LessonLine />}
      {trying && (
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
