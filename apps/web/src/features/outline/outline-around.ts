/** The parts around the loop as lines of text, as the Everything level draws them. Pure. */
import type { NodeState } from '@syncloop/core/trace';
import type { Translate } from '../../i18n/index.js';
import { seconds } from '../../units/text.js';
import {
  apiView,
  cgroupRows,
  devicesView,
  deviceWord,
  goesDown,
  isUp,
  managerRows,
  managerState,
  nodeView,
  signalRows,
  volumesView,
} from '../graph/index.js';
import { line, type OutlineLine } from './outline-line.js';

const REQUESTS = 8;

export function aroundLines(state: NodeState, t: Translate): OutlineLine {
  return line('around', t('outline.node.parts'), {
    children: [managers(state, t), node(state, t), server(state, t), lease(state, t), ...guards(state, t)],
  });
}

const at = (t: Translate, time: number): string => t('time.s', { n: seconds(time) });
const stateWord = (t: Translate, state: ReturnType<typeof managerState>['state']): string =>
  t(state === '' ? 'manager.none' : `manager.${state}`);

function managers(state: NodeState, t: Translate): OutlineLine {
  const all = managerRows(state);
  // A version's own parts alone: what it does not have is named in the graph.
  const rows = all.filter((r) => r.absent === null);
  const on = rows.filter(isUp).length;
  return line('managers', t('outline.manager'), {
    note: t('all.managers.n', { n: on, of: rows.length }),
    selection: { kind: 'part', part: 'managers' },
    open: false,
    children: rows.map((r) =>
      line(`manager/${r.name}`, r.name, {
        note: [stateWord(t, r.state), r.since !== null && at(t, r.since), r.detail],
        bad: r.state === 'failed',
        selection: r.selection,
      }),
    ),
  });
}

function node(state: NodeState, t: Translate): OutlineLine {
  const view = nodeView(state);
  return line('node-status', t('all.node'), {
    note: [
      view.name === '' ? t('all.node.none') : view.name,
      view.name !== '' && !view.reports && t('all.node.alone'),
      view.lastReport !== null && t('all.node.reports', { n: view.reported, t: at(t, view.lastReport) }),
    ],
    selection: { kind: 'part', part: 'node' },
    children: view.conditions.map((c) =>
      line(`condition/${c.type}`, `${c.type}: ${c.status}`, { note: [c.reason, c.message], bad: c.bad }),
    ),
  });
}

function server(state: NodeState, t: Translate): OutlineLine {
  const view = apiView(state, REQUESTS);
  return line('api-server', t('all.apiServer'), {
    note: view.configured
      ? [
          t('outline.calls', { n: view.requests, failed: view.errors }),
          t('all.apiServer.watches', { n: view.watches.length }),
        ]
      : t('all.apiServer.none'),
    selection: { kind: 'part', part: 'apiServer' },
    open: false,
    children: view.rows.map((r) =>
      line(`request/${r.seq}`, `${r.verb} ${r.what}`, {
        note: r.took === null ? t('outline.open', { t: at(t, r.since) }) : [r.code > 0 && String(r.code), r.error],
        bad: r.error !== '',
        selection: { kind: 'record', seq: r.seq },
      }),
    ),
  });
}

function lease({ node: { lease: held } }: NodeState, t: Translate): OutlineLine {
  return line('lease', t('all.lease'), {
    note: held
      ? held.lastError === ''
        ? t('all.lease.renewals', { n: held.renewals, t: at(t, held.lastRenewal) })
        : t('all.failed', { error: held.lastError })
      : t('node.noLease'),
    bad: (held?.lastError ?? '') !== '',
    selection: { kind: 'part', part: 'lease' },
  });
}

function guards(state: NodeState, t: Translate): OutlineLine[] {
  const devices = devicesView(state);
  const volumes = volumesView(state);
  const signals = signalRows(state);
  const down = goesDown(state);
  const { victim, conditions } = state.eviction;
  return [
    line('volumes', t('all.volumes'), {
      note: t('all.volumes.counts', { ...volumes, rows: 0 }),
      selection: { kind: 'part', part: 'volumes' },
      children: volumes.rows.map((r) =>
        line(`volume/${r.key}`, `${r.pod} ${r.volume}`, {
          note: [r.plugin, t(`volume.${r.state}`), r.error],
          bad: r.error !== '',
          selection: { kind: 'pod', uid: r.uid },
        }),
      ),
    }),
    line('eviction', t('all.eviction'), {
      note: [
        conditions.length > 0 && t('all.eviction.conditions', { conditions: conditions.join(', ') }),
        signals.length > 0 && !signals.some((s) => s.met) && t('all.eviction.well'),
        victim !== null && t('all.eviction.victim', { pod: victim.pod }),
      ],
      bad: signals.some((s) => s.met),
      selection: { kind: 'part', part: 'eviction' },
      open: false,
      children: signals.map((s) =>
        line(`signal/${s.key}`, s.signal, {
          note: t('all.eviction.left', { left: s.available, threshold: s.threshold }),
          bad: s.met,
        }),
      ),
    }),
    line('cgroups', t('all.cgroups'), {
      note: stateWord(t, managerState(state, 'containerManager').state),
      selection: { kind: 'part', part: 'cgroups' },
      open: false,
      children: cgroupRows(state).map((r) => line(`cgroup/${r.path}`, r.path, { note: [r.pod, r.limits] })),
    }),
    line('devices', t('all.devices'), {
      note: devices.away.length > 0 && t('all.devices.away', { resources: devices.away.join(', ') }),
      bad: devices.away.length > 0 || devices.rows.some((r) => r.allocated && !r.healthy),
      selection: { kind: 'part', part: 'devices' },
      children: devices.rows.map((r) =>
        line(`device/${r.key}`, `${r.resource} ${r.id}`, {
          note: [t(deviceWord(r)), r.pod],
          bad: !r.healthy,
          ...(r.uid !== '' && { selection: { kind: 'pod', uid: r.uid } as const }),
        }),
      ),
    }),
    line('shutdown', t('all.shutdown'), {
      note: down ? t('all.shutdown.now') : stateWord(t, managerState(state, 'shutdownManager').state),
      bad: down,
      selection: { kind: 'part', part: 'shutdown' },
    }),
  ];
}
