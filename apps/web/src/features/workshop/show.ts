import { messageOf } from '@syncloop/core/base';
import type { Show } from '@syncloop/workshop/judge';
import { focusStage } from '../../commands/focus.js';
import { t } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';

/** True if the session can run a scenario with the learner's code: a simulation in this page can. */
export const canShow = (): boolean => {
  const { phase, info } = useSession.getState();
  return phase === 'ready' && info?.capabilities.scenarios === true;
};

/** Opens the debugger at a difference, with the learner's part in the running loop. */
export async function showDifference({ scenario, time, seed, deviations }: Show): Promise<void> {
  const name = (JSON.parse(scenario) as { metadata: { name: string } }).metadata.name;
  try {
    await session.command({
      do: 'load',
      scenario: name,
      text: scenario,
      ...(seed !== undefined && { seed }),
      ...(deviations && { deviations }),
    });
    await session.command({ do: 'go', to: { time } });
  } catch (error) {
    notify(t('workshop.notShown', { why: messageOf(error) }), true);
    return;
  }
  useUI.setState({ dialog: null, selection: null, inspectorOpen: false, tryDismissed: true });
  focusStage();
  notify(t('workshop.shown'), false, { label: t('workshop.back'), run: () => useUI.setState({ dialog: 'workshop' }) });
}
