/** What begins branches, and the list of them. */
import type { BranchInfo, Command as SessionCommand } from '@syncloop/core/debug';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { useBranches } from './branches-store.js';

const capable = () => {
  const { phase, info } = useSession.getState();
  return phase === 'ready' ? info?.capabilities : undefined;
};
/** Branches are of a run that can be run again: a simulation. */
export const canBranch = () => (capable()?.choose && capable()?.rewind) ?? false;

/** Asks for the branches and shows them. */
export async function refreshBranches(): Promise<readonly BranchInfo[]> {
  if (!canBranch()) {
    useBranches.setState({ branches: [], compared: null });
    return [];
  }
  const list = await session.command({ do: 'branches' });
  const branches = (Array.isArray(list) ? list : []) as unknown as readonly BranchInfo[];
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

/** Where the run stands, and the branch that it is in. */
export const here = () => useSession.getState().run.branch ?? 0;

/** Does something. Where that began a branch, the branch is called after it. */
export async function doNamed(c: SessionCommand, name: string): Promise<void> {
  const before = await refreshBranches();
  await session.command(c);
  const now = (await refreshBranches()).find((b) => b.current);
  if (!now || before.some((b) => b.id === now.id)) return;
  if (name !== '') await change({ do: 'rename', branch: now.id, name });
}
