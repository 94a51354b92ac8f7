import { STARTUP } from '@syncloop/core/trace';
import { memo } from 'react';
import { useT } from '../../../i18n/index.js';
import { MANAGER_SOURCE } from '../../../run/source-names.js';
import { useTrace } from '../../../run/use-trace.js';
import { Selectable } from '../../../selection/selectable.js';
import { seconds } from '../../../units/text.js';
import { goroutineRows, queueOf, sleeper, ticking } from '../parts/parts-everything.js';
import { ExtraBox, RanLine, RoundLine } from './box.js';
import { useFacts } from './use-facts.js';

const SECOND = 1_000_000;

/** Shows the steps of a kubelet's start, in their order. */
export const Startup = memo(function Startup() {
  const t = useT();
  const process = useTrace((s) => s.processes.kubelet ?? '');
  const rows = useTrace((s) =>
    STARTUP.map((fn) => {
      const { began = null, ended = null, error = '', seq = 0 } = s.startup[fn] ?? {};
      return { fn, began, open: began !== null && ended === null, error, seq };
    }),
  );
  return (
    <ExtraBox
      id="startup"
      dim={process === ''}
      aside={<span className="sl-small">{process && t(`process.${process}`)}</span>}
    >
      {process === '' ? (
        <p className="sl-empty">{t('all.startup.none')}</p>
      ) : (
        <ol className="sl-checks u-min-width-0">
          {rows.map((r) => (
            <li
              className="u-line u-gap-6 u-target u-faint"
              key={r.fn}
              data-done={r.began !== null || undefined}
              data-bad={r.error !== '' || undefined}
            >
              <span aria-hidden="true">{r.error !== '' ? '✕' : r.open ? '▸' : r.began === null ? '○' : '✓'}</span>
              {r.seq > 0 ? (
                <Selectable
                  selection={{ kind: 'record', seq: r.seq }}
                  className="sl-link sl-code"
                  title={r.error || r.fn}
                >
                  {r.fn}
                </Selectable>
              ) : (
                <span className="sl-code">{r.fn}</span>
              )}
              <span className="sl-tabular sl-quiet-text u-faint">
                {r.began !== null && t('time.s', { n: seconds(r.began) })}
              </span>
            </li>
          ))}
        </ol>
      )}
    </ExtraBox>
  );
});

const RUNTIME_PERIOD = 5 * SECOND;

/** Shows updateRuntimeUp, which asks the runtime for its status; the result lets the loop run or skip. */
export const RuntimeUp = memo(function RuntimeUp() {
  const t = useT();
  const round = useTrace((s, c) => sleeper(s, 'updateRuntimeUp', RUNTIME_PERIOD, c.time));
  const runtime = useTrace((s) => ({ errors: [...s.runtime.errors], network: s.runtime.networkError }));
  const fact = useFacts((f) => ({
    runs: f.routines.updateRuntimeUp?.runs ?? 0,
    last: f.routines.updateRuntimeUp?.began ?? null,
    conditions: f.conditions.map((c) => ({ ...c })),
    error: f.conditionsError,
  }));
  const errors = [...runtime.errors, runtime.network].filter(Boolean);
  return (
    <ExtraBox
      id="runtimeUp"
      selection={round.alive ? { kind: 'goroutine', id: round.goroutine } : null}
      dim={!round.alive}
      active={round.now}
    >
      {fact.runs === 0 ? (
        <p className="sl-empty">{t('all.runtimeUp.none')}</p>
      ) : (
        <>
          <RoundLine round={round} period={RUNTIME_PERIOD} />
          <RanLine runs={fact.runs} last={fact.last} error={fact.error} />
          <ul className="sl-checks u-min-width-0">
            {fact.conditions.map((c) => (
              <li
                className="u-line u-gap-6 u-target u-faint"
                key={c.type}
                data-done={c.status || undefined}
                data-bad={!c.status || undefined}
              >
                <span aria-hidden="true">{c.status ? '✓' : '✕'}</span>
                <span className="sl-code sl-clip u-clip" title={c.reason || c.type}>
                  {c.type}
                </span>
                <span className="sl-visually-hidden">{String(c.status)}</span>
              </li>
            ))}
          </ul>
          <p
            className={errors.length > 0 ? 'sl-bad sl-clip u-clip' : 'sl-small sl-push-down'}
            title={errors.join('\n')}
          >
            {errors.length > 0 ? `✕ ${t('all.runtimeUp.bad')}: ${errors[0]}` : `✓ ${t('all.runtimeUp.ok')}`}
          </p>
        </>
      )}
    </ExtraBox>
  );
});

