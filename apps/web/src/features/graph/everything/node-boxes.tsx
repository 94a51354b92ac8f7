/** The parts that look after the node, and the traffic between it and the API server. */

import { memo } from 'react';
import { useT } from '../../../i18n/index.js';
import { MANAGER_SOURCE } from '../../../run/source-names.js';
import { useTrace } from '../../../run/use-trace.js';
import { Selectable } from '../../../selection/selectable.js';
import { SYSTEM_OOM } from '../../../selection/selection-node.js';
import { Table } from '../../../ui/table/table.js';
import { seconds, shortPod } from '../../../units/text.js';
import { Calls } from '../part.js';
import { sleeper } from '../parts/parts-everything.js';
import {
  apiView,
  cgroupRows,
  devicesView,
  deviceWord,
  goesDown,
  isUp,
  type ManagerRow,
  managerRows,
  managerState,
  nodeView,
  type RequestRow,
  signalRows,
  volumesView,
} from '../parts/parts-node.js';
import { ExtraBox, RoundLine } from './box.js';

const SECOND = 1_000_000;
const EVICTION = 10 * SECOND;
const RENEWAL = 10 * SECOND;
const MEASURING = 60 * SECOND;

const SIGN = { '': '○', started: '✓', done: '✓', stopped: '–', failed: '✕' } as const;

/** Shows the managers one after the other, as the kubelet starts them. */
export const Managers = memo(function Managers() {
  const t = useT();
  const rows = useTrace(managerRows);
  const has = rows.filter((r) => r.absent === null);
  const on = has.filter(isUp).length;
  return (
    <ExtraBox
      id="managers"
      selection={{ kind: 'part', part: 'managers' }}
      dim={rows.every((r) => r.state === '')}
      aside={<span className="sl-small sl-tabular">{on > 0 && t('all.managers.n', { n: on, of: has.length })}</span>}
    >
      <ol className="sl-checks sl-managers u-min-width-0">
        {rows.map((r) => (
          <ManagerItem key={r.name} row={r} />
        ))}
      </ol>
    </ExtraBox>
  );
});

function ManagerItem({ row }: { readonly row: ManagerRow }) {
  const t = useT();
  const { absent } = row;
  const word =
    absent?.since !== undefined
      ? t('graph.sinceVersion', { version: `v1.${absent.since}` })
      : absent?.until !== undefined
        ? t('graph.untilVersion', { version: `v1.${absent.until}` })
        : t(row.state === '' ? 'manager.none' : `manager.${row.state}`);
  return (
    <li
      className="u-line u-gap-6 u-target u-faint"
      data-done={isUp(row) || undefined}
      data-absent={absent !== null || undefined}
      data-bad={row.state === 'failed' || undefined}
      data-newest={row.newest || undefined}
    >
      <span aria-hidden="true">{absent === null ? SIGN[row.state] : '·'}</span>
      <Selectable
        selection={row.selection}
        className="sl-link sl-code"
        title={[row.name, MANAGER_SOURCE[row.name], word, row.detail].filter(Boolean).join(' · ')}
      >
        {row.name}
      </Selectable>
      {absent === null && <span className="sl-visually-hidden">{word}</span>}
      <span className="sl-tabular sl-quiet-text u-faint">
        {absent !== null ? word : row.since !== null && t('time.s', { n: seconds(row.since) })}
      </span>
    </li>
  );
}

/** Shows the state of a single manager whose box has nothing better to show. */
function ManagerLine({ state, detail }: ReturnType<typeof managerState>) {
  const t = useT();
  return (
    <p className={state === 'failed' ? 'sl-small sl-bad sl-clip u-clip' : 'sl-small sl-clip u-clip'} title={detail}>
      {SIGN[state]} {t(state === '' ? 'manager.none' : `manager.${state}`)}
      {detail !== '' && ` · ${detail}`}
    </p>
  );
}

