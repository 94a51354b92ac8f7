import type { Seq } from '@syncloop/core/trace';
import { command } from '../../commands/types.js';
import { useUI } from '../../page/ui-store.js';
import type { Level } from './geometry/geometry-levels.js';
import { setLevel, toggleFolded, toggleMinimap, togglePresenting, unfoldAll, useGraph } from './graph-store.js';
import { graphView } from './graph-view.js';

const level = (to: Level) => () => setLevel(to);
const selected = (): Seq => {
  const { selection } = useUI.getState();
  return selection?.kind === 'record' ? selection.seq : 0;
};

/** The graph's levels of detail, its overlays, and what is followed. */
export const graphCommands = {
  'view.follow': command({
    title: 'command.follow',
    keys: ['L'],
    group: 'graph',
    run: () => useUI.setState((s) => ({ follow: !s.follow })),
  }),
  'view.fit': command({ title: 'command.fit', keys: ['F'], group: 'graph', run: () => graphView.fit() }),
  'view.zoomIn': command({ title: 'command.zoomIn', keys: ['+', '='], group: 'graph', run: () => graphView.zoom(1.2) }),
  'view.zoomOut': command({
    title: 'command.zoomOut',
    keys: ['-'],
    group: 'graph',
    run: () => graphView.zoom(1 / 1.2),
  }),
  'view.level.story': command({ title: 'command.levelStory', keys: ['1'], group: 'graph', run: level('story') }),
  'view.level.loop': command({ title: 'command.levelLoop', keys: ['2'], group: 'graph', run: level('loop') }),
  'view.level.everything': command({
    title: 'command.levelEverything',
    keys: ['3'],
    group: 'graph',
    run: level('everything'),
  }),
  'view.present': command({ title: 'command.present', keys: ['Shift+F'], group: 'graph', run: togglePresenting }),
  'view.legend': command({
    title: 'command.legend',
    group: 'graph',
    run: () => useGraph.setState((s) => ({ legend: !s.legend })),
  }),
  'view.minimap': command({ title: 'command.minimap', group: 'graph', run: toggleMinimap }),
  'view.fold': command<string>({ title: 'command.fold', palette: false, run: toggleFolded }),
  'view.unfoldAll': command({
    title: 'command.unfoldAll',
    group: 'graph',
    available: () => Object.keys(useGraph.getState().folded).length > 0,
    run: unfoldAll,
  }),
  /** Follows what a record caused: a message in a channel to its containers. 0 ends it. */
  'view.followItem': command<Seq>({
    title: 'command.followItem',
    palette: false,
    run: (seq) => useGraph.setState((s) => ({ followed: s.followed === seq ? 0 : seq })),
  }),
  'view.followSelected': command({
    title: 'command.followItem',
    keys: ['Shift+L'],
    group: 'graph',
    available: () => selected() > 0,
    hint: () => 'blocked.select',
    fits: () => 0.5,
    run: () => useGraph.setState({ followed: selected() }),
  }),
  'view.followStop': command({
    title: 'command.followStop',
    group: 'graph',
    available: () => useGraph.getState().followed > 0,
    run: () => useGraph.setState({ followed: 0 }),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof graphCommands> {}
}
