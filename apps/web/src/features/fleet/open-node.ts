/** From a lane into the debugger of its node. */
import type { FleetStory } from '@syncloop/observe/fleet';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { goWhenRead } from '../observed/file-link.js';
import { useObserved } from '../observed/observed-store.js';
import { openObserved } from '../observed/open-observed.js';
import { NO_FLEET, useFleet } from './fleet-store.js';

/** Shows a node, and goes to a time by its own clock, ms since 1970, once its log is read up to there. */
export async function openNode(node: string, at: number | null): Promise<void> {
  const { files, served } = useFleet.getState();
  useUI.setState({ dialog: null });
  if (served) {
    await showServed(node);
    if (at !== null) await goWhenRead({ at: at * 1000 });
    return;
  }
  const isShown = useObserved.getState().shown === node && useSession.getState().info?.capabilities.observed === true;
  if (!isShown) await openObserved(files, node);
  if (at !== null) await goWhenRead({ at: at * 1000 });
}

/** Has the session show a node, and waits until it does. */
export async function showServed(node: string): Promise<void> {
  const { id } = await session.command({ do: 'node', name: node });
  const isShown = () => useSession.getState().info?.id === id;
  if (!isShown())
    await new Promise<void>((resolve) => {
      const stop = useSession.subscribe(({ phase }) => {
        if (!isShown() && phase === 'ready') return;
        stop();
        resolve();
      });
    });
  useObserved.setState({ shown: node });
}

/** Takes the verdict on all nodes from a session that has them. `first`: nothing of it was shown yet. */
export async function takeServed(): Promise<void> {
  const { story, shown } = await session.command({ do: 'fleet' });
  const first = !useFleet.getState().served;
  // It was made by the observer of the agent that served this page.
  const known = story as unknown as FleetStory;
  const names = known.nodes.filter(({ problem }) => problem === '').map(({ name }) => name);
  useFleet.setState({
    ...(first ? NO_FLEET : {}),
    ...{ served: true, story: known, done: known.nodes.length, of: known.nodes.length, reading: '' },
  });
  useObserved.setState({ nodes: names, shown, showNode: (node) => showServed(node) });
  if (first) useUI.setState({ dialog: 'fleet' });
}