/** Shows the node's own report. */
export const NodeBox = memo(function NodeBox() {
  const t = useT();
  const node = useTrace(nodeView);
  return (
    <ExtraBox
      id="node"
      selection={{ kind: 'part', part: 'node' }}
      dim={node.name === ''}
      aside={<span className="sl-small sl-code">{node.name}</span>}
    >
      {node.name === '' ? (
        <p className="sl-empty">{t('all.node.none')}</p>
      ) : (
        <>
          <p className="sl-small">
            {node.reports
              ? node.registered
                ? t('all.node.reports', {
                    n: node.reported,
                    t: node.lastReport === null ? '–' : t('time.s', { n: seconds(node.lastReport) }),
                  })
                : t('all.node.registers')
              : t('all.node.alone')}
          </p>
          <ul className="sl-checks sl-node-conditions u-min-width-0">
            {node.conditions.map((c) => (
              <li
                className="u-line u-wrap u-gap-6 u-target u-faint"
                key={c.type}
                data-done={(node.reports && !c.bad) || undefined}
                data-bad={c.bad || undefined}
              >
                <span aria-hidden="true">{c.bad ? '✕' : node.reports ? '✓' : '–'}</span>
                <span className="sl-code">
                  {c.type} <strong>{c.status}</strong>
                </span>
                <span className="sl-tabular sl-quiet-text u-faint">{t('time.s', { n: seconds(c.since) })}</span>
                <span className="sl-node-reason sl-clip u-clip u-fs-1 u-faint" title={c.message}>
                  {c.type === 'Ready' || c.bad ? c.message : c.reason}
                </span>
              </li>
            ))}
          </ul>
          <Table
            heads={[t('node.resource'), t('node.capacity'), t('node.allocatable')]}
            cell="2px 4px 2px 0"
            between
            className="sl-node-table u-fs-1"
          >
            {node.resources.slice(0, 6).map((r) => (
              <tr key={r.name}>
                <th scope="row">{r.name}</th>
                <td>{r.capacity}</td>
                <td>{r.allocatable}</td>
              </tr>
            ))}
          </Table>
          <p className="sl-small sl-code sl-clip u-clip">{node.addresses.map((a) => a.address).join(' · ')}</p>
        </>
      )}
    </ExtraBox>
  );
});

const REQUESTS = 13;
const WATCHES = 6;

