import { command } from '../../../commands/types.js';
import { trace } from '../../../run/trace-store.js';
import { lanes } from './lane-scroll.js';
import { type LaneSort, useLanes } from './lanes-store.js';
import { byActivity } from './logic/lanes-strip.js';

export const laneCommands = {
  /** Sorts the lanes; by activity means as it is at this moment, again each time. */
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

declare module '../../../commands/index.js' {
  interface Commands extends Arguments<typeof laneCommands> {}
}
