import './lanes-strip.css';
import {
  type FocusEvent,
  Fragment,
  type KeyboardEvent,
  type MouseEvent,
  memo,
  useEffect,
  useRef,
  useState,
} from 'react';
import { runCommand } from '../../../commands/index.js';
import { type Translate, useT } from '../../../i18n/index.js';
import { useUI } from '../../../page/ui-store.js';
import { same } from '../../../run/same.js';
import { useSession } from '../../../run/session-store.js';
import { useTrace } from '../../../run/use-trace.js';
import { Icon } from '../../../ui/icons.js';
import { seconds } from '../../../units/text.js';
import type { Rect } from '../geometry/geometry-paths.js';
import { Lane } from './lane.js';
import { lanes } from './lane-scroll.js';
import { containerText } from './lane-words.js';
import { type LaneSort, useLanes } from './lanes-store.js';
import { type Heat, lanePart } from './logic/lanes.js';
import { cellAfter, type LanesLayout } from './logic/lanes-layout.js';
import { cellName, heatCounts, type StripCell, stripCells } from './logic/lanes-strip.js';
import { BackoffRing } from './sandbox.js';

/** The signs of a pod's activity, by shape and by colour. */
const SIGNS: Readonly<Record<Heat, string>> = {
  failing: '✕',
  working: '▸',
  ending: '◐',
  waiting: '◌',
  running: '●',
  done: '○',
};
const HEATS: readonly Heat[] = ['failing', 'working', 'ending', 'waiting', 'running', 'done'];
const SORTS: readonly LaneSort[] = ['arrival', 'name', 'activity'];

const stop = (event: MouseEvent) => event.preventDefault();
const uidAt = (target: EventTarget): string | null =>
  (target as Element).closest<HTMLElement>('[data-uid]')?.dataset.uid ?? null;

