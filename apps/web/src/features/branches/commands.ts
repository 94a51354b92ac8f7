import type { Seq } from '@syncloop/core/trace';
import { command } from '../../commands/types.js';
import { undoable } from '../../commands/undo.js';
import { t } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
import { session } from '../../session/session.js';
import { canBranch, change, here, refreshBranches } from './branches.js';
import { useBranches } from './branches-store.js';

async function compare(branch: number): Promise<void> {
  const { ends } = useBranches.getState();
  useBranches.setState({ comparing: branch });
  try {
    const result = await session.command({ do: 'compare', branch: here(), with: branch, ends });
    const branches = await refreshBranches();
    const ours = branches.find((b) => b.current);
    const theirs = branches.find((b) => b.id === branch);
    if (ours && theirs) useBranches.setState({ compared: { ours, theirs, result } });
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
    group: 'panels',
    available: canBranch,
    run: () => useUI.setState((s) => ({ bottom: s.bottom === 'branches' ? null : 'branches' })),
  }),
  'branch.new': command({
    title: 'command.branchNew',
    group: 'change',
    available: canBranch,
    run: async () => {
      await change({ do: 'branch' });
      useUI.setState({ bottom: 'branches' });
    },
  }),
  'branch.switch': command<number>({
    title: 'command.branchSwitch',
    palette: false,
    available: canBranch,
    run: (branch) => change({ do: 'switch', branch }),
  }),
  'branch.rename': command<{ readonly branch: number; readonly name: string }>({
    title: 'command.branchRename',
    palette: false,
    available: canBranch,
    run: async ({ branch, name }) => {
      const before = useBranches.getState().branches.find((b) => b.id === branch)?.name;
      const rename = (to: string) => change({ do: 'rename', branch, name: to });
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
    run: (branch) => change({ do: 'drop', branch }),
  }),
  'branch.compare': command<number>({
    title: 'command.branchCompare',
    palette: false,
    available: canBranch,
    run: compare,
  }),
  /** Compares each branch at its own end, or both at the same time again. */
  'branch.compareEnds': command<boolean>({
    title: 'command.branchCompareEnds',
    palette: false,
    available: () => canBranch() && useBranches.getState().compared !== null,
    run: async (ends) => {
      const { compared } = useBranches.getState();
      if (!compared) return;
      useBranches.setState({ ends });
      await compare(compared.theirs.id === here() ? compared.ours.id : compared.theirs.id);
    },
  }),
  /** Goes to a record of any branch. */
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
      await change({ do: 'take', seq, case: index });
      notify(t('branches.taken'));
    },
  }),
  'branch.pick': command<{ readonly id: number }>({
    title: 'command.branchPick',
    palette: false,
    available: canBranch,
    run: ({ id }) => change({ do: 'pick', goroutine: id }),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof branchCommands> {}
}