/** Shows the other end of the wire: the last requests, and what is watched. */
export const APIServer = memo(function APIServer() {
  const t = useT();
  const api = useTrace((s) => apiView(s, REQUESTS));
  return (
    <ExtraBox
      id="apiServer"
      selection={{ kind: 'part', part: 'apiServer' }}
      dim={!api.configured}
      active={api.rows[0]?.took === null}
      aside={
        <span className="sl-small sl-tabular">
          <Calls calls={api.requests} errors={api.errors} />
        </span>
      }
    >
      {!api.configured ? (
        <p className="sl-empty">{t('all.apiServer.none')}</p>
      ) : (
        <>
          <ul className="sl-list sl-requests u-relative u-no-pointer u-z-1">
            {api.rows.map((row) => (
              <RequestItem key={row.seq} row={row} />
            ))}
          </ul>
          <p className="sl-list-foot u-fs-1 u-faint">{t('all.apiServer.watches', { n: api.watches.length })}</p>
          <ul className="sl-list sl-list-quiet u-relative u-no-pointer u-z-1">
            {api.watches.slice(0, WATCHES).map((w) => (
              <li key={w.id}>
                <span className="sl-code sl-clip u-clip">{w.what}</span>
                <span className="sl-who sl-tabular u-grow u-ellipsis u-text-right u-faint">
                  {t('all.apiServer.since', { t: t('time.s', { n: seconds(w.since) }) })}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </ExtraBox>
  );
});

function RequestItem({ row }: { readonly row: RequestRow }) {
  const bad = row.error !== '';
  return (
    <li data-open={row.took === null || undefined} data-bad={bad || undefined}>
      <Selectable
        selection={{ kind: 'record', seq: row.seq }}
        className="sl-link sl-code"
        title={row.error || `${row.verb} ${row.what}`}
      >
        {row.verb}
      </Selectable>
      <span className="sl-code sl-clip sl-request-what u-grow u-clip" title={row.what}>
        {row.what}
      </span>
      <span className="sl-tabular">{row.took === null ? '…' : row.code || '✕'}</span>
    </li>
  );
}

/** Shows the pulse by which the cluster knows that the node lives. */
export const Lease = memo(function Lease() {
  const t = useT();
  const lease = useTrace((s) => (s.node.lease ? { ...s.node.lease } : null));
  const round = useTrace((s, c) => sleeper(s, 'nodeLease', RENEWAL, c.time));
  return (
    <ExtraBox id="lease" selection={{ kind: 'part', part: 'lease' }} dim={!round.alive}>
      <p className="sl-small">{t(round.alive ? 'all.lease.what' : 'all.lease.none')}</p>
      {round.alive && <RoundLine round={round} period={RENEWAL} />}
      {lease && (
        <p
          className={lease.lastError === '' ? 'sl-small sl-tabular' : 'sl-small sl-bad sl-clip u-clip'}
          title={lease.lastError}
        >
          {lease.lastError === ''
            ? t('all.lease.renewals', { n: lease.renewals, t: t('time.s', { n: seconds(lease.lastRenewal) }) })
            : t('all.failed', { error: lease.lastError })}
        </p>
      )}
    </ExtraBox>
  );
});

export const Shutdown = memo(function Shutdown() {
  const t = useT();
  const manager = useTrace((s) => managerState(s, 'shutdownManager'));
  const down = useTrace(goesDown);
  return (
    <ExtraBox id="shutdown" selection={{ kind: 'part', part: 'shutdown' }} dim={manager.state === ''} active={down}>
      <p className="sl-small">{t('all.shutdown.what')}</p>
      {down ? (
        <p className="sl-small sl-bad">✕ {t('all.shutdown.now')}</p>
      ) : manager.state === '' ? (
        <p className="sl-small sl-quiet-text u-faint">{t('all.shutdown.off')}</p>
      ) : (
        <ManagerLine {...manager} />
      )}
    </ExtraBox>
  );
});

export const OOM = memo(function OOM() {
  const t = useT();
  const manager = useTrace((s) => managerState(s, 'oomWatcher'));
  const seen = useTrace((s) => s.events.filter((e) => e.reason === SYSTEM_OOM).length);
  return (
    <ExtraBox id="oom" selection={{ kind: 'part', part: 'oom' }} dim={manager.state !== 'started'}>
      <p className="sl-small">{t('all.oom.what')}</p>
      <ManagerLine {...manager} />
      {seen > 0 && <p className="sl-small sl-bad">✕ {t('all.oom.seen', { n: seen })}</p>}
    </ExtraBox>
  );
});

export const Stats = memo(function Stats() {
  const t = useT();
  const manager = useTrace((s) => managerState(s, 'resourceAnalyzer'));
  const round = useTrace((s, c) => sleeper(s, 'resourceAnalyzer', MEASURING, c.time));
  return (
    <ExtraBox id="stats" selection={{ kind: 'part', part: 'stats' }} dim={manager.state !== 'started'}>
      <p className="sl-small">{t('all.stats.what')}</p>
      {manager.state === 'started' ? <RoundLine round={round} period={MEASURING} /> : <ManagerLine {...manager} />}
    </ExtraBox>
  );
});

const VOLUMES = 7;

/** Shows the volumes that pods want mounted, those that are, and the operations on them. */
export const Volumes = memo(function Volumes() {
  const t = useT();
  const { rows, desired, actual, pending } = useTrace(volumesView);
  const manager = useTrace((s) => managerState(s, 'volumeManager').state);
  // Pending volumes come first, then mounted ones, the newest first.
  const first = [...rows.filter((r) => r.state !== 'mounted'), ...rows.filter((r) => r.state === 'mounted').reverse()];
  return (
    <ExtraBox
      id="volumes"
      selection={{ kind: 'part', part: 'volumes' }}
      dim={manager !== 'started'}
      active={pending > 0}
      aside={<span className="sl-small sl-tabular">{t('all.volumes.counts', { desired, actual, pending })}</span>}
    >
      <p className="sl-small">{t('all.volumes.what')}</p>
      {rows.length === 0 ? (
        <p className="sl-small sl-quiet-text u-faint">{t('all.volumes.none')}</p>
      ) : (
        <ul className="sl-list u-relative u-no-pointer u-z-1">
          {first.slice(0, VOLUMES).map((r) => (
            <li key={r.key} data-open={r.state !== 'mounted' || undefined} data-bad={r.error !== '' || undefined}>
              <Selectable
                selection={{ kind: 'pod', uid: r.uid }}
                className="sl-link sl-code"
                title={r.error || `${r.pod} ${r.volume}`}
              >
                {r.pod}
              </Selectable>
              <span className="sl-code sl-clip u-clip">{r.volume}</span>
              <span className="sl-quiet-text sl-clip u-clip u-faint">{r.plugin}</span>
              <span className="sl-who u-grow u-ellipsis u-text-right u-faint">
                {t(`volume.${r.state}`)}
                {r.failures > 0 && ` ×${r.failures}`}
              </span>
            </li>
          ))}
          {first.length > VOLUMES && <li>{t('story.moreN', { n: first.length - VOLUMES })}</li>}
        </ul>
      )}
    </ExtraBox>
  );
});

const CGROUPS = 7;

/** The cgroups of the pods, by class of service. */
export const Cgroups = memo(function Cgroups() {
  const t = useT();
  const rows = useTrace(cgroupRows);
  const manager = useTrace((s) => managerState(s, 'containerManager'));
  return (
    <ExtraBox id="cgroups" selection={{ kind: 'part', part: 'cgroups' }} dim={rows.length === 0}>
      {rows.length === 0 ? (
        <>
          <p className="sl-small">{t('all.cgroups.what')}</p>
          <ManagerLine {...manager} />
        </>
      ) : (
        <ul className="sl-list u-relative u-no-pointer u-z-1">
          {rows.slice(0, CGROUPS).map((r) => (
            <li key={r.path}>
              <span className="sl-code sl-clip u-clip" style={{ paddingLeft: r.depth * 12 }} title={r.path}>
                {r.uid === '' ? (
                  r.name
                ) : (
                  <Selectable selection={{ kind: 'pod', uid: r.uid }} className="sl-link sl-code" title={r.path}>
                    {r.name}
                  </Selectable>
                )}
              </span>
              <span className="sl-who sl-tabular u-grow u-ellipsis u-text-right u-faint">{r.limits}</span>
            </li>
          ))}
          {rows.length > CGROUPS && <li>{t('story.moreN', { n: rows.length - CGROUPS })}</li>}
        </ul>
      )}
    </ExtraBox>
  );
});

const DEVICES = 6;

/** Shows the devices of plug-ins: their health, and the pods that have them. */
export const Devices = memo(function Devices() {
  const t = useT();
  const { there, away, rows } = useTrace(devicesView);
  return (
    <ExtraBox
      id="devices"
      selection={{ kind: 'part', part: 'devices' }}
      dim={!there}
      active={rows.some((r) => r.allocated && !r.healthy)}
    >
      {rows.length === 0 ? (
        <p className="sl-small">{t(there ? 'all.devices.none' : 'all.devices.what')}</p>
      ) : (
        <ul className="sl-list u-relative u-no-pointer u-z-1">
          {rows.slice(0, rows.length > DEVICES ? DEVICES - 1 : DEVICES).map((r) => (
            <li key={r.key} data-bad={!r.healthy || undefined}>
              <span className="sl-code sl-clip u-clip" title={`${r.resource} ${r.id}`}>
                {!r.healthy && <span aria-hidden="true">✕ </span>}
                {r.id}
              </span>
              {r.uid !== '' && (
                <Selectable selection={{ kind: 'pod', uid: r.uid }} className="sl-link sl-code" title={r.pod}>
                  {r.pod}
                </Selectable>
              )}
              <span className="sl-who u-grow u-ellipsis u-text-right u-faint">{t(deviceWord(r))}</span>
            </li>
          ))}
          {rows.length > DEVICES && <li>{t('story.moreN', { n: rows.length - DEVICES + 1 })}</li>}
        </ul>
      )}
      {away.length > 0 && <p className="sl-small sl-bad">✕ {t('all.devices.away', { resources: away.join(', ') })}</p>}
    </ExtraBox>
  );
});

const SIGNALS = 8;

/** Shows what is left of the node's resources, against the thresholds at which pods have to go. */
export const Eviction = memo(function Eviction() {
  const t = useT();
  const round = useTrace((s, c) => sleeper(s, 'evictionManager', EVICTION, c.time));
  const rows = useTrace(signalRows);
  const { conditions, victim } = useTrace((s) => ({
    conditions: [...s.eviction.conditions],
    victim: s.eviction.victim && { uid: s.eviction.victim.uid, pod: s.eviction.victim.pod },
  }));
  return (
    <ExtraBox
      id="eviction"
      selection={{ kind: 'part', part: 'eviction' }}
      dim={!round.alive}
      active={rows.some((r) => r.met)}
    >
      <div className="sl-row-line u-line u-gap-8 u-target">
        <p className="sl-small">{t(round.alive ? 'all.eviction.what' : 'all.eviction.absent')}</p>
        {round.alive && <RoundLine round={round} period={EVICTION} short />}
      </div>
      <ul className="sl-signals u-grid u-fs-1">
        {rows.slice(0, SIGNALS).map((r) => (
          <li className="u-grid u-center u-gap-8 u-target" key={r.key} data-bad={r.met || undefined}>
            <span className="sl-code sl-clip u-clip" title={r.signal}>
              {r.met && <span aria-hidden="true">✕ </span>}
              {r.signal}
            </span>
            <Gauge left={r.left} limit={r.limit} met={r.met} />
            <span className="sl-tabular">{t('all.eviction.left', { left: r.available, threshold: r.threshold })}</span>
          </li>
        ))}
      </ul>
      <p className="sl-small">
        {[
          rows.length > 0 && !rows.some((r) => r.met) && t('all.eviction.well'),
          conditions.length > 0 && t('all.eviction.conditions', { conditions: conditions.join(', ') }),
        ]
          .filter(Boolean)
          .join(' · ')}
        {victim && ' · '}
        {victim && (
          <Selectable selection={{ kind: 'pod', uid: victim.uid }} className="sl-link">
            {t('all.eviction.victim', { pod: shortPod(victim.pod) })}
          </Selectable>
        )}
      </p>
    </ExtraBox>
  );
});

/** Shows how much is left of the whole, and the mark below which it must not fall. */
function Gauge({ left, limit, met }: { readonly left: number; readonly limit: number; readonly met: boolean }) {
  return (
    <svg
      className="sl-gauge u-width-full"
      viewBox="0 0 100 8"
      preserveAspectRatio="none"
      aria-hidden="true"
      data-bad={met || undefined}
    >
      <rect className="sl-gauge-all" x="0" y="1" width="100" height="6" />
      <rect className="sl-gauge-left" x="0" y="1" width={(left * 100).toFixed(1)} height="6" />
      <rect className="sl-gauge-limit" x={(limit * 100).toFixed(1)} y="0" width="1.2" height="8" />
    </svg>
  );
}