/** Many pods: a cell for each, in rows. One of them can be unfolded into its lane, under its row. */
export function LaneStrip({ layout, area: box }: { readonly layout: LanesLayout; readonly area: Rect }) {
  const t = useT();
  const sort = useLanes((s) => s.sort);
  const unfolded = useLanes((s) => s.unfolded);
  const cells = useTrace((s) => stripCells(s, lanes.shown(), lanes.index()));
  const [pointed, setPointed] = useState<string | null>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const area = useRef<HTMLDivElement>(null);
  const { columns } = layout;
  const node = useSession((s) => s.info?.node ?? '');
  const tabbable = cells.some((c) => c.uid === focused) ? focused : (cells[0]?.uid ?? null);
  const open = cells.findIndex((c) => c.uid === unfolded);
  const openRow = open < 0 ? -1 : Math.floor(open / columns);

  // An unfolded lane comes into sight, with its row.
  useEffect(() => {
    const element = area.current;
    if (!element) return;
    if (openRow >= 0) {
      const top = openRow * layout.height;
      const bottom = top + layout.height + layout.unfolded;
      if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
      if (top < element.scrollTop) element.scrollTop = top;
    }
    lanes.scrolled = element.scrollTop;
  }, [openRow, layout.height, layout.unfolded]);
  // With other columns, cells are in other rows and are created again: the focus stays with its pod.
  const hadFocus = useRef<string | null>(null);
  hadFocus.current = focused;
  useEffect(() => {
    const uid = hadFocus.current;
    if (columns > 0 && uid !== null && document.activeElement === document.body)
      area.current?.querySelector<HTMLElement>(`[data-uid="${CSS.escape(uid)}"]`)?.focus({ preventScroll: true });
  }, [columns]);
  useEffect(
    () => () => {
      lanes.scrolled = 0;
    },
    [],
  );

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const at = cells.findIndex((c) => c.uid === uidAt(event.target));
    if (at < 0) return;
    const next = cells[cellAfter(event.key, at, cells.length, columns)];
    if (!next || (next.uid === cells[at]?.uid && !/^(Arrow|Home|End)/.test(event.key))) return;
    // The arrows are the transport's elsewhere.
    event.preventDefault();
    area.current?.querySelector<HTMLElement>(`[data-uid="${CSS.escape(next.uid)}"]`)?.focus();
  };
  const onClick = (event: MouseEvent) => {
    const uid = uidAt(event.target);
    if (uid === null) return;
    if (uid === unfolded) useLanes.setState({ unfolded: null });
    runCommand('view.select', uid === unfolded ? null : { kind: 'pod', uid });
  };

  const rows: StripCell[][] = [];
  for (let i = 0; i < cells.length; i += columns) rows.push(cells.slice(i, i + columns));
  return (
    <>
      <div
        className="sl-strip-bar u-row u-gap-10 u-hidden-overflow u-nowrap u-border-bottom u-fs-1 u-dim"
        style={{ height: layout.header }}
      >
        <span className="sl-strong">{t('lanes.pods', { n: cells.length })}</span>
        <HeatCounts cells={cells} />
        <fieldset className="sl-strip-sort u-row u-gap-2 u-pad-0 u-border-0">
          <legend className="sl-visually-hidden">{t('lanes.sort')}</legend>
          <span aria-hidden="true">{t('lanes.sort')}:</span>
          {SORTS.map((s) => (
            <button
              className="u-pad-tag u-target u-round u-pointer"
              key={s}
              type="button"
              aria-pressed={s === sort}
              title={s === 'activity' ? t('lanes.sort.activityHelp') : undefined}
              onClick={() => runCommand('lanes.sort', s)}
            >
              {t(`lanes.sort.${s}`)}
            </button>
          ))}
        </fieldset>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a table's cells could not be buttons */}
      <div
        ref={area}
        role="grid"
        tabIndex={-1}
        aria-label={t('lanes.strip', { n: cells.length })}
        className="sl-strip nowheel nopan"
        style={{ height: box.h - 2 - layout.header - layout.footer }}
        onScroll={(e) => {
          lanes.scrolled = e.currentTarget.scrollTop;
        }}
        onMouseDown={stop}
        onMouseOver={(e) => setPointed(uidAt(e.target))}
        onMouseLeave={() => setPointed(null)}
        onFocus={(e: FocusEvent) => setFocused(uidAt(e.target) ?? focused)}
        onKeyDown={onKeyDown}
        onClick={onClick}
      >
        {rows.map((row, r) => (
          <Fragment key={row[0]?.uid}>
            {/* biome-ignore lint/a11y/useSemanticElements: see above */}
            {/* biome-ignore lint/a11y/useFocusableInteractive: its cells are */}
            <div
              role="row"
              className="u-grid"
              style={{ height: layout.height, gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
            >
              {row.map((cell) => (
                <Cell
                  key={cell.uid}
                  cell={cell}
                  name={cellName(cell.pod, node)}
                  lines={layout.density === 'cells' ? 2 : 1}
                  open={cell.uid === unfolded}
                  tabbable={cell.uid === tabbable}
                />
              ))}
            </div>
            {r === openRow && unfolded !== null && <Unfolded uid={unfolded} layout={layout} />}
          </Fragment>
        ))}
      </div>
      <div
        className="sl-strip-detail u-row u-gap-10 u-hidden-overflow u-nowrap u-border-top u-fs-1 u-tabular u-dim"
        style={{ height: layout.footer }}
        data-testid="strip-detail"
      >
        <Detail uid={pointed ?? focused ?? unfolded} />
      </div>
    </>
  );
}

function Unfolded({ uid, layout }: { readonly uid: string; readonly layout: LanesLayout }) {
  const t = useT();
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    // biome-ignore lint/a11y/useFocusableInteractive: what is in it is
    <div role="row" className="sl-strip-open u-relative" style={{ height: layout.unfolded }}>
      {/* biome-ignore lint/a11y/useSemanticElements: see above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: what is in it is */}
      <div role="gridcell" className="u-height-full">
        <Lane uid={uid} density={layout.unfoldedDensity} />
        <button
          type="button"
          className="sl-button sl-quiet sl-strip-fold u-absolute u-target"
          aria-label={t('lanes.fold')}
          title={t('lanes.fold')}
          onClick={() => useLanes.setState({ unfolded: null })}
        >
          <Icon name="close" />
        </button>
      </div>
    </div>
  );
}

