/** Begins branches, and lists them. */
import type { BranchInfo, Command as SessionCommand } from '@syncloop/core/debug';
import { actionName, lookupOf } from '@syncloop/core/trace';
import { narratorOf, t } from '../../i18n/index.js';
import { type Lang, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { session } from '../../session/session.js';
import { useBranches } from './branches-store.js';

const capable = () => {
  const { phase, info } = useSession.getState();
  return phase === 'ready' ? info?.capabilities : undefined;
};
/** Branches are of a run that can be run again: a simulation. */
export const canBranch = () => (capable()?.choose && capable()?.rewind) ?? false;

/** Returns a branch's name in a language: the one that somebody gave it, else what began it. */
export function nameIn(lang: Lang, { name, did, parent }: BranchInfo): string {
  if (did) return actionName(narratorOf(lang), did, lookupOf(trace.state));
  if (parent === 0 && name === MAIN) return t('branches.main');
  const [, n] = /^branch (\d+)$/.exec(name) ?? [];
  return n === undefined ? name : t('branches.numbered', { n });
}
/** The session's name for a branch that nobody has named. */
const MAIN = 'main';

/** Asks for the branches and shows them. */
export async function refreshBranches(): Promise<readonly BranchInfo[]> {
  if (!canBranch()) {
    useBranches.setState({ branches: [], compared: null });
    return [];
  }
  const list = await session.command({ do: 'branches' });
  const { lang } = useUI.getState();
  const branches = list.map((b) => ({ ...b, name: nameIn(lang, b) }));
  useBranches.setState(({ compared }) => ({
    branches,
    compared:
      compared && [compared.ours, compared.theirs].every(({ id }) => branches.some((b) => b.id === id))
        ? compared
        : null,
  }));
  return branches;
}

export async function change(c: SessionCommand): Promise<void> {
  await session.command(c);
  await refreshBranches();
}

/** The branch that the run is in now. */
export const here = () => useSession.getState().run.branch ?? 0;

// Names that nobody gave are in the page's language. Without a session there are none to change.
useUI.subscribe((s, before) => {
  if (s.lang !== before.lang && useBranches.getState().branches.length > 0) refreshBranches().catch(() => {});
});
