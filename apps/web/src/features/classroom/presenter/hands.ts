/** Opens the moments of raised hands, and leads back to the presenter's own. */
import { messageOf } from '@syncloop/core/base';
import { t } from '../../../i18n/index.js';
import { notify } from '../../../page/ui-store.js';
import { session } from '../../../session/session.js';
import { decodeMoment, type LoadCommand, loadOf } from '../../share/share.js';
import { setPresenting, useClass } from '../class-store.js';

/**
 * Goes to a follower's moment. Nothing of it but its run is taken over, and a scenario's text only if it is the
 * presenter's own: the agent runs no text that somebody in the audience wrote.
 */
export async function openMomentOf(number: number, moment: string): Promise<void> {
  await said(async () => {
    const own = loadOf(await session.command({ do: 'spec' }));
    const { load } = await decodeMoment(moment);
    if (!isOfOurs(load, own)) throw new Error(t('class.handForeign'));
    await session.command(load);
    const { visit } = useClass.getState().presenting;
    setPresenting({ visit: { number, from: visit?.from ?? own } });
  });
}

/** The same scenario, or one of the library. */
export const isOfOurs = (load: Pick<LoadCommand, 'text'>, own: Pick<LoadCommand, 'text'>): boolean =>
  load.text === undefined || load.text === own.text;

/** Back to where the presenter was before the first of the followers' moments. */
export async function backFromHand(): Promise<void> {
  const { visit } = useClass.getState().presenting;
  if (!visit) return;
  await said(() => session.command(visit.from));
  setPresenting({ visit: null });
}

async function said(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    notify(t('class.handNotOpened', { why: messageOf(error) }), true);
  }
}
