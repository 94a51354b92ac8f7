/** A session of this page alone: the run that it shared, from the same moment on, in this browser. And the way back. */
import type { Command } from '@syncloop/core/debug';
import { runCommand } from '../../commands/index.js';
import { t } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { attach, leftAgent, sessionReady, simulate } from '../../session/connect.js';
import { StoppedError, session } from '../../session/session.js';
import { opening } from '../long-work/stop-work.js';

type Load = Extract<Command, { do: 'load' }>;

const runHere = async (): Promise<Load> => ({ ...(await session.command({ do: 'spec' })), do: 'load' });

/** Goes on in this browser with a run. `said` is called once it is there. */
async function goOn(load: Load, said: () => void): Promise<void> {
  const { selection, inspectorOpen } = useUI.getState();
  const { speed } = useSession.getState().run;
  simulate();
  if (!(await sessionReady())) return;
  const stopped = await opening({ load }, session.command(load));
  await session.command({ do: 'speed', speed });
  useUI.setState({ selection, inspectorOpen });
  if (!stopped) said();
}

/** Leaves the shared session. Rejects if its run cannot be repeated; then the page is in it as before. */
export async function haveOwn(): Promise<void> {
  const load = await runHere();
  try {
    await goOn(load, () =>
      notify(t('own.here'), false, { label: t('command.rejoin'), run: () => runCommand('session.rejoin') }),
    );
  } catch (error) {
    const token = leftAgent();
    if (token !== null && !(error instanceof StoppedError)) await attach(token);
    throw error;
  }
}

/** Goes back to the session that was left. The page's own run stays available as long as the notice is shown. */
export async function rejoin(): Promise<void> {
  const token = leftAgent();
  if (token === null) return;
  const own = await runHere().catch(() => null);
  await attach(token);
  if (!(await sessionReady())) return;
  if (own === null) notify(t('own.back'));
  else
    notify(t('own.back'), false, {
      label: t('own.again'),
      run: () => void goOn(own, () => {}).catch((error: Error) => notify(error.message, true)),
    });
}
