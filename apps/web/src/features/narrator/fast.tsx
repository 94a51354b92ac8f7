import type { Micros } from '@syncloop/core/trace';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { seconds } from '../../units/text.js';

/** The speed, in multiples of real time, from which on sentences come too fast to be read. */
const FAST = 10;

/** Returns true if the run is so fast that a sentence is out of date when it has been read. */
export function useFast(): boolean {
  return useSession(
    ({ run: { running, speed } }) =>
      running && (speed.mode === 'max' || (speed.mode === 'time' && speed.factor >= FAST)),
  );
}

/** The position of the run right now, as on the clock. */
export function FastLine() {
  const t = useT();
  const [time, iterations, records] = useTrace((state, cursor) => [
    cursor.time,
    state.counts.iterations,
    cursor.seq,
  ]) as readonly [number, number, number];
  return (
    <>
      <span className="sl-said-time sl-tabular u-fs-1 u-time" aria-hidden="true">
        {t('time.s', { n: seconds(time) })}
      </span>{' '}
      <span className="sl-tabular" data-testid="fast">
        {t('narrator.fast', { n: iterations, records })}
      </span>
    </>
  );
}

/** Shows the last sentence with its time: the run has gone on since. */
export function LastSentence({ time, children }: { readonly time: Micros; readonly children: ReactNode }) {
  const t = useT();
  if (!children) return null;
  return (
    <span data-testid="last-told">
      {t('narrator.lastReported', { time: t('time.s', { n: seconds(time) }) })} {children}
    </span>
  );
}
