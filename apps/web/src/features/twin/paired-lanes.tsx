import type { TwinAnswer } from '@syncloop/observe/twin/session';
import { type MouseEvent, useEffect, useMemo, useRef, useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { wallTime } from '../../run/wall-time.js';
import { CommandButton } from '../../ui/command-button.js';
import { decisionOf } from './logic/differences.js';
import { nearest, pairedLanes, type Span, wholeSpan, zoomed } from './logic/paired-lanes.js';
import { useTwin } from './twin-store.js';

/** Height of a pair of lanes, px: the observed run's above, the twin's below. */
const LANE = 20;
const RULER = 16;
const LABELS = 92;

/**
 * Shows both runs on one time: a pair of lanes for each kind of decision, lines between equal ones, differences marked.
 */
export function PairedLanes({ answer }: { readonly answer: TwinAnswer }) {
  const t = useT();
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  const whole = useMemo(() => wholeSpan(answer), [answer]);
  const [span, setSpan] = useState<Span>(whole);
  useEffect(() => setSpan(whole), [whole]);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(Math.max(100, element.clientWidth - LABELS)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const info = useSession((s) => s.info);
  useUI((s) => s.clock);
  const side = useSession((s) => s.run.twin?.side ?? 'seen');
  const at = useTwin((s) => s.at);
  const { seenFrom } = answer.scenario;
  const now = useTrace((_, c) => Math.round((c.time + (side === 'twin' ? seenFrom : 0)) / 10_000) * 10_000);
  const lanes = useMemo(() => pairedLanes(answer, span, width), [answer, span, width]);
  const x = (time: number) => ((time - span.from) / (span.to - span.from)) * width;
  const height = RULER + lanes.length * LANE;
  const zoom = (by: number) => setSpan((s) => zoomed(s, whole, by, now));
  const clock = (time: number) =>
    info ? wallTime(info, side === 'twin' ? time - seenFrom : time).replace(/^(.*)\.(\d)\d*$/, '$1.$2') : '';
  const onClick = (event: MouseEvent<SVGSVGElement>) => {
    const bounds = event.currentTarget.getBoundingClientRect();
    const y = event.clientY - bounds.top - RULER;
    const lane = lanes[Math.floor(y / LANE)];
    if (!lane) return;
    const which = y % LANE < LANE / 2 ? 'seen' : 'twin';
    const tick = nearest(lane, which, event.clientX - bounds.left);
    if (tick) runCommand('twin.moment', { [which]: tick.seq });
  };
  return (
    <div className="sl-twin-lanes" ref={box} data-testid="twin-lanes">
      <div className="sl-twin-lanes-tools u-row u-gap-4">
        <span className="sl-small">{t('twin.lanesWhat')}</span>
        <CommandButton id="twin.previousPair" className="sl-quiet" testId="twin-previous-pair">
          <span aria-hidden="true">◂</span>
        </CommandButton>
        <span className="sl-small">{t('twin.decision')}</span>
        <CommandButton id="twin.nextPair" className="sl-quiet" testId="twin-next-pair">
          <span aria-hidden="true">▸</span>
        </CommandButton>
        <button type="button" className="sl-button sl-quiet" onClick={() => zoom(0.5)} data-testid="twin-zoom-in">
          {t('twin.closer')}
        </button>
        <button type="button" className="sl-button sl-quiet" onClick={() => zoom(2)}>
          {t('twin.wider')}
        </button>
        <button type="button" className="sl-button sl-quiet" onClick={() => setSpan(whole)}>
          {t('twin.whole')}
        </button>
      </div>
      <div className="sl-twin-lanes-picture u-grid" style={{ gridTemplateColumns: `${LABELS}px minmax(0, 1fr)` }}>
        <ul className="u-pad-0 u-margin-0" aria-hidden="true" style={{ paddingTop: RULER }}>
          {lanes.map(({ kind }) => (
            <li className="u-clip u-fs-1 u-dim" key={kind} style={{ height: LANE }}>
              {t(`twin.kind.${kind}`)}
            </li>
          ))}
        </ul>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: differences and records do the same by keyboard */}
        <svg
          className="u-block u-pointer"
          width={width}
          height={height}
          role="img"
          aria-label={t('twin.lanes', { n: answer.verdict.differences.length })}
          onClick={onClick}
        >
          <text x={2} y={RULER - 5} className="sl-twin-clock">
            {clock(span.from)}
          </text>
          <text x={width - 2} y={RULER - 5} textAnchor="end" className="sl-twin-clock">
            {clock(span.to)}
          </text>
          {lanes.map((lane, i) => {
            const y = RULER + i * LANE;
            const draw = (which: 'seen' | 'twin') =>
              lane.ticks
                .filter((tick) => tick.side === which)
                .map((tick) => `M${tick.x.toFixed(1)} ${which === 'seen' ? y + 2 : y + 12}v6`)
                .join('');
            return (
              <g key={lane.kind}>
                <rect x={0} y={y} width={width} height={LANE} className="sl-twin-lane" data-odd={i % 2 || undefined} />
                <path
                  className="sl-twin-lines"
                  d={lane.lines.map((l) => `M${l.seen.toFixed(1)} ${y + 8}L${l.twin.toFixed(1)} ${y + 12}`).join('')}
                />
                <path className="sl-twin-ticks" data-side="seen" d={draw('seen')} />
                <path className="sl-twin-ticks" data-side="twin" d={draw('twin')} />
              </g>
            );
          })}
          {answer.verdict.differences.map((d, i) => {
            const decision = decisionOf(d);
            const lane = lanes.findIndex((l) => l.kind === decision?.kind);
            if (!decision || lane < 0) return null;
            const at_ = x(decision.time + (d.seen ? 0 : seenFrom));
            if (at_ < 0 || at_ > width) return null;
            const y = RULER + lane * LANE + (d.seen ? 5 : 15);
            return (
              <path
                // biome-ignore lint/suspicious/noArrayIndexKey: a verdict's differences never change their places
                key={i}
                className="sl-twin-mark"
                data-here={i === at || undefined}
                d={`M${at_ - 4} ${y - 4}l8 8m0-8l-8 8`}
              />
            );
          })}
          {now >= span.from && now <= span.to && (
            <path className="sl-twin-now" d={`M${x(now).toFixed(1)} ${RULER - 4}V${height}`} />
          )}
        </svg>
      </div>
    </div>
  );
}
