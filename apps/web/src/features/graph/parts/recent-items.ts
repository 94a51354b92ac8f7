/** The page's memory of the last moment; updated before the views are notified. */

import { keyOfChannel } from '../../../run/loop.js';
import { trace } from '../../../run/trace-store.js';
import { Recent } from './recent.js';

export const recent = new Recent();
let epoch = trace.cursor.epoch;

trace.onBatch((records) => {
  if (trace.cursor.epoch !== epoch) {
    epoch = trace.cursor.epoch;
    recent.clear();
  }
  const { state } = trace;
  recent.take(records, state.loop.g, (id) => keyOfChannel(state.channels[id]?.name ?? ''));
});
