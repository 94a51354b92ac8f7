import { type PodRow, podRow, withStatus } from '@syncloop/core/kubectl';
import type { RecordOf } from '@syncloop/core/trace';
import { useEffect, useMemo, useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { type Translate, useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { firstAt, statusIndex } from '../../run/record-index.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { useThrottled } from '../../run/use-throttled.js';
import { GoThere } from '../../selection/record-link.js';
import { Rows } from '../../ui/rows.js';
import { toneOf } from '../../units/pod-tone.js';
import { seconds } from '../../units/text.js';
import { worldNow } from './context.js';
import { freshObjects, knownObjects } from './objects.js';
import type { Pod } from './pod.js';
import './console.css';
import '../../ui/styles/tables.css';

/** Written as kubectl's columns are called. */
const COLUMNS: readonly (readonly [string, keyof PodRow])[] = [
  ['NAMESPACE', 'namespace'],
  ['NAME', 'name'],
  ['READY', 'ready'],
  ['STATUS', 'status'],
  ['RESTARTS', 'restarts'],
  ['AGE', 'age'],
  ['IP', 'ip'],
  ['NODE', 'node'],
  ['NOMINATED NODE', 'nominatedNode'],
  ['READINESS GATES', 'readinessGates'],
];

/** The shortest time between two questions for the session's objects while records come in. */
const OBJECTS_MILLIS = 1_000;

/**
 * Keeps the objects fresh, as long as the session is at the end of the known run: elsewhere it would have to run there
 * again.
 */
function useObjects(): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let asked = -1;
    const look = () => {
      timer = undefined;
      const { run, phase } = useSession.getState();
      const atEnd = run.end === undefined || run.end.seq <= run.seq;
      if (phase !== 'ready' || !atEnd || asked === trace.cursor.seq) return;
      asked = trace.cursor.seq;
      void freshObjects().then(() => trace.changed());
    };
    const stop = trace.subscribe(() => {
      timer ??= setTimeout(look, OBJECTS_MILLIS);
    });
    look();
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
}

interface Row {
  readonly uid: string;
  readonly cells: PodRow;
  /** Record of its last status. */
  readonly seq: number;
  /** The API server's version of it: null if there is no server, '' if it has not got the pod, = for the same. */
  readonly server: string | null;
}

/** `kubectl get pods -o wide`, live; or, with -w, a line for each change. */
export function PodTable({ filter }: { readonly filter: string }) {
  const t = useT();
  useObjects();
  const [watch, setWatch] = useState(false);
  return (
    <div className="sl-ktable-page u-column u-min-height-0 u-height-full">
      <div className="sl-ktable-bar u-row u-wrap u-border-bottom u-fs-1 u-dim">
        <label title={t('podTable.watchHelp')}>
          <input
            type="checkbox"
            checked={watch}
            onChange={(e) => setWatch(e.currentTarget.checked)}
            data-testid="pod-watch"
          />
          {t('podTable.watch')}
        </label>
        <span>{t('podTable.view')}</span>
      </div>
      {watch ? <WatchList filter={filter} /> : <Table filter={filter} />}
    </div>
  );
}

function Table({ filter }: { readonly filter: string }) {
  const t = useT();
  const wanted = filter.trim().toLowerCase();
  const selection = useUI((s) => s.selection);
  const rows = useThrottled(() => rowsNow().filter((r) => matches(r.cells, wanted)), wanted, 250);
  const server = rows.some((r) => r.server !== null);
  const namespaces = useMemo(() => new Set(rows.map((r) => r.cells.namespace)).size > 1, [rows]);
  if (rows.length === 0) return <p className="sl-empty">{t(wanted === '' ? 'podTable.none' : 'podTable.noMatch')}</p>;
  const columns = namespaces ? COLUMNS : COLUMNS.slice(1);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className="sl-ktable-wrap u-height-full u-scroll" aria-label={t('podTable.label')} tabIndex={0}>
      <table className="sl-ktable u-nowrap u-collapse" data-testid="pod-table">
        <thead>
          <tr>
            {columns.map(([title]) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
            {server && (
              <th scope="col" title={t('podTable.serverHelp')}>
                {t('podTable.server')}
              </th>
            )}
            <th scope="col">
              <span className="sl-visually-hidden">{t('inspector.goTo')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((r) => (
            <tr key={r.uid} data-selected={(selection?.kind === 'pod' && selection.uid === r.uid) || undefined}>
              {columns.map(([title, key]) => (
                <td key={title} data-tone={key === 'status' ? toneOf(r.cells.status) : undefined}>
                  {key === 'name' ? (
                    <button
                      type="button"
                      className="sl-link"
                      aria-pressed={selection?.kind === 'pod' && selection.uid === r.uid}
                      onClick={() => runCommand('view.select', { kind: 'pod', uid: r.uid })}
                    >
                      {r.cells.name}
                    </button>
                  ) : (
                    r.cells[key]
                  )}
                </td>
              ))}
              {server && <td>{serverText(r.server, t)}</td>}
              <td>{r.seq > 0 && <GoThere seq={r.seq} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const serverText = (says: string | null, t: Translate): string =>
  says === '' ? t('podTable.serverNone') : says === '=' ? t('podTable.serverSame') : (says ?? '');

const matches = (cells: PodRow, wanted: string): boolean =>
  wanted === '' || Object.values(cells).some((v: string) => v.toLowerCase().includes(wanted));

function rowsNow(): Row[] {
  const world = worldNow();
  const { api } = knownObjects();
  const statuses = statusIndex.sync(trace.records);
  return world.pods.map((pod) => {
    const cells = podRow(pod, world.now);
    return {
      uid: pod.metadata.uid,
      cells,
      seq: lastOf(statuses, pod.metadata.uid),
      server: api === null ? null : serverSays(pod, cells, api, world.now),
    };
  });
}

/** The newest status record of a pod, among the last ones. */
function lastOf(records: readonly { readonly uid: string; readonly seq: number }[], uid: string): number {
  for (let i = records.length - 1; i >= Math.max(0, records.length - 3_000); i--)
    if (records[i]?.uid === uid) return records[i]?.seq ?? 0;
  return 0;
}

/** A static pod is known there by its mirror, which has another uid. */
function serverSays(pod: Pod, cells: PodRow, api: readonly Pod[], now: number): string {
  const there = api.find(
    (p) => p.metadata.name === pod.metadata.name && p.metadata.namespace === pod.metadata.namespace,
  );
  if (!there) return '';
  const its = podRow(there, now);
  return its.status === cells.status && its.ready === cells.ready ? '=' : `${its.ready} ${its.status}`;
}

interface Line {
  readonly seq: number;
  readonly time: number;
  readonly uid: string;
  readonly cells: PodRow | null;
  readonly name: string;
}

/** Most lines that are looked at; the newest. */
const MOST_WATCHED = 5_000;

/** A line for each status that the kubelet set, with AGE as it was then. */
function WatchList({ filter }: { readonly filter: string }) {
  const t = useT();
  const wanted = filter.trim().toLowerCase();
  const selected = useUI((s) => (s.selection?.kind === 'record' ? s.selection.seq : 0));
  const lines = useThrottled(() => {
    const records = statusIndex.sync(trace.records).slice(-MOST_WATCHED);
    return records
      .map(lineOf)
      .filter((l) => wanted === '' || (l.cells ? matches(l.cells, wanted) : l.name.includes(wanted)));
  }, wanted);
  if (lines.length === 0) return <p className="sl-empty">{t('podTable.filterEmpty')}</p>;
  const at = firstAt(lines, selected);
  return (
    <div className="sl-ktable-page u-column u-min-height-0 u-height-full">
      <div
        className="sl-kcells-head u-line u-flex-none u-hidden-overflow u-nowrap u-pad-4 u-border-bottom u-faint"
        aria-hidden="true"
      >
        <span className="sl-record-time u-flex-none u-fs-1 u-text-right u-time">s</span>
        <span className="sl-kcell sl-kcell-name u-flex-none">NAME</span>
        <span className="sl-kcell u-flex-none">READY</span>
        <span className="sl-kcell sl-kcell-status u-flex-none">STATUS</span>
        <span className="sl-kcell sl-kcell-restarts u-flex-none">RESTARTS</span>
        <span className="sl-kcell u-flex-none">AGE</span>
        <span className="sl-kcell u-flex-none">IP</span>
      </div>
      <Rows
        items={lines}
        keyOf={(l) => l.seq}
        height={24}
        label={t('podTable.watchHelp')}
        testId="pod-watch-list"
        reveal={lines[at]?.seq === selected ? at : -1}
        row={(l) => (
          <div className="sl-record-row u-row u-height-full">
            <button
              type="button"
              className="sl-record sl-log u-line u-width-full u-height-full u-hidden-overflow u-bare u-pointer u-fs-1 u-mono u-text-left"
              aria-pressed={l.seq === selected}
              onClick={() => runCommand('view.select', { kind: 'record', seq: l.seq })}
            >
              <span className="sl-record-time u-flex-none u-fs-1 u-text-right u-time">{seconds(l.time)}</span>
              <span className="sl-kcell sl-kcell-name u-flex-none">{l.name}</span>
              {l.cells ? (
                <>
                  <span className="sl-kcell u-flex-none">{l.cells.ready}</span>
                  <span className="sl-kcell sl-kcell-status u-flex-none" data-tone={toneOf(l.cells.status)}>
                    {l.cells.status}
                  </span>
                  <span className="sl-kcell sl-kcell-restarts u-flex-none">{l.cells.restarts}</span>
                  <span className="sl-kcell u-flex-none">{l.cells.age}</span>
                  <span className="sl-kcell u-flex-none">{l.cells.ip}</span>
                </>
              ) : (
                <span className="sl-kcell u-flex-none">{t('podTable.gone')}</span>
              )}
            </button>
            <GoThere seq={l.seq} />
          </div>
        )}
      />
    </div>
  );
}

function lineOf(r: RecordOf<'status' | 'status-removed'>): Line {
  const name = r.pod.replace(/^default\//, '');
  const head = { seq: r.seq, time: r.time, uid: r.uid, name };
  if (r.kind === 'status-removed') return { ...head, cells: null };
  const { info } = useSession.getState();
  const known = knownObjects().pods.find((p) => p.metadata.uid === r.uid);
  const pod = withStatus(
    trace.state.pods[r.uid] ?? { uid: r.uid, pod: r.pod },
    r.status as unknown as Pod['status'],
    info?.node ?? '',
    // This status may be from before the deletion.
    known && { ...known, metadata: { ...known.metadata, deletionTimestamp: null } },
  );
  return { ...head, cells: podRow(pod, (info?.epochMillis ?? 0) + r.time / 1000) };
}
