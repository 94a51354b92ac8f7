import { eventAge, type FoldedEvent } from '@syncloop/core/kubectl';
import type { Seq } from '@syncloop/core/trace';
import { useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { folded } from '../../run/folded.js';
import { eventIndex } from '../../run/record-index.js';
import { trace } from '../../run/trace-store.js';
import { useThrottled } from '../../run/use-throttled.js';
import { GoThere } from '../../selection/record-link.js';
import { Rows } from '../../ui/rows.js';
import { shortPod } from '../../units/text.js';
import '../../ui/styles/tables.css';

type Type = '' | 'Normal' | 'Warning';
interface Row {
  readonly key: string;
  readonly seen: string;
  readonly type: FoldedEvent['type'];
  readonly reason: string;
  readonly object: string;
  readonly message: string;
  readonly seqs: readonly Seq[];
}

/** A pod by its name, anything else with its kind. */
const objectOf = (e: FoldedEvent): string =>
  e.kind === 'Pod' ? shortPod(`${e.namespace}/${e.name}`) : `${e.kind.toLowerCase()}/${e.name}`;

/**
 * Events as `kubectl get events` has them: repetitions are counted. A row leads to its newest record, and again to the
 * one before.
 */
export function EventsList({ filter }: { readonly filter: string }) {
  const t = useT();
  const [type, setType] = useState<Type>('');
  const [pod, setPod] = useState('');
  const wanted = filter.trim().toLowerCase();
  const selected = useUI((s) => (s.selection?.kind === 'record' ? s.selection.seq : 0));
  const { rows, pods, any } = useThrottled(() => {
    const events = folded(eventIndex.sync(trace.records));
    const { time } = trace.cursor;
    const shown = events.filter(
      (e) =>
        (type === '' || e.type === type) &&
        (pod === '' || objectOf(e) === pod) &&
        (wanted === '' || `${e.type} ${e.reason} ${objectOf(e)} ${e.message}`.toLowerCase().includes(wanted)),
    );
    return {
      rows: shown.map(
        (e): Row => ({
          key: e.key,
          seen: eventAge(e, time),
          type: e.type,
          reason: e.reason,
          object: objectOf(e),
          message: e.message.trim(),
          seqs: [...e.seqs],
        }),
      ),
      pods: [...new Set(events.map(objectOf))].sort(),
      any: events.length > 0,
    };
  }, `${wanted}|${type}|${pod}`);
  if (!any) return <p className="sl-empty">{t('events.none')}</p>;
  const marked = selected === 0 ? -1 : rows.findIndex((e) => e.seqs.includes(selected));
  return (
    <div className="sl-ktable-page u-column u-min-height-0 u-height-full">
      <div className="sl-ktable-bar u-row u-wrap u-border-bottom u-fs-1 u-dim">
        <label>
          {t('eventTable.type')}
          <select value={type} onChange={(e) => setType(e.currentTarget.value as Type)} data-testid="event-type">
            <option value="">{t('eventTable.all')}</option>
            <option value="Normal">Normal</option>
            <option value="Warning">Warning</option>
          </select>
        </label>
        <label>
          {t('eventTable.pod')}
          <select value={pod} onChange={(e) => setPod(e.currentTarget.value)}>
            <option value="">{t('eventTable.anyPod')}</option>
            {(pod === '' || pods.includes(pod) ? pods : [pod, ...pods]).map((p) => (
              <option key={p}>{p}</option>
            ))}
          </select>
        </label>
      </div>
      {rows.length === 0 ? (
        <p className="sl-empty">{t('eventTable.noMatch')}</p>
      ) : (
        <Rows
          items={rows}
          keyOf={(e) => e.key}
          height={24}
          label={t('panel.events')}
          testId="event-list"
          reveal={marked}
          row={(e) => <EventRow event={e} selected={e.seqs.includes(selected) ? selected : 0} />}
        />
      )}
    </div>
  );
}

function EventRow({ event: e, selected }: { readonly event: Row; readonly selected: Seq }) {
  const t = useT();
  const at = e.seqs.indexOf(selected);
  // The newest comes first; from there each press leads to the one before, and from the first one back to the newest.
  const next = e.seqs[at > 0 ? at - 1 : e.seqs.length - 1] ?? 0;
  const title = at > 0 ? t('eventTable.older', { n: at, total: e.seqs.length }) : undefined;
  return (
    <div className="sl-record-row u-row u-height-full">
      <button
        type="button"
        className="sl-record u-line u-width-full u-height-full u-hidden-overflow u-bare u-pointer u-text-left"
        data-type={e.type}
        aria-pressed={selected !== 0}
        title={title}
        onClick={() => runCommand('view.select', { kind: 'record', seq: next })}
      >
        <span className="sl-event-seen u-flex-none u-fs-1 u-tabular u-time">{e.seen}</span>
        <span className="sl-event-type u-flex-none u-faint" data-type={e.type}>
          {e.type === 'Warning' ? '▲ Warning' : 'Normal'}
        </span>
        <span className="sl-event-reason u-flex-none u-ellipsis u-weight-600">{e.reason}</span>
        <span className="sl-event-object u-flex-none u-ellipsis u-dim">{e.object}</span>
        <span className="sl-record-text u-ellipsis">{e.message}</span>
      </button>
      <GoThere seq={selected || (e.seqs.at(-1) ?? 0)} />
    </div>
  );
}
