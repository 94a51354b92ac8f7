/** From a lane into the debugger of its node. */
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { goWhenRead } from '../observed/file-link.js';
import { useObserved } from '../observed/observed-store.js';
import { openObserved } from '../observed/open-observed.js';
import { useFleet } from './fleet-store.js';

/** Shows a node, and goes to a time by its own clock, ms since 1970, once its log is read up to there. */
export async function openNode(node: string, at: number | null): Promise<void> {
  const { files } = useFleet.getState();
  useUI.setState({ dialog: null });
  const isShown = useObserved.getState().shown === node && useSession.getState().info?.capabilities.observed === true;
  if (!isShown) await openObserved(files, node);
  if (at !== null) await goWhenRead({ at: at * 1000 });
}