function doingText(t: Translate, cell: StripCell): string {
  if (cell.failed && cell.doing !== 'working') return t('lanes.doing.failed');
  return t(`lanes.doing.${cell.doing}`, { t: t('time.s', { n: seconds(cell.at ?? 0) }), fn: cell.fn });
}

interface CellProps {
  readonly cell: StripCell;
  /** The part of its name that there is room for. */
  readonly name: string;
  readonly lines: 1 | 2;
  readonly open: boolean;
  readonly tabbable: boolean;
}

const Cell = memo(function Cell({ cell, name, lines, open, tabbable }: CellProps) {
  const t = useT();
  const selected = useUI((s) => s.selection?.kind === 'pod' && s.selection.uid === cell.uid);
  const doing = doingText(t, cell);
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    <button
      type="button"
      role="gridcell"
      className="sl-strip-cell u-row u-wrap u-min-width-0 u-bare u-pointer u-fs-1 u-text-left"
      data-uid={cell.uid}
      data-heat={cell.heat}
      data-phase={cell.phase}
      data-pending={cell.pending || undefined}
      data-gone={cell.gone || undefined}
      tabIndex={tabbable ? 0 : -1}
      aria-selected={selected}
      aria-expanded={open}
      aria-label={[cell.pod, cell.phase, t(`lanes.heat.${cell.heat}`), doing].filter(Boolean).join(', ')}
    >
      <span className="sl-strip-sign u-flex-none u-text-center" aria-hidden="true">
        {SIGNS[cell.heat]}
      </span>
      <span className="sl-strip-name u-grow u-min-width-0 u-clip">{name}</span>
      {cell.restarts > 0 && <span className="sl-restarts u-fs-1 u-tabular">×{cell.restarts}</span>}
      {cell.backoff && <BackoffRing {...cell.backoff} size={12} />}
      {lines === 2 && <span className="sl-strip-doing u-clip u-fs-1 u-dim">{doing}</span>}
    </button>
  );
}, same);

function HeatCounts({ cells }: { readonly cells: readonly StripCell[] }) {
  const t = useT();
  const counts = heatCounts(cells);
  return (
    <span className="u-flex u-gap-10">
      {HEATS.map((heat) => (
        <span key={heat} className="sl-strip-count" data-heat={heat} data-none={counts[heat] === 0 || undefined}>
          <span className="sl-strip-sign u-flex-none u-text-center" aria-hidden="true">
            {SIGNS[heat]}
          </span>{' '}
          <span className="sl-tabular">{counts[heat]}</span> {t(`lanes.heat.${heat}`)}
        </span>
      ))}
    </span>
  );
}

/** The pod that is pointed at, in a line. */
function Detail({ uid }: { readonly uid: string | null }) {
  const t = useT();
  const found = useTrace((s) => {
    const index = lanes.index();
    const part = uid === null ? null : lanePart(s, uid, index);
    const cell = uid === null ? undefined : stripCells(s, [uid], index)[0];
    if (!part || !cell) return null;
    return { cell, containers: part.sandbox?.containers ?? [], pending: part.pending };
  });
  if (!found) return <span className="u-faint">{t('lanes.hint')}</span>;
  const { cell, containers, pending } = found;
  return (
    <>
      <span className="sl-code sl-strong">{cell.pod}</span>
      <span className="sl-phase u-fs-1 u-dim" data-phase={cell.phase}>
        {cell.phase || t('graph.phaseNone')}
      </span>
      <span>{doingText(t, cell)}</span>
      {pending !== '' && <span className="sl-message-text">{`${t('lanes.pending')}: ${pending}`}</span>}
      {containers.map((c) => (
        <span key={c.id}>
          {c.name} {containerText(t, c)}
          {c.restarts > 0 && ` ×${c.restarts}`}
        </span>
      ))}
      {cell.backoff && (
        <span className="sl-bad">{t('lane.backoff', { t: t('time.s', { n: seconds(cell.backoff.until, 1) }) })}</span>
      )}
    </>
  );
}
