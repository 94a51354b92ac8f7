import type { BranchInfo, Comparison, Command as SessionCommand } from '@syncloop/core/debug';
import type { Json, Seq } from '@syncloop/core/trace';
import { command } from '../../commands/types.js';
import { undoable } from '../../commands/undo.js';
import { t } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { actionName } from '../faults/logic/fault-text.js';
import { useBranches } from './branches-store.js';
import { inThePast } from './logic/branches.js';

const capable = () => {
  const { phase, info } = useSession.getState();
  return phase === 'ready' ? info?.capabilities : undefined;
};
/** Branches are of a run that can be run again: a simulation. */
const canBranch = () => (capable()?.choose && capable()?.rewind) ?? false;
const canAct = () => (capable()?.intervene && canBranch()) ?? false;

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

async function changed(c: SessionCommand): Promise<void> {
  await session.command(c);
  await refreshBranches();
}

/** Where the run stands, and the branch that it is in. */
const here = () => useSession.getState().run.branch ?? 0;

/** Does something. Where that began a branch, the branch is called after it. */
async function named(c: SessionCommand, name: string): Promise<void> {
  const before = await refreshBranches();
  await session.command(c);
  const now = (await refreshBranches()).find((b) => b.current);
  if (!now || before.some((b) => b.id === now.id)) return;
  if (name !== '') await changed({ do: 'rename', branch: now.id, name });
}

async function compare(branch: number): Promise<void> {
  useBranches.setState({ comparing: branch });
  try {
    const result = await session.command({ do: 'compare', branch: here(), with: branch });
    const branches = await refreshBranches();
    const ours = branches.find((b) => b.current);
    const theirs = branches.find((b) => b.id === branch);
    if (ours && theirs) useBranches.setState({ compared: { ours, theirs, result: result as unknown as Comparison } });
  } finally {
    useBranches.setState({ comparing: 0 });
  }
}

export interface TakeArg {
  readonly seq: Seq;
  readonly case: number;
}

export const branchCommands = {
  'view.branches': command({
    title: 'command.branches',
    keys: ['Shift+B'],
    available: canBranch,
    run: () => useUI.setState((s) => ({ bottom: s.bottom === 'branches' ? null : 'branches' })),
  }),
  'branch.new': command({
    title: 'command.branchNew',
    available: canBranch,
    run: async () => {
      await changed({ do: 'branch' });
      useUI.setState({ bottom: 'branches' });
    },
  }),
  'branch.switch': command<number>({
    title: 'command.branchSwitch',
    palette: false,
    available: canBranch,
    run: (branch) => changed({ do: 'switch', branch }),
  }),
  'branch.rename': command<{ readonly branch: number; readonly name: string }>({
    title: 'command.branchRename',
    palette: false,
    available: canBranch,
    run: async ({ branch, name }) => {
      const before = useBranches.getState().branches.find((b) => b.id === branch)?.name;
      const rename = (to: string) => changed({ do: 'rename', branch, name: to });
      await rename(name);
      if (before === undefined) return;
      undoable({
        title: t('undo.renamed'),
        ofSession: true,
        undo: () => rename(before),
        redo: () => rename(name),
      });
    },
  }),
  'branch.drop': command<number>({
    title: 'command.branchDrop',
    palette: false,
    available: canBranch,
    run: (branch) => changed({ do: 'drop', branch }),
  }),
  'branch.compare': command<number>({
    title: 'command.branchCompare',
    palette: false,
    available: canBranch,
    run: compare,
  }),
  /** To a record of any branch. */
  'branch.go': command<{ readonly branch: number; readonly seq: Seq }>({
    title: 'command.branchGo',
    palette: false,
    available: canBranch,
    run: async ({ branch, seq }) => {
      if (branch !== here()) await session.command({ do: 'switch', branch });
      await session.command({ do: 'go', to: { seq } });
      await refreshBranches();
      useUI.setState({ selection: { kind: 'record', seq }, inspectorOpen: true });
    },
  }),
  'branch.take': command<TakeArg>({
    title: 'command.branchTake',
    palette: false,
    available: canBranch,
    run: async ({ seq, case: index }) => {
      await changed({ do: 'take', seq, case: index });
      notify(t('branches.taken'));
    },
  }),
  'branch.pick': command<{ readonly id: number; readonly name: string }>({
    title: 'command.branchPick',
    palette: false,
    available: canBranch,
    run: ({ id, name }) => named({ do: 'pick', goroutine: id }, `${name.slice(0, 60)} first`),
  }),
  'faults.open': command({
    title: 'command.faults',
    keys: ['X'],
    available: canAct,
    run: () => useUI.setState({ dialog: 'faults' }),
  }),
  'faults.do': command<Json>({
    title: 'command.faults',
    palette: false,
    available: canAct,
    run: async (action) => {
      const past = inThePast(useSession.getState().run);
      await named({ do: 'act', action }, actionName(action));
      notify(t(past ? 'faults.doneBranch' : 'faults.done', { what: actionName(action) }));
    },
  }),
};
