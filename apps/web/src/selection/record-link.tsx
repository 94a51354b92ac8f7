import type { Micros, Seq } from '@syncloop/core/trace';
import { isAvailable, runCommand } from '../commands/index.js';
import { useT } from '../i18n/index.js';
import { useHere } from '../run/here.js';
import { useSession } from '../run/session-store.js';
import { useWhen } from '../run/wall-time.js';

/** A record by number and time; selects it. */
export function RecordLink({ seq, time }: { readonly seq: Seq; readonly time?: Micros | undefined }) {
  const t = useT();
  const when = useWhen();
  return (
    <button
      type="button"
      className="sl-link sl-record-link u-nowrap u-target u-fs-1 u-tabular u-faint"
      title={t('inspector.selectRecord', { seq })}
      onClick={() => runCommand('view.select', { kind: 'record', seq })}
    >
      {time !== undefined && <span className="sl-time-text">{when(time)}</span>} #{seq}
    </button>
  );
}

/** Goes in time to a record, if the session can. */
export function GoThere({ seq, text = false }: { readonly seq: Seq; readonly text?: boolean }) {
  const t = useT();
  const can = useSession(() => isAvailable('inspector.goTo'));
  const here = useHere((s) => s.still && s.seq === seq);
  if (!can || here) return null;
  const label = t('inspector.goToRecord', { seq });
  return (
    <button
      type="button"
      className={text ? 'sl-button' : 'sl-go-there u-inline-flex u-center u-target u-bare u-round u-pointer u-faint'}
      // If it has a text, that is its name.
      aria-label={text ? undefined : label}
      title={label}
      onClick={() => runCommand('inspector.goTo', seq)}
    >
      <svg
        className="sl-icon sl-stroke"
        viewBox="0 0 16 16"
        width="14"
        height="14"
        aria-hidden="true"
        focusable="false"
      >
        <path d="M3.2 5.2A5.5 5.5 0 1 1 2.5 8M3 2v3.4h3.4M8 5v3.2l2.2 1.3" />
      </svg>
      {text && t('inspector.goTo')}
    </button>
  );
}

/** Goes to the moment of a record in the counterpart of the shown run: an observed run's twin, or the reverse. */
export function InTheOther({ seq }: { readonly seq: Seq }) {
  const t = useT();
  const side = useSession((s) => (s.run.twin && s.run.twin.made > 0 ? s.run.twin.side : null));
  if (side === null) return null;
  const label = t(side === 'seen' ? 'twin.inTwin' : 'twin.inSeen');
  return (
    <button
      type="button"
      className="sl-go-there u-inline-flex u-center u-target u-bare u-round u-pointer u-faint"
      aria-label={`${label}: #${seq}`}
      title={label}
      data-testid="in-the-other"
      onClick={() => runCommand('twin.there', seq)}
    >
      <svg
        className="sl-icon sl-stroke"
        viewBox="0 0 16 16"
        width="14"
        height="14"
        aria-hidden="true"
        focusable="false"
      >
        <path d="M5.5 3.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9zM10.500 3.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9z" />
      </svg>
    </button>
  );
}
