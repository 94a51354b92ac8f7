import { criApiOf, minorOfEra } from '@syncloop/core/kubelet/era/nearest';
import { memo } from 'react';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { Selectable } from '../../selection/selectable.js';
import { duration, seconds } from '../../units/text.js';
import { conditionName } from './condition-names.js';
import { EndName } from './end-name.js';
import { Elapsed } from './lanes/lane.js';
import { useRowSigns } from './moment.js';
import { Calls, Clock, PartBox } from './part.js';
import { type CRIRow, criPart, plegPart, probeRows, statusRows } from './parts/parts.js';
import { eventRows } from './parts/parts-everything.js';

const RELIST_PERIOD = 1_000_000;

const RelistClock = memo(function RelistClock() {
  const t = useT();
  const fill = useTrace((s, c) =>
    s.pleg.relists === 0 ? null : Math.round(Math.min(1, (c.time - s.pleg.lastRelist) / RELIST_PERIOD) * 24) / 24,
  );
  return <Clock fill={fill} label={t('graph.ticks', { s: duration(RELIST_PERIOD) })} />;
});

/**
 * Shows the PLEG and its comparison: the state before, the state now, and the event that follows from the difference.
 */
export const PLEGNode = memo(function PLEGNode() {
  const t = useT();
  const part = useTrace(plegPart);
  const signs = useRowSigns();
  return (
    <PartBox
      kind="actual"
      id="pleg"
      className="sl-lower"
      testId="pleg"
      head={
        <>
          <Selectable selection={{ kind: 'part', part: 'pleg' }} className="sl-part-title">
            {t('pleg.title')}
          </Selectable>
          <RelistClock />
          <span className="sl-small sl-tabular">
            {part.relists > 0 &&
              `${t('pleg.relists', { n: part.relists })} · ${t('pleg.last', { t: t('time.s', { n: seconds(part.last) }) })}`}
          </span>
        </>
      }
    >
      {part.rows.length === 0 ? (
        <p className="sl-empty">{t('pleg.none')}</p>
      ) : (
        <table className="sl-table sl-pleg-table u-width-full u-relative u-no-pointer u-fs-1 u-collapse u-z-1">
          <thead>
            <tr>
              <th>{t('pleg.container')}</th>
              <th>{t('pleg.old')}</th>
              <th>{t('pleg.new')}</th>
              <th>{t('pleg.event')}</th>
            </tr>
          </thead>
          <tbody>
            {part.rows.map((row) => (
              <tr key={row.seq} {...signs(row.seq)}>
                <td>
                  <Selectable
                    selection={{ kind: row.sandbox ? 'sandbox' : 'container', id: row.id }}
                    className="sl-link"
                    title={`${row.pod} ${row.id}`}
                  >
                    {row.sandbox ? `${row.pod} (${t('lane.sandbox')})` : `${row.pod}/${row.name}`}
                  </Selectable>
                </td>
                <td>{row.old}</td>
                <td className="sl-strong">{row.new}</td>
                <td className="sl-message-text">{row.event}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </PartBox>
  );
});

/** All calls to the runtime: those in flight, then the newest. */
export const CRINode = memo(function CRINode() {
  const t = useT();
  const part = useTrace(criPart);
  const era = useSession((s) => s.info?.era);
  const observed = useSession((s) => s.info?.capabilities.observed === true);
  // The API of today's kubelets needs no label.
  const old = era !== undefined && criApiOf(minorOfEra(era)) === 'v1alpha2';
  return (
    <PartBox
      kind="message"
      id="cri"
      className="sl-lower sl-cri"
      testId="cri"
      head={
        <>
          <Selectable selection={{ kind: 'part', part: 'cri' }} className="sl-part-title">
            {t('cri.title')}
          </Selectable>
          {old && <span className="sl-small u-mono">runtime.v1alpha2</span>}
          <span className="sl-small sl-tabular">
            <Calls calls={part.calls} errors={part.errors} />
          </span>
        </>
      }
    >
      {part.rows.length + part.looks.length === 0 ? (
        <p className="sl-empty">{t(observed ? 'cri.unknown' : 'cri.none')}</p>
      ) : (
        <>
          <ul className="sl-list u-relative u-no-pointer u-z-1">
            {part.rows.map((row) => (
              <CallRow key={row.seq} row={row} />
            ))}
          </ul>
          <p className="sl-list-foot u-fs-1 u-faint">{t('cri.looks')}</p>
          <ul className="sl-list sl-list-quiet u-relative u-no-pointer u-z-1">
            {part.looks.map((row) => (
              <CallRow key={row.seq} row={row} />
            ))}
          </ul>
        </>
      )}
    </PartBox>
  );
});

function CallRow({ row }: { readonly row: CRIRow }) {
  const signs = useRowSigns();
  return (
    <li
      {...(row.took === null ? {} : signs(row.seq))}
      data-open={row.took === null || undefined}
      data-bad={row.error !== '' || undefined}
    >
      <Selectable
        selection={{ kind: 'record', seq: row.seq }}
        className="sl-link sl-code"
        title={row.error || row.method}
      >
        {row.method}
      </Selectable>
      <span className="sl-who u-grow u-ellipsis u-text-right u-faint">{row.who}</span>
      <span className="sl-tabular">
        {row.took === null ? <Elapsed since={row.since} /> : row.error !== '' ? '✕' : duration(row.took)}
      </span>
    </li>
  );
}

/** Shows `2/3` on the way to the threshold, from there on only the count: `×8`. */
const inARow = (run: number, threshold: number): string => (run < threshold ? `${run}/${threshold}` : `×${run}`);

const PROBE_ROWS = 7;

export const ProbesNode = memo(function ProbesNode() {
  const t = useT();
  const rows = useTrace(probeRows);
  return (
    <PartBox
      kind="actual"
      id="probes"
      className="sl-lower"
      dim={rows.length === 0}
      testId="probes"
      head={
        <Selectable selection={{ kind: 'part', part: 'probes' }} className="sl-part-title">
          {t('probes.title')}
        </Selectable>
      }
    >
      {rows.length === 0 ? (
        <p className="sl-empty">{t('probes.none')}</p>
      ) : (
        <table className="sl-table u-width-full u-relative u-no-pointer u-fs-1 u-collapse u-z-1">
          <thead>
            <tr>
              <th>{t('probes.probe')}</th>
              <th>{t('probes.last')}</th>
              <th>{t('probes.result')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, PROBE_ROWS).map((row) => (
              <tr key={row.key}>
                <td>
                  <Selectable selection={{ kind: 'pod', uid: row.uid }} className="sl-link" title={row.container}>
                    {row.type} {row.container}
                  </Selectable>
                </td>
                <td className="sl-tabular">
                  {row.outcome &&
                    `${row.outcome === 'success' ? '✓' : '✕'} ${row.run === null || row.threshold === null ? '' : `${inARow(row.run, row.threshold)} · `}${seconds(row.time, 1)} s`}
                </td>
                <td data-result={row.result}>{row.result}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </PartBox>
  );
});

const STATUS_ROWS = 3;

/** Shows the status manager's version of each pod: phase, version, conditions; the newest pods last. */
export const StatusNode = memo(function StatusNode() {
  const t = useT();
  const rows = useTrace(statusRows);
  const api = useTrace((s) => s.sources.api !== undefined);
  const observed = useSession((s) => s.info?.capabilities.observed === true);
  return (
    <PartBox
      kind="actual"
      id="status"
      className="sl-lower sl-status"
      dim={rows.length === 0}
      testId="status"
      head={
        <Selectable selection={{ kind: 'part', part: 'status' }} className="sl-part-title">
          {t('status.title')}
        </Selectable>
      }
    >
      {rows.length === 0 ? (
        <p className="sl-empty">{t('status.none')}</p>
      ) : (
        <ul className="sl-statuses u-column u-relative u-no-pointer u-z-1">
          {rows.slice(-STATUS_ROWS).map((row) => (
            <li className="u-border-top" key={row.uid}>
              <div className="sl-row-line u-line u-gap-8 u-target">
                <Selectable
                  selection={{ kind: 'pod', uid: row.uid }}
                  className="sl-link sl-strong u-clip"
                  title={row.pod}
                >
                  <EndName name={row.pod} />
                </Selectable>
                <span className="sl-phase u-fs-1 u-dim" data-phase={row.phase} title={row.reason}>
                  {row.phase}
                </span>
                <span className="sl-tabular sl-quiet-text u-faint" title={t('status.version')}>
                  v{row.version}
                </span>
              </div>
              <ul className="sl-conditions u-flex u-wrap u-fs-1 u-faint">
                {row.conditions.map((c) => (
                  <li key={c.type} data-on={c.status === 'True' || undefined} title={`${c.type}: ${c.status}`}>
                    <span aria-hidden="true">{c.status === 'True' ? '✓' : '○'}</span>
                    <span className="sl-visually-hidden">{c.status}</span> {conditionName(c.type, t)}
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      )}
      {rows.length > STATUS_ROWS && <p className="sl-small">{t('story.moreN', { n: rows.length - STATUS_ROWS })}</p>}
      {!api && !observed && rows.length > 0 && <p className="sl-small sl-push-down">{t('story.noApi')}</p>}
    </PartBox>
  );
});

const EVENT_ROWS = 8;

/** Shows the events about pods, as `kubectl describe` does; newest first. */
export const EventsNode = memo(function EventsNode() {
  const t = useT();
  const rows = useTrace((s) => eventRows(s, EVENT_ROWS));
  const signs = useRowSigns();
  return (
    <PartBox
      kind="message"
      id="events"
      className="sl-lower"
      dim={rows.length === 0}
      testId="events"
      head={<span className="sl-part-name u-weight-600">{t('all.events')}</span>}
    >
      {rows.length === 0 ? (
        <p className="sl-empty">{t('all.events.none')}</p>
      ) : (
        <ul className="sl-list u-relative u-no-pointer u-z-1">
          {rows.map((e) => (
            <li key={e.seq} {...signs(e.seq)} data-bad={e.warning || undefined}>
              <Selectable
                selection={{ kind: 'record', seq: e.seq }}
                className="sl-link"
                title={`${e.reason}: ${e.message}`}
              >
                {e.warning && '✕ '}
                {e.reason}
              </Selectable>
              <span className="sl-who u-grow u-ellipsis u-text-right u-faint">{e.who}</span>
            </li>
          ))}
        </ul>
      )}
    </PartBox>
  );
});
