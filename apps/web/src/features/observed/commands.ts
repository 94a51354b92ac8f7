import type { Seq } from '@syncloop/core/trace';
import { runCommand, tryCommand } from '../../commands/index.js';
import { command } from '../../commands/types.js';
import { showInspector, toggleLeft, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { useObserved } from './observed-store.js';

/** A moment of a finding: its place in the list of moments, and its record. */
interface FindingMoment {
  readonly id: string;
  readonly i: number;
  readonly seq: Seq;
}
async function goTo({ id, i, seq }: FindingMoment): Promise<void> {
  const before = useUI.getState();
  await tryCommand('inspector.goTo', seq);
  useObserved.setState({ moments: { [id]: i } });
  // On a phone the list is a sheet over everything: the moment is behind it.
  if (before.left === 'findings' && window.matchMedia('(max-width: 720px)').matches) useUI.setState({ left: null });
}

export const observedCommands = {
  'view.findings': command({
    title: 'command.findings',
    keys: ['Shift+W'],
    group: 'panels',
    run: toggleLeft('findings'),
  }),
  'findings.go': command<FindingMoment>({ title: 'command.findings', palette: false, run: goTo }),
  'findings.why': command<FindingMoment>({
    title: 'command.findings',
    palette: false,
    run: async (moment) => {
      await goTo(moment);
      showInspector('why');
    },
  }),
  /** Shows the log line of a record in its place. */
  'observed.show': command<Seq>({
    title: 'evidence.show',
    palette: false,
    run: (seq) => {
      useUI.setState({ bottom: 'log', filter: '' });
      runCommand('view.select', { kind: 'record', seq });
    },
  }),
  /** A moment that nothing else is known of but its record: there it is in its place. */
  'observed.go': command<Seq>({
    title: 'evidence.show',
    palette: false,
    run: async (seq) => {
      await tryCommand('inspector.goTo', seq);
      useUI.setState({ bottom: 'log', filter: '' });
    },
  }),
  'observed.details': command({
    title: 'command.observedDetails',
    group: 'ask',
    available: () => useSession.getState().info?.capabilities.observed === true,
    run: () => useUI.setState({ dialog: 'observed' }),
  }),
  /** Copies a link to this moment of the file that is read. */
  'observed.copyLink': command({
    title: 'command.observedCopyLink',
    group: 'change',
    available: () =>
      useSession.getState().info?.capabilities.observed === true && useObserved.getState().files.length > 0,
    run: async () => (await import('./file-link.js')).copyFileLink(),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof observedCommands> {}
}
