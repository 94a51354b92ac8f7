import type { Path } from '@syncloop/core/debug/inspect';
import type { Seq } from '@syncloop/core/trace';
import { command } from '../../commands/types.js';
import { t } from '../../i18n/index.js';
import { notify, select, showInspector, toggleInspector, useUI } from '../../page/ui-store.js';
import { narration } from '../../run/narration.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { selectBefore, setDetail, setSince, useInspector } from './inspector-store.js';
import type { Ask } from './logic/asks.js';

export const inspectorCommands = {
  'view.inspector': command({
    title: 'command.inspector',
    keys: ['I'],
    group: 'ask',
    run: () => useUI.setState((s) => ({ inspectorOpen: !s.inspectorOpen })),
  }),
  'view.why': command({
    title: 'command.why',
    keys: ['W'],
    group: 'ask',
    available: () => useUI.getState().selection !== null || narration.record !== null,
    hint: () => 'blocked.select',
    // A pod that does not run well comes before the sentence that was just narrated.
    fits: () => (useUI.getState().selection === null ? 0.2 : 1),
    run: () => {
      // Without a selection, the question is about the sentence that was just narrated.
      const { record } = narration;
      if (useUI.getState().selection === null && record) select({ kind: 'record', seq: record.seq });
      useUI.setState({ inspectorOpen: true, inspectorTab: 'why' });
    },
  }),
  'inspector.changed': command({
    title: 'command.changed',
    keys: ['D'],
    group: 'ask',
    run: toggleInspector('changed'),
  }),
  'inspector.history': command({
    title: 'command.history',
    keys: ['H'],
    group: 'ask',
    fits: () => (useUI.getState().selection ? 0.5 : 0),
    run: toggleInspector('history'),
  }),
  /** Selects the node itself: conditions, resources, addresses, lease, images. */
  'inspector.node': command({
    title: 'command.showNode',
    group: 'ask',
    run: () => {
      select({ kind: 'part', part: 'node' });
      showInspector('what');
    },
  }),
  'inspector.back': command({
    title: 'command.inspectorBack',
    keys: ['Backspace'],
    group: 'ask',
    available: () => useInspector.getState().trail.length > 0,
    fits: () => 0.2,
    run: selectBefore,
  }),
  'inspector.ask': command<Ask>({
    title: 'command.ask.why',
    palette: false,
    run: (asked) => {
      useInspector.setState({ asked });
      showInspector('why');
    },
  }),
  /** Shows the history of a field of the state; null goes back to the records about the selection. */
  'inspector.field': command<Path | null>({
    title: 'command.fieldHistory',
    palette: false,
    run: (field) => {
      useInspector.setState({ field });
      showInspector('history');
    },
  }),
  'inspector.goTo': command<Seq>({
    title: 'command.goToRecord',
    palette: false,
    available: () => {
      const { phase, info } = useSession.getState();
      return phase === 'ready' && info?.capabilities.rewind === true;
    },
    run: async (seq) => {
      await session.command({ do: 'go', to: { seq } });
      select({ kind: 'record', seq });
    },
  }),
  'inspector.detail': command({
    title: 'command.whyDetail',
    group: 'ask',
    run: () => setDetail(useInspector.getState().detail === 'brief' ? 'full' : 'brief'),
  }),
  'inspector.since': command({
    title: 'command.changedSince',
    group: 'ask',
    run: () => setSince(useInspector.getState().since === 'step' ? 'iteration' : 'step'),
  }),
  'inspector.copy': command<string>({
    title: 'command.copyYaml',
    palette: false,
    run: async (text) => {
      // Pages that are not served securely have no clipboard.
      if (!navigator.clipboard) throw new Error(t('inspector.noClipboard'));
      await navigator.clipboard.writeText(text);
      notify(t('inspector.copied'));
    },
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof inspectorCommands> {}
}
