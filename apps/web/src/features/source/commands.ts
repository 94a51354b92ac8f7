import type { Seq } from '@syncloop/core/trace';
import { command } from '../../commands/types.js';
import { toggleInspector, useUI } from '../../page/ui-store.js';
import { trace } from '../../run/trace-store.js';
import { sourcePositionOf } from './logic/source-position.js';
import { selectionInSight, setWide, useSource } from './source-store.js';

const inSight = (): boolean => {
  const { inspectorOpen, inspectorTab } = useUI.getState();
  return inspectorOpen && inspectorTab === 'source';
};
/** The place that the Source tab shows. */
const position = () =>
  useSource.getState().held ?? sourcePositionOf(trace.records, selectionInSight(useUI.getState().selection));

export const sourceCommands = {
  'inspector.source': command({ title: 'command.source', keys: ['U'], group: 'ask', run: toggleInspector('source') }),
  /** Shows one of the open calls, by its `enter` record, until the session moves on. */
  'source.call': command<Seq>({
    title: 'command.sourceCall',
    palette: false,
    run: (call) => useSource.setState({ picked: { at: position().seq, call } }),
  }),
  /** Goes to a function by its name, as `enter` records have it: its place on the map, and its source. */
  'source.open': command<string>({
    title: 'command.sourceOpen',
    palette: false,
    run: async (fn) => (await import('./open-function.js')).openFunction(fn),
  }),
  'source.follow': command({
    title: 'command.sourceFollow',
    group: 'ask',
    available: inSight,
    run: () => useSource.setState((s) => ({ held: s.held ? null : position() })),
  }),
  'source.wide': command({
    title: 'command.sourceWide',
    group: 'ask',
    available: inSight,
    run: () => setWide(!useSource.getState().wide),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof sourceCommands> {}
}
