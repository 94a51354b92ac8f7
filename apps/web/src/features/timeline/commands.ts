import type { Seq } from '@syncloop/core/trace';
import { command } from '../../commands/types.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { setMode, useTimeline } from './timeline-store.js';
import { timelineView } from './timeline-view.js';

const there = () => timelineView.there;
const canGo = () => {
  const { phase, info } = useSession.getState();
  return phase === 'ready' && info?.capabilities.rewind === true;
};
const selected = (): Seq => {
  const { selection } = useUI.getState();
  return selection?.kind === 'record' ? selection.seq : 0;
};
const go = async (seq: Seq) => {
  await session.command({ do: 'go', to: { seq } });
};

export const timelineCommands = {
  'view.timeline': command({
    title: 'command.timeline',
    keys: ['T'],
    group: 'panels',
    run: () => useUI.setState((s) => ({ bottom: s.bottom === 'timeline' ? null : 'timeline' })),
  }),
  'timeline.mode': command({
    title: 'command.timelineMode',
    group: 'graph',
    available: there,
    run: () => setMode(useTimeline.getState().mode === 'time' ? 'records' : 'time'),
  }),
  'timeline.fit': command({
    title: 'command.timelineFit',
    group: 'graph',
    available: there,
    run: () => timelineView.fit(),
  }),
  'timeline.zoomIn': command({
    title: 'command.timelineIn',
    group: 'graph',
    available: there,
    run: () => timelineView.zoom(1.6),
  }),
  'timeline.zoomOut': command({
    title: 'command.timelineOut',
    group: 'graph',
    available: there,
    run: () => timelineView.zoom(1 / 1.6),
  }),
  'timeline.fitRange': command({
    title: 'command.timelineFitRange',
    group: 'graph',
    available: () => there() && useTimeline.getState().range !== null,
    run: () => timelineView.fitRange(),
  }),
  'timeline.clearRange': command({
    title: 'command.timelineClearRange',
    group: 'graph',
    available: () => useTimeline.getState().range !== null,
    run: () => useTimeline.setState({ range: null, counts: null }),
  }),
  'timeline.nextHit': command({
    title: 'command.timelineNextHit',
    group: 'graph',
    available: there,
    run: () => timelineView.hit(1),
  }),
  'timeline.previousHit': command({
    title: 'command.timelinePreviousHit',
    group: 'graph',
    available: there,
    run: () => timelineView.hit(-1),
  }),
  /** Selects without opening the inspector: for moving along with the keyboard. */
  'timeline.focus': command<Seq>({
    title: 'command.select',
    palette: false,
    run: (seq) => useUI.setState({ selection: { kind: 'record', seq } }),
  }),
  'timeline.go': command<Seq>({ title: 'command.timelineGo', palette: false, available: canGo, run: go }),
  'timeline.goSelected': command({
    title: 'command.timelineGo',
    group: 'run',
    available: () => canGo() && selected() > 0,
    fits: () => 0.8,
    run: () => go(selected()),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof timelineCommands> {}
}
