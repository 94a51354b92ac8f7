import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { CommandButton } from '../../ui/command-button.js';
import { Icon } from '../../ui/icons.js';
import { shortPod } from '../../units/text.js';
import { inLesson, useLessons } from '../lessons/lessons-store.js';
import { podToTry } from './commands.js';

/** Returns true if there is a pod to try things on. In a lesson the lesson says what to do. */
export function useTrying(): boolean {
  const dismissed = useUI((s) => s.tryDismissed);
  const pod = useTrace(podToTry);
  const can = useSession((s) => (s.info?.capabilities.apply ?? false) && (s.info?.capabilities.intervene ?? false));
  const learning = useLessons(inLesson);
  return pod !== null && can && !dismissed && !learning;
}

/** Suggests what a newcomer could do to a pod that runs. */
export function TryLine() {
  const t = useT();
  const pod = useTrace(podToTry);
  if (!pod) return null;
  return (
    <span className="sl-try u-inline-flex u-center u-wrap u-gap-6 u-push" data-testid="try">
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
  );
}
