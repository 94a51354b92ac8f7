import {
  clockBasis,
  clockOffset,
  type FleetStory,
  type Lane,
  ticksOf,
  tickText,
  timeText,
} from '@syncloop/observe/fleet';
import { type KeyboardEvent, memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { inLang } from '../../i18n/in-lang.js';
import { useT } from '../../i18n/index.js';
import { type Lang, useUI } from '../../page/ui-store.js';
import { PHONE, useMedia } from '../../ui/use-media.js';
import { visible } from '../../units/text.js';
import { useFleet } from './fleet-store.js';
import { allOf, zoom } from './fleet-tools.js';
import { laneLabel, placeOf, type Span } from './logic/lanes-shown.js';

/** Heights of a lane, px: on a phone its name stands above it. */
const HEIGHT = 30;
const PHONE_HEIGHT = 52;
/** Lanes that are drawn besides those in sight. */
const MORE = 4;
const BAR_ROOM = 22;

interface Props {
  readonly lanes: readonly Lane[];
  readonly story: FleetStory;
}

/** A lane for each node; only those in sight are drawn. */
export function Lanes({ lanes, story }: Props) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const span = useFleet((s) => s.span);
  const node = useFleet((s) => s.node);
  const incident = useFleet((s) => s.incident);
  const box = useRef<HTMLDivElement>(null);
  const height = useMedia(PHONE) ? PHONE_HEIGHT : HEIGHT;
  const [view, setView] = useState({ top: 0, room: 600 });
  const shown = useMemo(() => span ?? allOf(story), [span, story]);
  const selected = lanes.findIndex((lane) => lane.node.name === node);
  const measure = () => {
    const element = box.current;
    if (!element) return;
    const { scrollTop: top, clientHeight: room } = element;
    setView((v) => (v.top === top && v.room === room ? v : { top, room }));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: other lanes change what is in sight
  useLayoutEffect(measure, [lanes.length, height]);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  });
  useEffect(() => {
    const element = box.current;
    if (!element || selected < 0) return;
    const top = selected * height;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + height > element.scrollTop + element.clientHeight)
      element.scrollTop = top + height - element.clientHeight;
  }, [selected, height]);
  const first = Math.max(0, Math.floor(view.top / height) - MORE);
  const some = lanes.slice(first, first + Math.ceil(view.room / height) + 2 * MORE);
  return (
    <div className="sl-fleet-lanes u-grow u-min-height-0 u-column">
      <Ruler span={shown} />
      <div
        ref={box}
        className="sl-fleet-rows u-grow u-min-height-0"
        role="listbox"
        tabIndex={0}
        aria-label={t('fleet.lanes')}
        aria-activedescendant={selected >= 0 ? `lane-${selected}` : undefined}
        onScroll={measure}
        onKeyDown={(event) => onKey(event, lanes, selected, story, Math.max(1, Math.floor(view.room / height) - 1))}
        data-testid="fleet-lanes"
      >
        {lanes.length === 0 && <p className="sl-empty">{t('fleet.none')}</p>}
        <div style={{ height: lanes.length * height, position: 'relative' }}>
          {some.map((lane, i) => (
            <LaneRow
              key={lane.node.name + lane.node.source}
              lane={lane}
              index={first + i}
              top={(first + i) * height}
              height={height}
              span={shown}
              story={story}
              lang={lang}
              selected={first + i === selected}
              incident={first + i === selected ? incident : null}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

const select = (lane: Lane | undefined, incident: number | null = null) =>
  lane && useFleet.setState({ node: lane.node.name, incident });

/** Opens the selected incident in the debugger of its node. */
export function open(lane: Lane, incident: number | null): void {
  const one = incident === null ? undefined : lane.node.incidents[incident];
  runCommand('fleet.open', { node: lane.node.name, at: one?.begin ?? null });
}

function onKey(event: KeyboardEvent, lanes: readonly Lane[], at: number, story: FleetStory, page: number): void {
  const lane = lanes[at];
  const last = lanes.length - 1;
  const to = (i: number) => select(lanes[Math.max(0, Math.min(last, i))]);
  const along = (step: number) => {
    if (!lane || lane.bars.length === 0) return;
    const now = lane.bars.findIndex(({ incident }) => incident === useFleet.getState().incident);
    const next = now < 0 ? (step > 0 ? 0 : lane.bars.length - 1) : now + step;
    select(lane, lane.bars[Math.max(0, Math.min(lane.bars.length - 1, next))]?.incident ?? null);
  };
  const keys: { readonly [key: string]: () => void } = {
    ArrowDown: () => to(at + 1),
    ArrowUp: () => to(at < 0 ? 0 : at - 1),
    PageDown: () => to(at + page),
    PageUp: () => to(at - page),
    Home: () => to(0),
    End: () => to(last),
    ArrowRight: () => along(1),
    ArrowLeft: () => along(-1),
    Enter: () => lane && open(lane, useFleet.getState().incident),
    '+': () => zoom(story, 0.5),
    '-': () => zoom(story, 2),
    '0': () => useFleet.setState({ span: null }),
  };
  const run = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
  if (!run) return;
  event.preventDefault();
  event.stopPropagation();
  run();
}

interface RowProps {
  readonly lane: Lane;
  readonly index: number;
  readonly top: number;
  readonly height: number;
  readonly span: Span;
  readonly story: FleetStory;
  readonly lang: Lang;
  readonly selected: boolean;
  readonly incident: number | null;
}

const LaneRow = memo(function LaneRow({ lane, index, top, height, span, story, lang, selected, incident }: RowProps) {
  const t = useT();
  const { node, bars, marks, rows } = lane;
  const own = [...new Set(marks.map(({ cause }) => cause))].sort((a, b) => a - b);
  const said =
    node.problem !== ''
      ? t('fleet.unread')
      : bars.length === 0
        ? t('fleet.calm')
        : t('fleet.incidents', { n: bars.length });
  const causes = own.map((cause) => t('fleet.cause', { n: cause + 1 })).join(', ');
  const barHeight = BAR_ROOM / rows;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names the active one
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys
    <div
      id={`lane-${index}`}
      className="sl-fleet-lane u-absolute u-border-bottom u-pointer"
      role="option"
      aria-selected={selected}
      aria-setsize={-1}
      aria-label={laneLabel(lane, [said, causes].filter(Boolean).join(', '), t('fleet.offset'))}
      style={{ top, height }}
      onClick={() => select(lane)}
      data-testid="fleet-lane"
    >
      <span className="u-nowrap u-row u-gap-6 u-min-width-0 u-hidden-overflow">
        <strong className="u-ellipsis" title={visible(node.name)}>
          {visible(node.name)}
        </strong>
        <span className="sl-fleet-offset u-tabular u-dim" title={inLang({ ...clockBasis(node) }, lang)}>
          {clockOffset(node)}
        </span>
        {own.map((cause) => (
          <span key={cause} className="sl-fleet-number" title={inLang({ ...story.causes[cause]?.text }, lang)}>
            {cause + 1}
          </span>
        ))}
        {bars.length === 0 && <span className={`sl-small ${node.problem ? 'u-failure' : 'u-dim'}`}>{said}</span>}
      </span>
      <span className="u-height-full u-relative u-hidden-overflow" aria-hidden="true">
        {lane.from !== null && lane.to !== null && (
          <Part className="sl-fleet-log u-sunken" from={lane.from} to={lane.to} span={span} />
        )}
        {own.map((cause) => (
          <Part
            key={cause}
            className="sl-fleet-band"
            from={story.causes[cause]?.from ?? 0}
            to={story.causes[cause]?.to ?? 0}
            span={span}
          />
        ))}
        {bars.map((bar) => (
          <Part
            key={bar.incident}
            className="sl-fleet-bar"
            from={bar.begin}
            to={bar.end}
            span={span}
            grave={bar.grave}
            lasting={bar.open}
            here={bar.incident === incident}
            top={4 + bar.row * barHeight}
            height={barHeight - 1}
            title={`${timeText(bar.begin)} ${visible(inLang({ ...bar.text }, lang))}`}
            text={bar.causes.map((cause) => cause + 1).join(' ')}
            onClick={() => select(lane, bar.incident)}
            onDoubleClick={() => open(lane, bar.incident)}
          />
        ))}
      </span>
    </div>
  );
});

interface PartProps {
  readonly className: string;
  readonly from: number;
  readonly to: number;
  readonly span: Span;
  readonly grave?: boolean;
  readonly lasting?: boolean;
  readonly here?: boolean;
  readonly top?: number;
  readonly height?: number;
  readonly title?: string;
  readonly text?: string;
  readonly onClick?: () => void;
  readonly onDoubleClick?: () => void;
}

/** A part of a lane's time; nothing if it is out of sight. */
function Part({
  className,
  from,
  to,
  span,
  grave,
  lasting,
  here,
  top,
  height,
  title,
  text,
  onClick,
  onDoubleClick,
}: PartProps) {
  const [a, b] = [Math.max(0, placeOf(from, span)), Math.min(100, placeOf(to, span))];
  if (a > 100 || b < 0) return null;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the list has the keys for it
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <span
      className={`${className} u-absolute`}
      data-grave={grave || undefined}
      data-lasting={lasting || undefined}
      data-here={here || undefined}
      title={title}
      style={{ left: `${a}%`, width: `${b - a}%`, top, height }}
      onClick={
        onClick &&
        ((event) => {
          event.stopPropagation();
          onClick();
        })
      }
      onDoubleClick={onDoubleClick}
      data-testid={onClick && 'fleet-bar'}
    >
      {text && <span>{text}</span>}
    </span>
  );
}

function Ruler({ span }: { readonly span: Span }) {
  const t = useT();
  const few = useMedia(PHONE);
  const ticks = ticksOf(span.from, span.to, few ? 4 : 9);
  return (
    <div className="sl-fleet-ruler u-border-bottom u-flex-none u-hidden-overflow" aria-hidden="true">
      <span className="sl-small u-dim">{t('fleet.utc')}</span>
      <span className="u-relative">
        {ticks.map((at, i) => (
          <span
            key={at}
            className="sl-fleet-tick u-absolute u-tabular u-dim u-nowrap"
            style={{ left: `${placeOf(at, span)}%` }}
          >
            {tickText(at, ticks[i - 1])}
          </span>
        ))}
      </span>
    </div>
  );
}
