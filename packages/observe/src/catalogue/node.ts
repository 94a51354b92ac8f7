/** Eviction, garbage collection: list 4, chapter 4.8. */
import { known, type Row, row } from './row.js';

export const node: readonly Row[] = [
  ...known('L-130', 3, [
    'Eviction manager: synchronize housekeeping',
    'Eviction manager: no resources are starved',
    'Eviction manager: no pods are active',
  ]),
  ...known('L-131', 3, ['Eviction manager:'], 'log signal resourceName available capacity'),
  ...known('L-131', 3, ['Eviction manager: threshold observed resource'], 'log signal resourceName quantity time'),
  row('L-132', 0, 'Eviction manager: attempting to reclaim', 'resourceName', { is: 'eviction', phase: 'reclaim' }),
  ...known('L-132', 0, ['Eviction manager: must evict pod(s) to reclaim'], 'resourceName'),
  row('L-132', 0, 'Eviction manager: able to reduce resource pressure without evicting pods.', 'resourceName', {
    is: 'eviction',
    phase: 'reclaimed',
  }),
  row('L-132', 0, 'Eviction manager: pods ranked for eviction', 'pods', { is: 'eviction', phase: 'rank' }),
  row('L-132', 0, 'Eviction manager: pod is evicted successfully', 'pod', { is: 'eviction', phase: 'evicted' }),
  ...known('L-132', 0, ['Eviction manager: pods evicted, waiting for pod to be cleaned up'], 'pods'),
  row('L-132', 0, 'Eviction manager: pods successfully cleaned up', 'pods', { is: 'eviction', phase: 'cleaned' }),
  ...known(
    'L-132',
    'E',
    ['Eviction manager: failed to synchronize', 'Eviction manager: pod failed to evict'],
    'err pod',
  ),
  row('L-132', 0, 'Eviction manager: timed out waiting for pods to be cleaned up', 'pods', {
    is: 'eviction',
    phase: 'cleaned',
  }),
  ...known('L-132', 0, ['Eviction manager: unable to evict any pods from the node']),
  ...known(
    'L-132',
    'E',
    [
      'Eviction manager: eviction thresholds have been met, but no pods are active to evict',
      'Eviction manager: cannot evict a critical pod',
      'Eviction manager: failed to get summary stats',
      'Eviction manager: failed to get HasDedicatedImageFs',
    ],
    'err pod',
  ),
  ...known(
    'L-131',
    3,
    ['Eviction manager: node conditions - observed', 'Eviction manager: node conditions - transition period not met'],
    'nodeCondition',
  ),
  ...known('L-133', 4, ['Container garbage collection succeeded', 'Image garbage collection succeeded']),
  ...known(
    'L-133',
    'E',
    [
      'Container garbage collection failed',
      'Image garbage collection failed once. Stats initialization may not have completed yet',
      'Image garbage collection failed multiple times in a row',
    ],
    'err',
  ),
  ...known(
    'L-134',
    0,
    [
      'Disk usage on image filesystem is over the high threshold, trying to free bytes down to the low threshold',
      'Removing image to free bytes',
    ],
    'usage highThreshold amountToFree lowThreshold',
  ),
];