const IMAGE_GC = 300 * SECOND;
const IMAGE_CACHE = 30 * SECOND;

export const Images = memo(function Images() {
  const t = useT();
  const gc = useTrace((s, c) => sleeper(s, 'imageGC', IMAGE_GC, c.time));
  const cache = useTrace((s, c) => ticking(s, 'imageCache', 'imageCacheTicker', IMAGE_CACHE, c.time));
  const detect = useTrace((s, c) => ticking(s, 'imageDetector', 'imageDetectorTicker', IMAGE_GC, c.time));
  const pulls = useTrace((s) => queueOf(s, 'pullRequests'));
  const fact = useFacts((f) => ({ images: f.images, error: f.routines['Images/GarbageCollect']?.error ?? '' }));
  return (
    <ExtraBox id="images" selection={{ kind: 'part', part: 'images' }} dim={!gc.alive && !cache.alive}>
      <p className="sl-small sl-code">{MANAGER_SOURCE.imageManager}</p>
      {fact.images !== null && <p>{t('all.images.count', { n: fact.images })}</p>}
      {pulls.exists && <p className="sl-small">{t('all.images.pulls', { n: pulls.count })}</p>}
      {(
        [
          ['gc', gc, IMAGE_GC],
          ['cache', cache, IMAGE_CACHE],
          ['detect', detect, IMAGE_GC],
        ] as const
      ).map(([key, round, period]) => (
        <div key={key} className="sl-rounds u-grid u-center u-gap-6">
          <span className="sl-small">{t(`all.images.${key}`)}</span>
          <RoundLine round={round} period={period} short />
        </div>
      ))}
      {fact.error !== '' && (
        <p className="sl-small sl-bad sl-clip u-clip" title={fact.error}>
          ✕ {t('all.failed', { error: fact.error })}
        </p>
      )}
    </ExtraBox>
  );
});

const GOROUTINES = 33;

/** Shows the goroutines, and what each waits for. */
export const Goroutines = memo(function Goroutines() {
  const t = useT();
  const rows = useTrace(goroutineRows);
  return (
    <ExtraBox
      id="goroutines"
      dim={rows.length === 0}
      aside={
        rows.length > 0 && <span className="sl-small sl-tabular">{t('all.goroutines.n', { n: rows.length })}</span>
      }
    >
      {rows.length === 0 ? (
        <p className="sl-empty">{t('all.goroutines.none')}</p>
      ) : (
        <ul className="sl-list sl-goroutines u-relative u-no-pointer u-z-1">
          {rows.slice(0, GOROUTINES).map((g) => (
            <li key={g.id} data-runs={g.state === 'runnable' || undefined}>
              <Selectable
                selection={{ kind: 'goroutine', id: g.id }}
                className="sl-link sl-code"
                title={`${g.name} ${g.fn}`}
              >
                {g.name}
              </Selectable>
              <span className="sl-who u-grow u-ellipsis u-text-right u-faint" title={g.on}>
                {g.state === 'runnable'
                  ? t('goroutine.runnable')
                  : g.until !== null
                    ? `◷ ${t('time.s', { n: seconds(g.until) })}`
                    : `${g.op} ${g.on}`}
              </span>
            </li>
          ))}
          {rows.length > GOROUTINES && <li>{t('all.goroutines.more', { n: rows.length - GOROUTINES })}</li>}
        </ul>
      )}
    </ExtraBox>
  );
});
