/** The loop itself: list 4, chapter 4.2. */
import { type ConfigOp, known, type Row, row } from './row.js';

const POD = '[^ "]+_[^ "]+\\([^)"]*\\)';
const OPS: readonly ConfigOp[] = ['ADD', 'UPDATE', 'REMOVE', 'RECONCILE', 'DELETE'];

export const loop: readonly Row[] = [
  ...OPS.map((op) => row('L-20', op === 'RECONCILE' ? 4 : 2, `SyncLoop ${op}`, 'source pods', { is: 'config', op })),
  // 1.21 release candidates: `SyncLoop (ADD, "api"): "name_namespace(uid), ..."`.
  ...OPS.map((op) =>
    row(
      'L-20',
      op === 'RECONCILE' ? 4 : 2,
      new RegExp(`^SyncLoop \\(${op}, "(?<source>[^"]*)"\\): "(?<pods>[\\s\\S]*)"$`),
      'source pods',
      { is: 'config', op },
      { until: 21 },
    ),
  ),
  row('L-22', 2, 'SyncLoop (PLEG): event for pod', 'pod event', { is: 'pleg', known: true }),
  row('L-23', 4, 'SyncLoop (PLEG): pod does not exist, ignore irrelevant event', 'event', { is: 'pleg', known: false }),
  row(
    'L-23',
    4,
    /^SyncLoop \(PLEG\): ignore irrelevant event: (?<event>[\s\S]*)$/,
    'event',
    { is: 'pleg', known: false },
    { until: 21 },
  ),
  row(
    'L-22',
    2,
    new RegExp(`^SyncLoop \\(PLEG\\): "(?<pod>${POD})", event: (?<event>[\\s\\S]*)$`),
    'pod event',
    { is: 'pleg', known: true },
    { until: 21 },
  ),
  row('L-24', 4, 'SyncLoop (SYNC) pods', 'total pods', { is: 'tick' }),
  row(
    'L-24',
    4,
    /^SyncLoop \(SYNC\): (?<total>\d+) pods; (?<pods>[\s\S]*)$/,
    'total pods',
    { is: 'tick' },
    { until: 21 },
  ),
  row('L-25', 1, 'SyncLoop (probe)', 'probe status pod', { is: 'probe-update', syncs: true }),
  row(
    'L-25',
    1,
    new RegExp(`^SyncLoop \\(container unhealthy\\): "(?<pod>${POD})"$`),
    'pod',
    // The loop hears of no other probe.
    { is: 'probe-update', probe: 'liveness', syncs: true },
    { until: 20 },
  ),
  row('L-25', 1, 'SyncLoop (container unhealthy)', 'pod', { is: 'probe-update', syncs: true }, { until: 21 }),
  row('L-26', 4, 'SyncLoop (probe): ignore irrelevant update', 'probe status update', {
    is: 'probe-update',
    syncs: false,
  }),
  row(
    'L-26',
    4,
    /^SyncLoop: ignore irrelevant update: (?<update>[\s\S]*)$/,
    'update',
    { is: 'probe-update', syncs: false },
    { until: 21 },
  ),
  row('L-27', 3, 'SyncLoop (containermanager): event for pod', 'pod event', { is: 'devices' }),
  row('L-27', 4, 'SyncLoop (containermanager): pod does not exist, ignore devices updates', 'event', { is: 'devices' }),
  row('L-28', 4, 'SyncLoop (housekeeping)', '', { is: 'housekeeping', phase: 'begin' }),
  row('L-28', 4, /^SyncLoop \(housekeeping\)$/, '', { is: 'housekeeping', phase: 'begin' }, { until: 21 }),
  row('L-28', 4, 'SyncLoop (housekeeping) end', 'duration', { is: 'housekeeping', phase: 'end' }, { since: 22 }),
  row('L-29', 4, "SyncLoop (housekeeping, skipped): sources aren't ready yet", '', {
    is: 'housekeeping',
    phase: 'skipped',
  }),
  row(
    'L-29',
    4,
    /^SyncLoop \(housekeeping, skipped\): sources aren't ready yet\.?$/,
    '',
    { is: 'housekeeping', phase: 'skipped' },
    { until: 21 },
  ),
  ...known('L-30', 'E', ['Housekeeping took longer than expected'], 'err expected actual', { since: 27 }),
  row('L-30', 'E', /^Housekeeping took longer than /, 'seconds', { is: 'nothing' }, { until: 26 }),
  row('L-30', 'E', /^housekeeping took longer than /, 'seconds', { is: 'nothing' }, { until: 26 }),
  ...known('L-31', 'E', ['Failed cleaning pods'], 'err'),
  row('L-31', 'E', 'Update channel is closed, exiting the sync loop', '', { is: 'loop', phase: 'end' }),
  ...known('L-31', 'E', ['Invalid operation type received', 'Kubelet does not support snapshot update'], 'operation'),
  row('L-32', 0, 'Pod admission denied', 'podUID pod reason message operation', { is: 'admission' }),
  row('L-32', 0, 'Failed to admit pod to node', 'pod nodeCondition', { is: 'nothing' }),
  ...known('L-33', 2, ['Predicate failed on Pod'], 'pod err'),
  ...known('L-33', 0, ['Failed to admit pod'], 'pod message'),
  row('L-34', 3, 'Pod has been deleted and must be killed', 'pod podUID', { is: 'identity' }, { since: 22 }),
  row('L-35', 2, 'Unable to find pod for mirror pod, skipping', 'mirrorPod mirrorPodUID', { is: 'mirror-unknown' }),
  ...known('L-36', 4, ['Receiving a new pod'], 'pod'),
  ...known('L-36', 4, ['Setting pods for source'], 'source'),
];
