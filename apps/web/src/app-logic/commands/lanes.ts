import { lanes } from '../../panels/graph/lane-scroll.js';
import { type LaneSort, useLanes } from '../../store/lanes-store.js';
import { trace } from '../../trace/trace-store.js';
import { byActivity } from '../../view-logic/lanes-strip.js';
import { command } from './types.js';
import { bottom } from './view.js';

export const laneCommands = {
  'view.outline': command({ title: 'command.outline', keys: ['O'], run: bottom('outline') }),
  /** By activity: as it is at this moment, again each time. */
  'lanes.sort': command<LaneSort>({
    title: 'command.lanesSort',
    palette: false,
    run: (sort) => {
      const ranked = sort === 'activity' ? byActivity(trace.state, lanes.order(), lanes.index()) : [];
      useLanes.setState({ sort, ranked });
      lanes.sorted();
    },
  }),
};
