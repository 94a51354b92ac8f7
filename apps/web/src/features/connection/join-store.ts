/** The question of a second page: to join the session that another page is in, or to go on with one of its own. */
import { create } from 'zustand';
import { type SessionState, useSession } from '../../run/session-store.js';

export const useJoin = create(() => ({ asks: false }));
export const joined = (): void => useJoin.setState({ asks: false });

/** True if another page is in the session, and was before this one came, and this one could have its own. */
const isSecond = ({ kind, info, company }: SessionState): boolean =>
  kind === 'agent' && info?.virtual === true && info.capabilities.control && company.later === true;

/**
 * Asks once, when the page has first connected to an agent; `reloaded`: it was in the session before. Whoever moves the
 * session has joined it.
 */
export function askToJoin(reloaded: boolean): () => void {
  let known = reloaded;
  return useSession.subscribe((now) => {
    if (!known && now.phase === 'ready' && isSecond(now)) {
      known = true;
      useJoin.setState({ asks: true });
    }
    if (useJoin.getState().asks && (!isSecond(now) || now.company.moved?.by === 'this')) joined();
  });
}
