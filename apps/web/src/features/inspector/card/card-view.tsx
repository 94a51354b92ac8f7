import type { TraceRecord } from '@syncloop/core/trace';
import { type Translate, useT } from '../../../i18n/index.js';
import { type Selection, useUI } from '../../../page/ui-store.js';
import { sentence } from '../../../run/narration.js';
import { newest } from '../../../run/queries.js';
import { trace } from '../../../run/trace-store.js';
import { useThrottled } from '../../../run/use-throttled.js';
import { useTrace } from '../../../run/use-trace.js';
import { useWhen } from '../../../run/wall-time.js';
import { RecordLink } from '../../../selection/record-link.js';
import { about } from '../../../selection/selection.js';
import { Facts } from '../../../ui/facts/facts.js';
import { cardOf, type Line } from './card.js';
import './card.css';

const say = (t: Translate, { key, params }: Line): string =>
  t(
    key,
    params &&
      Object.fromEntries(Object.entries(params).map(([name, v]) => [name, typeof v === 'object' ? say(t, v) : v])),
  );

/** The number of records that are searched for the last event, and for the begin of a pod's phase. */
const REACH = 5_000;

/** Returns the newest record about the selection, without plumbing if there is another one. */
function lastAbout(selection: Selection): TraceRecord | null {
  const test = about(trace.state, selection);
  const [record] = newest(trace.records, 1, (r) => r.kind !== 'log' && r.kind !== 'exit' && test(r), REACH);
  return record ?? null;
}

/** Returns since when a pod has had its phase, as far as the records in memory go back. */
function phaseSince(uid: string): number | null {
  const phase = trace.state.pods[uid]?.phase ?? '';
  let since: number | null = null;
  const phaseOf = (status: unknown) =>
    typeof status === 'object' && status !== null && 'phase' in status ? String(status.phase) : '';
  newest(
    trace.records,
    1,
    (r) => {
      if (r.kind !== 'status' || r.uid !== uid) return false;
      if (phaseOf(r.status) !== phase) return true;
      since = r.time;
      return false;
    },
    REACH,
  );
  return since;
}

/** Shows the selection for people: its state, since when, what it waits for, the last event and the next. */
export function CardView({ selection }: { readonly selection: Selection }) {
  const t = useT();
  const when = useWhen();
  const lang = useUI((s) => s.lang);
  const key = JSON.stringify(selection);
  const since = useThrottled(() => (selection.kind === 'pod' ? phaseSince(selection.uid) : null), key, 250);
  const card = useTrace((s) => cardOf(s, selection, since));
  const last = useThrottled(() => (selection.kind === 'record' ? null : lastAbout(selection)), key, 250);
  if (selection.kind === 'record') return <RecordCard seq={selection.seq} />;
  if (!card) return null;
  return (
    <section className="sl-what-card u-fs-2" data-testid="what-card">
      <p className="sl-what-state u-break">{card.state.map((l) => say(t, l)).join(' ')}</p>
      <Facts className="sl-what-facts">
        {card.since !== null && (
          <>
            <dt>{t('card.since')}</dt>
            <dd className="sl-time-text sl-tabular">{when(card.since)}</dd>
          </>
        )}
        {selection.kind !== 'goroutine' && (
          <>
            <dt>{t('card.waits')}</dt>
            <dd>{card.waits ? say(t, card.waits) : t('card.none')}</dd>
          </>
        )}
        {last && (
          <>
            <dt>{t('card.last')}</dt>
            <dd>
              {sentence(last, lang).text} <RecordLink seq={last.seq} time={last.time} />
            </dd>
          </>
        )}
        {card.next && (
          <>
            <dt>{t('card.next')}</dt>
            <dd>{say(t, card.next)}</dd>
          </>
        )}
      </Facts>
    </section>
  );
}

/** The number of records ahead that are searched for one that this record caused. */
const AHEAD = 500;

/** Shows a record: its sentence, its cause, and the first record that it caused. */
function RecordCard({ seq }: { readonly seq: number }) {
  const t = useT();
  const when = useWhen();
  const lang = useUI((s) => s.lang);
  const found = useThrottled(
    () => {
      const { records } = trace;
      const record = records.get(seq);
      return {
        record,
        cause: record && record.cause > 0 ? records.get(record.cause) : undefined,
        led: record && records.slice(seq + 1, AHEAD).find((r) => r.cause === seq),
      };
    },
    String(seq),
    250,
  );
  const { record, cause, led } = found;
  if (!record) return null;
  const { text, why } = sentence(record, lang);
  const row = (name: 'card.cause' | 'card.led', r: TraceRecord) => (
    <>
      <dt>{t(name)}</dt>
      <dd>
        {sentence(r, lang).text} <RecordLink seq={r.seq} time={r.time} />
      </dd>
    </>
  );
  return (
    <section className="sl-what-card u-fs-2" data-testid="what-card">
      <p className="sl-what-state u-break">{text}</p>
      {why && <p className="sl-small">{why}</p>}
      <Facts className="sl-what-facts">
        <dt>{t('card.at')}</dt>
        <dd className="sl-time-text sl-tabular">{when(record.time)}</dd>
        {cause && row('card.cause', cause)}
        {led && row('card.led', led)}
      </Facts>
    </section>
  );
}
