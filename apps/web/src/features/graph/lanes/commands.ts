import { command } from '../../../commands/types.js';
import { trace } from '../../../run/trace-store.js';
import { bottom } from '../../../shell/commands.js';
import { lanes } from './lane-scroll.js';
import { type LaneSort, useLanes } from './lanes-store.js';
import { byActivity } from './logic/lanes-strip.js';

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
