import { trace } from '../../trace/trace-store.js';
import { laneOrder } from '../../view-logic/lanes.js';

/** Which pods have which lane, and how far the lanes are scrolled: shared by the lanes and what flies over them. */
export const lanes = {
  scrolled: 0,
  held: { version: -1, epoch: -1, order: [] as readonly string[] },
  order(): readonly string[] {
    const { version, epoch } = trace.cursor;
    if (this.held.version !== version || this.held.epoch !== epoch)
      this.held = { version, epoch, order: laneOrder(trace.state) };
    return this.held.order;
  },
};
