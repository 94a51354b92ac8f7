/** The PLEG: list 4, chapter 4.5. */
import { known, type Row, row } from './row.js';

export const pleg: readonly Row[] = [
  // cAdvisor sees the cgroup of a container while it is created: its id is the last part of the name.
  row('L-82', 3, /^Added container: "(?<cgroup>[^"]*?(?<containerID>[0-9a-f]{64})(?:\.scope)?)"/, 'cgroup', {
    is: 'cgroup-seen',
  }),
  ...known('L-80', 5, ['GenericPLEG: Relisting']),
  ...known('L-81', 5, ['GenericPLEG: Relisting Pod'], 'podUID', { since: 36 }),
  row('L-82', 4, 'GenericPLEG', 'podUID containerID oldState newState', { is: 'transition' }),
  row(
    'L-82',
    4,
    /^GenericPLEG: (?<podUID>[^/ ]+)\/(?<containerID>\S+): (?<oldState>\S+) -> (?<newState>\S+)$/,
    'podUID containerID oldState newState',
    { is: 'transition' },
    { until: 21 },
  ),
  ...known('L-83', 4, ['PLEG: Write status'], 'pod'),
  ...known('L-84', 4, ['PLEG: Delete status for pod'], 'podUID'),
  row('L-85', 2, 'Generic (PLEG): container finished', 'podID containerID exitCode', { is: 'finished' }, { since: 22 }),
  ...known('L-86', 4, ['PLEG: Ignoring events for pod'], 'pod err'),
  ...known('L-87', 'E', ['Event channel is full, discard this relist() cycle event']),
  ...known('L-87', 'E', ['Relist request channel full; dropping relist request'], 'podUID', { since: 36 }),
  ...known('L-87', 'E', ['GenericPLEG: Unable to retrieve pods'], 'err'),
  ...known(
    'L-89',
    4,
    [
      'Received Container Created Event',
      'Received Container Started Event',
      'Received Container Stopped Event',
      'Received Container Deleted Event',
      'Fall back to Generic PLEG relisting since Evented PLEG is not working',
    ],
    'event',
    { since: 26 },
  ),
  ...known('L-89', 'E', ['Evented PLEG: Event channel is full, discarded pod lifecycle event'], '', { since: 26 }),
  ...known('L-88', 4, ['Retrieved pods from runtime'], 'all'),
  row(
    'L-88',
    4,
    'getSandboxIDByPodUID got sandbox IDs for pod',
    'podSandboxID pod',
    { is: 'sandbox-ids' },
    { until: 35 },
  ),
];
