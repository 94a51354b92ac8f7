import { type FormEvent, useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { wallTime } from '../../run/wall-time.js';
import { aroundTime, timeIn } from './logic/part.js';
import { isLong } from './twin.js';
import { useTwin } from './twin-store.js';

/** Asks which part of the observed run is re-enacted: from when to when, and which pods. A long run has to be cut. */
export function Part() {
  const t = useT();
  const info = useSession((s) => s.info);
  const long = useSession(isLong);
  const busy = useSession((s) => s.run.twin?.doing !== undefined);
  const end = useSession((s) => s.run.end?.time ?? 0);
  const here = useSession((s) => s.run.time);
  const cut = useTwin((s) => s.answer?.scenario.cut);
  const seenSide = useSession((s) => (s.run.twin?.side ?? 'seen') === 'seen');
  const [typed, setTyped] = useState<{ from?: string; to?: string; pods?: string }>({});
  if (!info || !seenSide) return null;
  const zero = wallTime(info, 0, true);
  const [from, to] = cut ? [cut.from, cut.to] : long ? aroundTime(here, end) : [];
  const text = (time: number | undefined) => (time === undefined ? '' : wallTime(info, time, true));
  const field = {
    from: typed.from ?? text(from),
    to: typed.to ?? text(to),
    pods: typed.pods ?? cut?.pods?.join(' ') ?? '',
  };
  const times = { from: timeIn(field.from, zero, end), to: timeIn(field.to, zero, end) };
  const wrong = times.from === null || times.to === null || (times.from ?? 0) >= (times.to ?? Number.POSITIVE_INFINITY);
  const pods = field.pods.split(/[\s,]+/).filter((pod) => pod !== '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wrong || busy) return;
    runCommand('twin.part', {
      ...(typeof times.from === 'number' && { from: times.from }),
      ...(typeof times.to === 'number' && { to: times.to }),
      ...(pods.length > 0 && { pods }),
    });
  };
  return (
    <details className="sl-twin-fold" open={(long && !cut) || undefined} data-testid="twin-part">
      <summary className="u-target u-pointer">{t(cut ? 'twin.partOf' : 'twin.part')}</summary>
      {long && <p className="sl-small">{t('twin.partLong', { hours: Math.floor(end / 3600e6) })}</p>}
      <form className="sl-group" onSubmit={submit}>
        {(['from', 'to', 'pods'] as const).map((name) => (
          <label key={name}>
            {t(`twin.part.${name}`)}{' '}
            <input
              className="sl-input"
              value={field[name]}
              placeholder={name === 'pods' ? t('twin.part.all') : name === 'from' ? zero : text(end)}
              data-testid={`twin-part-${name}`}
              onChange={(e) => setTyped({ ...typed, [name]: e.currentTarget.value })}
            />
          </label>
        ))}
        <button type="submit" className="sl-button sl-primary" disabled={wrong || busy} data-testid="twin-part-make">
          {t('twin.partMake')}
        </button>
      </form>
      {wrong && (
        <p className="sl-small" role="alert">
          {t('twin.partWrong', { from: zero, to: text(end) })}
        </p>
      )}
    </details>
  );
}
