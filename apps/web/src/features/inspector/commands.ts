import type { Path } from '@syncloop/core/debug/inspect';
import type { Seq } from '@syncloop/core/trace';
import { command } from '../../commands/types.js';
import { t } from '../../i18n/index.js';
import { type InspectorTab, notify, select, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { selectBefore, setDetail, setSince, useInspector } from './inspector-store.js';
import type { Ask } from './logic/asks.js';

const show = (inspectorTab: InspectorTab) => useUI.setState({ inspectorOpen: true, inspectorTab });
/** The key that opens a tab closes the inspector when that tab is in sight already and nothing is selected. */
const toggle = (tab: InspectorTab) => () => {
  const { inspectorOpen, inspectorTab, selection } = useUI.getState();
  if (inspectorOpen && inspectorTab === tab && !selection) useUI.setState({ inspectorOpen: false });
  else show(tab);
};

export const inspectorCommands = {
  'inspector.changed': command({ title: 'command.changed', keys: ['D'], run: toggle('changed') }),
  'inspector.history': command({ title: 'command.history', keys: ['H'], run: toggle('history') }),
  'inspector.source': command({ title: 'command.source', keys: ['U'], run: toggle('source') }),
  /** The node itself: conditions, what it has, addresses, lease, images. */
  'inspector.node': command({
    title: 'command.showNode',
    run: () => {
      select({ kind: 'part', part: 'node' });
      show('what');
    },
  }),
  'inspector.back': command({
    title: 'command.inspectorBack',
    keys: ['Backspace'],
    available: () => useInspector.getState().trail.length > 0,
    run: selectBefore,
  }),
  'inspector.ask': command<Ask>({
    title: 'command.ask.why',
    palette: false,
    run: (asked) => {
      useInspector.setState({ asked });
      show('why');
    },
  }),
  /** The history of a field of the state; null goes back to the records about what is selected. */
  'inspector.field': command<Path | null>({
    title: 'command.fieldHistory',
    palette: false,
    run: (field) => {
      useInspector.setState({ field });
      show('history');
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
    run: () => setDetail(useInspector.getState().detail === 'brief' ? 'full' : 'brief'),
  }),
  'inspector.since': command({
    title: 'command.changedSince',
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
