import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { useTrace } from '../../run/use-trace.js';
import { wallTime } from '../../run/wall-time.js';
import { pressed } from './commands.js';
import {
  amountsAt,
  barsPath,
  COLUMNS,
  columnsOf,
  heightsOf,
  marksOf,
  nextBusy,
  StripScale,
} from './logic/strip-scale.js';
import { useStrip } from './strip-store.js';
import { StripTools } from './strip-tools.js';
import './strip.css';

/** Heights of the picture: marks of incidents at the top, bars, marks of what was found at the bottom. */
const HIGH = 40;
const INCIDENTS = 7;
const HITS = 6;
/** Pixels that a pointer moves before it marks a part. */
const DRAG = 5;
/** Buckets that a page key goes on. */
const FAR = 24;
const percent = (share: number) => `${(share * 100).toFixed(3)}%`;

/** The whole file: its lines, errors and incidents by time, and where the page is in it. */
export function Strip() {
  const t = useT();
  const info = useSession((s) => s.info);
  const density = useStrip((s) => s.density);
  const share = useSession(({ run: { reading } }) =>
    !reading || reading.ended || !reading.total ? 1 : Math.round((100 * reading.read) / reading.total) / 100,
  );
  const clock = useUI((s) => s.clock);
  const range = useStrip((s) => s.range);
  const now = useTrace((_, c) => c.time);
  const loaded = useTrace(() => {
    const { records } = trace;
    const first = records.get(records.first)?.time ?? 0;
    return { from: first, to: records.state.time };
  });
  const scale = useMemo(() => density && new StripScale(density, share), [density, share]);
  const [pointer, setPointer] = useState<number | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const drag = useRef<{ readonly x: number; readonly from: number } | null>(null);
  if (!info || !density || !scale || density.lines.length === 0) return null;

  const at = (time: number) => wallTime(info, time, true, clock);
  const shareAt = (x: number) => {
    const bounds = box.current?.getBoundingClientRect();
    return bounds ? Math.max(0, Math.min(1, (x - bounds.left) / bounds.width)) : 0;
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { x: event.clientX, from: scale.time(shareAt(event.clientX)) };
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const place = shareAt(event.clientX);
    setPointer(place);
    const begun = drag.current;
    if (!begun || Math.abs(event.clientX - begun.x) < DRAG) return;
    const time = scale.time(place);
    useStrip.setState({ range: { from: Math.min(begun.from, time), to: Math.max(begun.from, time) } });
  };
  const onPointerUp = (event: PointerEvent<HTMLDivElement>) => {
    const begun = drag.current;
    drag.current = null;
    if (begun && Math.abs(event.clientX - begun.x) < DRAG) runCommand('strip.go', begun.from);
  };
  const go = (time: number, mark: boolean) => {
    if (mark) {
      // The end that moves is the one at the present moment.
      const fixed = !range ? now : Math.abs(range.from - now) < Math.abs(range.to - now) ? range.to : range.from;
      useStrip.setState({ range: { from: Math.min(fixed, time), to: Math.max(fixed, time) } });
    }
    runCommand('strip.go', time);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -FAR, PageUp: FAR }[event.key];
    if (by !== undefined) go(nextBusy(density, now, by < 0 ? -1 : 1, Math.abs(by)), event.shiftKey);
    else if (event.key === 'Home') go(density.oldestTime, event.shiftKey);
    else if (event.key === 'End') go(density.to, event.shiftKey);
    else if (!pressed(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const here = scale.share(now);
  const hovered = pointer === null ? null : scale.time(pointer);
  return (
    <section className="sl-whole u-panel u-border-bottom" aria-label={t('strip.label')} data-testid="strip">
      {/* A slider through the file, with keys of its own; its text is the time and the amounts there. */}
      <div
        ref={box}
        className="sl-whole-box u-relative u-hidden-overflow u-pointer"
        role="slider"
        tabIndex={0}
        aria-label={t('strip.label')}
        aria-describedby="sl-whole-keys"
        aria-valuemin={0}
        aria-valuemax={1000}
        aria-valuenow={Math.round(here * 1000)}
        aria-valuetext={t('strip.spoken', { at: at(now), ...amountsAt(density, now) })}
        title={t('strip.hatched')}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerLeave={() => setPointer(null)}
        data-testid="strip-box"
      >
        <Bars scale={scale} />
        {density.oldest > 1 && (
          <i
            className="sl-whole-hatch u-absolute"
            style={{ left: 0, width: percent(scale.share(density.oldestTime)) }}
          />
        )}
        {share < 1 && (
          <i className="sl-whole-hatch u-absolute" style={{ left: percent(scale.share(density.to)), right: 0 }} />
        )}
        <i
          className="sl-whole-loaded u-absolute"
          style={{
            left: percent(scale.share(loaded.from)),
            width: percent(scale.share(loaded.to) - scale.share(loaded.from)),
          }}
          data-testid="strip-loaded"
        />
        {range && (
          <i
            className="sl-whole-range u-absolute"
            style={{
              left: percent(scale.share(range.from)),
              width: percent(scale.share(range.to) - scale.share(range.from)),
            }}
          />
        )}
        <i className="sl-whole-now u-absolute" style={{ left: percent(here) }} data-testid="strip-now" />
      </div>
      <p id="sl-whole-keys" className="sl-visually-hidden">
        {t('strip.keys')}
      </p>
      <StripTools
        hover={hovered === null ? '' : t('strip.hover', { at: at(hovered), ...amountsAt(density, hovered) })}
        from={at(density.from)}
        to={at(density.to)}
      />
    </section>
  );
}

/** The bars and marks: redrawn only if what they show changes, not with each step. */
function Bars({ scale }: { readonly scale: StripScale }) {
  const density = useStrip((s) => s.density);
  const incidents = useStrip((s) => s.incidents);
  const times = useStrip((s) => s.search?.times);
  const found = useStrip((s) => s.search?.looked ?? 0);
  const bars = useMemo(() => {
    if (!density) return null;
    const lines = columnsOf(scale, density, density.lines);
    const most = Math.max(...lines);
    const high = HIGH - INCIDENTS - HITS;
    const path = (amounts: readonly number[]) =>
      barsPath(heightsOf(columnsOf(scale, density, amounts), most), HIGH - HITS, high);
    return { lines: path(density.lines), warnings: path(density.warnings), errors: path(density.errors) };
  }, [density, scale]);
  const marks = useMemo(() => {
    const flags = marksOf(
      scale,
      incidents.map(({ time }) => time),
    );
    return barsPath(
      flags.map((n) => (n > 0 ? 1 : 0)),
      INCIDENTS - 1,
      INCIDENTS - 1,
    );
  }, [incidents, scale]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list of times grows in place
  const hits = useMemo(
    () =>
      barsPath(
        marksOf(scale, times ?? []).map((n) => (n > 0 ? 1 : 0)),
        HIGH,
        HITS - 1,
      ),
    [times, found, scale],
  );
  if (!bars) return null;
  return (
    <svg
      className="u-block u-width-full"
      viewBox={`0 0 ${COLUMNS} ${HIGH}`}
      height={HIGH}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path className="sl-whole-lines" d={bars.lines} />
      <path className="sl-whole-warnings" d={bars.warnings} />
      <path className="sl-whole-errors" d={bars.errors} />
      <path className="sl-whole-incidents" d={marks} data-testid="strip-incidents" />
      <path className="sl-whole-hits" d={hits} data-testid="strip-hits" />
    </svg>
  );
}
