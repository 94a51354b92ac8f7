/**
 * Pod workers: list 4, chapter 4.3. `updateType` is the kind of request in some messages, the worker's state in others.
 */
import { known, type Row, row } from './row.js';

const teardown = (msg: string): Row =>
  row('L-42', 4, msg, 'pod podUID updateType', { is: 'worker', from: 'sync', to: 'terminating' }, { since: 22 });

export const workers: readonly Row[] = [
  row(
    'L-40',
    4,
    'Pod is being synced for the first time',
    'pod podUID updateType',
    { is: 'worker', to: 'sync' },
    {
      since: 22,
    },
  ),
  row('L-41', 4, 'Notifying pod of pending update', 'pod podUID updateType workType', { is: 'update' }, { since: 27 }),
  teardown('Pod is marked for graceful deletion, begin teardown'),
  teardown('Pod is in a terminal phase (success/failed), begin teardown'),
  teardown('Pod is being evicted by the kubelet, begin teardown'),
  teardown('Pod is being removed by the kubelet, begin teardown'),
  row('L-42', 4, 'Pod is orphaned and must be torn down', 'pod podUID updateType', {
    is: 'worker',
    to: 'terminating',
  }),
  ...known('L-43', 3, ['Cancelling current pod sync'], 'pod podUID workType'),
  row('L-44', 4, 'Pod is finished processing, no further updates', 'pod podUID updateType', { is: 'update-dropped' }),
  row(
    'L-44',
    4,
    'Pod is terminating but has been requested to restart with same UID, will be reconciled later',
    'pod podUID updateType',
    { is: 'update-dropped', again: true },
  ),
  row(
    'L-44',
    3,
    'Pod is waiting for termination, ignoring runtime-only kill until after pod worker is fully terminated',
    'pod podUID updateType',
    { is: 'update-dropped' },
  ),
  row('L-45', 4, 'Pod cannot start yet', 'pod podUID', { is: 'start-held', verdict: 'wait' }),
  row('L-45', 4, 'Pod cannot start ever', 'pod podUID updateType', { is: 'start-held', verdict: 'never' }),
  row('L-46', 4, 'Processing pod event', 'pod podUID updateType', { is: 'work', moment: 'begin' }, { since: 22 }),
  row('L-46', 4, 'Processing pod event done', 'pod podUID updateType', { is: 'work', moment: 'done' }, { since: 22 }),
  row('L-47', 'E', 'Error syncing pod, skipping', 'err pod podUID', { is: 'work', moment: 'failed' }),
  row('L-48', 2, 'Sync exited with context cancellation error', 'pod podUID updateType', {
    is: 'work',
    moment: 'cancelled',
  }),
  row('L-49', 4, 'Pod is terminal', 'pod podUID updateType', { is: 'terminal' }),
  row('L-50', 4, 'Pod indicated lifecycle completed naturally and should now terminate', 'pod podUID', {
    is: 'worker',
    from: 'sync',
    to: 'terminating',
  }),
  ...known('L-51', 4, ['Pod worker has observed request to terminate'], 'podUID'),
  row('L-52', 4, 'Pod terminated all containers successfully', 'podUID', {
    is: 'worker',
    from: 'terminating',
    to: 'terminated',
  }),
  row('L-52', 4, 'Pod terminated all orphaned containers successfully and worker can now stop', 'podUID', {
    is: 'worker',
    from: 'terminating',
    to: 'removed',
  }),
  row('L-53', 4, 'Pod is complete and the worker can now stop', 'podUID', {
    is: 'worker',
    from: 'terminated',
    to: 'finished',
  }),
  ...known('L-54', 4, ['Requeuing pod due to pending update', 'Requeueing pod due to pending update'], 'podUID'),
  ...known('L-54', 4, ['Pending update already queued'], 'podUID'),
  row('L-55', 3, 'Pod worker has stopped', 'podUID', { is: 'worker-stopped' }, { since: 27 }),
  row('L-56', 4, 'Pod is orphaned and still running, began terminating', 'podUID', {
    is: 'worker',
    from: 'sync',
    to: 'terminating',
  }),
  ...known(
    'L-56',
    4,
    [
      'Pod is orphaned and still terminating, notified the pod worker',
      'Pod is orphaned and has not been started',
      'Pod worker has been requested for removal but is still not fully terminated',
    ],
    'podUID',
  ),
  row('L-56', 4, 'Pod has been terminated and is no longer known to the kubelet, remove all history', 'podUID', {
    is: 'worker',
    to: 'removed',
  }),
  row(
    'L-56',
    4,
    'Pod has been terminated but another pod with the same UID was created, remove history to allow restart',
    'podUID',
    { is: 'worker', to: 'removed' },
  ),
];
