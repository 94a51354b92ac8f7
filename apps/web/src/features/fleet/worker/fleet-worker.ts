/** The script of the worker that reads the logs of many nodes. Ending it stops the reading. */
import { messageOf } from '@syncloop/core/base';
import type { FleetProgress, ReadFleet } from './messages.js';
import { readNodes } from './read-nodes.js';

const post = (progress: FleetProgress) => postMessage(progress);

self.onmessage = async ({ data }: MessageEvent<ReadFleet>) => {
  try {
    for await (const progress of readNodes(data.files)) post(progress);
  } catch (error) {
    post({ failed: messageOf(error) });
  }
};
