import { runCommand } from '../../app-logic/commands/index.js';
import { useT } from '../../i18n/index.js';
import { useTrace } from '../../trace/use-trace.js';
import { seconds, shortPod } from '../../view-logic/text.js';
import { Rows } from '../../widgets/rows.js';

/** Kubernetes events: what the kubelet would tell the API server. */
export function EventsList() {
  const t = useT();
  const events = useTrace((s) =>
    s.events.map((e) => ({
      seq: e.seq,
      time: e.time,
      type: e.type,
      reason: e.reason,
      message: e.message,
      object: shortPod(`${e.object.namespace}/${e.object.name}`),
    })),
  );
  if (events.length === 0) return <p className="sl-empty">{t('events.none')}</p>;
  return (
    <Rows
      items={events}
      keyOf={(e) => e.seq}
      height={22}
      label={t('panel.events')}
      testId="events"
      row={(e) => (
        <button
          type="button"
          className="sl-record"
          data-type={e.type}
          onClick={() => runCommand('view.select', { kind: 'record', seq: e.seq })}
        >
          <span className="sl-record-time">{seconds(e.time)}</span>
          <span className="sl-event-type" data-type={e.type}>
            {e.type === 'Warning' ? '▲ Warning' : 'Normal'}
          </span>
          <span className="sl-event-reason">{e.reason}</span>
          <span className="sl-event-object">{e.object}</span>
          <span className="sl-record-text">{e.message}</span>
        </button>
      )}
    />
  );
}
