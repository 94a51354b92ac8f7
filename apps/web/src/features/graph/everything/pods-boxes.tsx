import { memo } from 'react';
import { useT } from '../../../i18n/index.js';
import { useTrace } from '../../../run/use-trace.js';
import { Selectable } from '../../../selection/selectable.js';
import { seconds } from '../../../units/text.js';
import { BackoffRing } from '../lanes/sandbox.js';
import { backoffRows, cacheRows, workQueue } from '../parts/parts-everything.js';
import { ExtraBox } from './box.js';

const ROWS = 8;

/** Pods by when their workers want them synced again. */
export const Queue = memo(function Queue() {
  const t = useT();
  const rows = useTrace(workQueue);
  const now = useTrace((_, c) => {
    // Only whether something is due matters here.
    return rows.filter((r) => r.due <= c.time).length;
  });
  return (
    <ExtraBox id="queue" dim={rows.length === 0}>
      {rows.length === 0 ? (
        <p className="sl-empty">{t('all.queue.none')}</p>
      ) : (
        <ul className="sl-list u-relative u-no-pointer u-z-1">
          {rows.slice(0, ROWS).map((r, i) => (
            <li key={r.uid}>
              <Selectable selection={{ kind: 'pod', uid: r.uid }} className="sl-link sl-code" title={r.pod}>
                {r.pod}
              </Selectable>
              <span className="sl-who sl-time-text sl-tabular u-grow u-ellipsis u-text-right u-faint">
                {i < now ? t('all.queue.due') : t('time.s', { n: seconds(r.due, 1) })}
              </span>
            </li>
          ))}
          {rows.length > ROWS && <li>{t('story.moreN', { n: rows.length - ROWS })}</li>}
        </ul>
      )}
    </ExtraBox>
  );
});

/** Shows the PLEG's cache of each pod, and who waits for something newer. */
export const Caches = memo(function Caches() {
  const t = useT();
  const rows = useTrace(cacheRows);
  return (
    <ExtraBox id="caches" dim={rows.length === 0}>
      {rows.length === 0 ? (
        <p className="sl-empty">{t('all.caches.none')}</p>
      ) : (
        <>
          <p className="sl-small">{t('all.caches.pods', { n: rows.length })}</p>
          <ul className="sl-list u-relative u-no-pointer u-z-1">
            {rows.slice(0, ROWS - 1).map((r) => (
              <li key={r.uid} data-bad={r.error !== '' || undefined}>
                <Selectable
                  selection={{ kind: 'pod', uid: r.uid }}
                  className="sl-link sl-code"
                  title={r.error || r.pod}
                >
                  {r.pod}
                </Selectable>
                <span className="sl-who sl-tabular u-grow u-ellipsis u-text-right u-faint">
                  {r.wanted !== null ? (
                    <span className="sl-time-text">&gt; {t('time.s', { n: seconds(r.wanted) })}</span>
                  ) : (
                    t('time.s', { n: seconds(r.time) })
                  )}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </ExtraBox>
  );
});

/** Shows what may not be tried again yet. */
export const Backoffs = memo(function Backoffs() {
  const t = useT();
  const rows = useTrace(backoffRows);
  return (
    <ExtraBox id="backoffs" dim={rows.length === 0}>
      {rows.length === 0 ? (
        <p className="sl-empty">{t('all.backoffs.none')}</p>
      ) : (
        <ul className="sl-list u-relative u-no-pointer u-z-1">
          {rows.slice(0, ROWS).map((r) => (
            <li key={r.key}>
              <BackoffRing delay={r.delay} until={r.until} />
              <Selectable
                selection={{ kind: 'pod', uid: r.uid }}
                className="sl-link sl-code"
                title={`${r.what} ${r.of}`}
              >
                {r.what}
              </Selectable>
              <span className="sl-who sl-time-text sl-tabular u-grow u-ellipsis u-text-right u-faint">
                {t('time.s', { n: seconds(r.until, 1) })}
              </span>
            </li>
          ))}
        </ul>
      )}
    </ExtraBox>
  );
});
