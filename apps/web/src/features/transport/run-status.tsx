/** The session's position and the reason for it: the end of the run so far, a breakpoint, the scenario's result. */
import { describeBreakpoint } from '@syncloop/core/debug/breakpoints';
import { defaultEra } from '@syncloop/core/kubelet';
import { useEffect, useRef } from 'react';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { CommandButton } from '../../ui/command-button.js';
import { Icon } from '../../ui/icons.js';
import { seconds } from '../../units/text.js';
import { useBreakpoints } from '../breakpoints/breakpoints-store.js';
import { knownEnd } from './logic/stepping.js';
import { useGoing } from './transport-store.js';

/** Shows how much of the run is known, if the session is before its end. */
export function KnownEnd() {
  const t = useT();
  const end = useSession((s) => knownEnd(s.run)?.time ?? -1);
  if (end < 0) return null;
  return (
    <span className="sl-tabular u-dim" data-testid="known-end">
      {t('transport.of', { t: seconds(end) })}
    </span>
  );
}

/** Returns to the known end of the run; nothing when the session is there. */
export function ToEnd() {
  const there = useSession((s) => knownEnd(s.run) === null);
  if (there) return null;
  return (
    <CommandButton id="transport.toEnd" className="sl-icon-button sl-to-end" testId="to-end">
      <Icon name="end" />
    </CommandButton>
  );
}

/** Names the breakpoints that the session is at, as a way to their list; null if it is at none. */
function useHit(): string | null {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const hits = useSession((s) => s.run.hits);
  const specs = useBreakpoints((s) => s.specs);
  const first = hits?.[0];
  if (!first) return null;
  const spec = specs.find((s) => s.id === first.id);
  const what = spec ? describeBreakpoint(spec, lang === 'en' ? 'en' : 'zh') : t('transport.hitUnknown');
  const ids = new Set(hits.map((h) => h.id));
  return ids.size > 1 ? t('transport.hitMore', { what, n: ids.size - 1 }) : what;
}

/** Shown over the graph, as long as the session is at a hit. */
export function HitNotice() {
  const t = useT();
  const what = useHit();
  const free = useSession((s) => !s.run.running && s.run.choice === null);
  const going = useGoing();
  const text = what !== null && free && !going ? t('transport.hit', { what }) : '';
  return (
    <>
      <span role="status" className="sl-visually-hidden">
        {text}
      </span>
      {text !== '' && (
        <button
          type="button"
          className="sl-hit u-row u-gap-8 u-absolute u-hidden-overflow u-pad-4 u-round u-raised u-shadow u-pointer u-text-left u-text"
          title={text}
          data-testid="hit"
          onMouseDown={(e) => e.preventDefault()}
          onClick={() => useUI.setState({ bottom: 'breakpoints' })}
        >
          <span className="sl-dot u-flex-none" aria-hidden="true" /> <span className="u-clip">{text}</span>
        </button>
      )}
    </>
  );
}

/** The result of the scenario in this branch so far, and a way to the expectations that it did not meet. */
export function Outcome() {
  const t = useT();
  const box = useRef<HTMLDetailsElement>(null);
  const state = useSession((s) => s.run.outcome?.state ?? 'running');
  const failures = useSession((s) => s.run.outcome?.failures);
  const written = useSession((s) => s.info?.writtenFor);
  const era = useSession((s) => s.info?.era ?? defaultEra);
  useEffect(() => {
    const outside = (event: PointerEvent) => {
      if (box.current?.open && !box.current.contains(event.target as Node)) box.current.open = false;
    };
    document.addEventListener('pointerdown', outside);
    return () => document.removeEventListener('pointerdown', outside);
  }, []);
  if (state === 'passed')
    return (
      <span
        className="sl-outcome u-flex-none u-relative u-nowrap u-fs-1 u-dim"
        data-state="passed"
        title={t('outcome.passedHelp')}
        data-testid="outcome"
      >
        <span aria-hidden="true">✓</span> <span className="sl-outcome-text">{t('outcome.passed')}</span>
      </span>
    );
  if (state === 'resting' && written)
    return (
      <span
        className="sl-outcome u-flex-none u-relative u-nowrap u-fs-1 u-dim"
        data-state="resting"
        title={t('outcome.anotherEraHelp', { written, era })}
        data-testid="outcome"
      >
        {t('outcome.anotherEra')}
      </span>
    );
  if (state === 'resting')
    return (
      <span
        className="sl-outcome u-flex-none u-relative u-nowrap u-fs-1 u-dim"
        data-state="resting"
        title={t('outcome.restingHelp')}
        data-testid="outcome"
      >
        {t('outcome.resting')}
      </span>
    );
  if (state !== 'failed' && !failures?.length) return null;
  return (
    <details
      ref={box}
      className="sl-outcome u-flex-none u-relative u-nowrap u-fs-1 u-dim"
      data-state="failed"
      data-testid="outcome"
      onKeyDown={(e) => {
        if (e.key !== 'Escape' || !box.current?.open) return;
        e.preventDefault();
        e.stopPropagation();
        box.current.open = false;
      }}
    >
      <summary>
        <span aria-hidden="true">✗</span> {t('outcome.failed')}
      </summary>
      <div className="sl-outcome-list u-absolute u-scroll u-break u-round-6 u-raised u-shadow u-text">
        <p className="sl-strong">{t('outcome.failures', { n: failures?.length ?? 0 })}</p>
        <ul>
          {failures?.map((failure, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two of them may say the same
            <li className="u-above-6" key={i}>
              {failure}
            </li>
          ))}
        </ul>
      </div>
    </details>
  );
}

/** Shows what comes next, or that it is under way. */
export function Next() {
  const t = useT();
  const running = useSession((s) => s.run.running);
  const going = useGoing();
  const next = useSession((s) => (s.run.running ? '' : s.run.next));
  const stopped = useSession((s) => s.run.stopped);
  const there = useSession((s) => s.phase === 'ready');
  if (!there) return <span className="sl-next u-min-width-0 u-clip u-fs-1 u-dim" />;
  return (
    <span
      className="sl-next u-min-width-0 u-clip u-fs-1 u-dim"
      data-bad={stopped !== '' || undefined}
      title={stopped || next}
    >
      {stopped !== '' ? (
        t('transport.stopped')
      ) : going ? (
        t('transport.going')
      ) : next !== '' ? (
        <>
          <span className="sl-next-label">{t('transport.next')}</span> <span className="sl-code u-text">{next}</span>
        </>
      ) : (
        t(running ? 'transport.running' : 'transport.paused')
      )}
    </span>
  );
}
