/** The timeline outside React: takes records in, keeps the view, and draws at most once per frame. */
import type { TwinSide } from '@syncloop/core/debug';
import type { Seq } from '@syncloop/core/trace';
import { runCommand } from '../../commands/index.js';
import { useUI } from '../../page/ui-store.js';
import { useCounterpart } from '../../run/counterpart.js';
import { type Mark, useMarks } from '../../run/marks.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { rulerClock } from '../../run/wall-time.js';
import { draw } from './draw.js';
import { drawPaired, PAIRED } from './draw-paired.js';
import { type PlacedPairs, type PlacedTick, placePairs, tickAt } from './logic/paired.js';
import { Axis, clamp, fit, fitRange, panBy, type View, zoomAt } from './logic/timeline-axis.js';
import { TimelineFeed } from './logic/timeline-feed.js';
import { chainOf, countRange, hitAt } from './logic/timeline-find.js';
import { type Layout, layoutOf, rowAt, rowOfLanes } from './logic/timeline-layout.js';
import { type Palette, readPalette } from './palette.js';
import { RULER } from './scene.js';
import { TimelineSearch } from './search.js';
import { type TimelineRange, useTimeline } from './timeline-store.js';

/** ms that a frame may spend on taking records in, and with searching; the rest comes with the next. */
const TAKING = 6;
const SEARCHING = 9;

/** The feed stays while the panel is closed. */
export const feed = new TimelineFeed();
let closed: (() => void) | null = null;
/** Frees a run that nobody looks at any more. */
function forgetOtherRuns(): void {
  closed = useSession.subscribe((s, before) => {
    if (s.info !== before.info) feed.clear();
  });
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export class TimelineController {
  readonly axis = new Axis(feed.model);
  layout: Layout = { rows: [], height: 0, key: '' };
  view: View = { left: 0, scale: 1 };
  size: Size = { width: 0, height: 0 };
  private focused = false;
  private palette: Palette | null = null;
  private frame = 0;
  /** All is kept in sight until the user zooms or pans. */
  private whole = true;
  private shown: Seq = 0;
  private cuts = 0;
  private arranged: { folded: object | null; version: number; deep: number } = { folded: null, version: 0, deep: 0 };
  private readonly search = new TimelineSearch();
  private pairsCanvas: HTMLCanvasElement | null = null;
  private pairs: PlacedPairs | null = null;
  private causes: { of: Seq; last: Seq; chain: readonly Seq[] } = { of: 0, last: 0, chain: [] };

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly scroller: HTMLElement,
    private readonly onLayout: (layout: Layout) => void,
  ) {
    closed?.();
    closed = null;
  }

  get model() {
    return feed.model;
  }
  get present(): Seq {
    return feed.present;
  }
  get selected(): Seq {
    const { selection } = useUI.getState();
    return selection?.kind === 'record' ? selection.seq : 0;
  }

  readonly ask = (): void => {
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.paint());
  };
  stop(): void {
    forgetOtherRuns();
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }
  /** Sets whether the keyboard is here. */
  focus(on: boolean): void {
    this.focused = on;
    this.ask();
  }
  resize(size: Size): void {
    this.size = size;
    this.ask();
  }
  /** Draws the decisions of both runs there as well; null: no longer. */
  pairInto(canvas: HTMLCanvasElement | null): void {
    this.pairsCanvas = canvas;
    this.pairs = null;
    this.ask();
  }
  /** The decision of one run at a place of that picture. */
  pairedAt(side: TwinSide, x: number): PlacedTick | null {
    return this.pairs && tickAt(this.pairs[side], x);
  }
  /** The theme changed. */
  recolour(): void {
    this.palette = null;
    this.ask();
  }

  // --- the view ------------------------------------------------------------------------------------------------------

  zoomBy(factor: number, x = this.anchor()): void {
    this.whole = false;
    this.view = zoomAt(this.axis, this.view, x, factor);
    this.ask();
  }
  pan(dx: number, dy = 0): void {
    if (dx !== 0) {
      this.whole = false;
      this.view = panBy(this.axis, this.view, dx, this.size.width);
    }
    if (dy !== 0) this.scroller.scrollTop += dy;
    this.ask();
  }
  fit(): void {
    this.whole = true;
    this.view = fit(this.axis, this.size.width);
    this.ask();
  }
  fitRange(): void {
    const { range } = useTimeline.getState();
    if (!range) return;
    this.whole = false;
    const place = (seq: Seq) => this.axis.placeOfSeq(clamp(seq, this.model.first, this.model.last));
    this.view = fitRange(this.axis, this.size.width, place(range.from), place(range.to));
    this.ask();
  }
  /** Moves the view just so far that a record is in sight. */
  reveal(seq: Seq): void {
    if (!this.model.columns.has(seq)) return;
    const x = this.xOf(seq);
    const { width, height } = this.size;
    if (x < 16 || x > width - 16) this.pan(x - width / 2);
    const row = rowOfLanes(this.layout).get(this.model.laneAt(seq)?.index ?? -1);
    const { scrollTop } = this.scroller;
    const room = height - RULER;
    if (row && row.y < scrollTop) this.scroller.scrollTop = row.y;
    else if (row && row.y + row.height > scrollTop + room) this.scroller.scrollTop = row.y + row.height - room;
    this.ask();
  }
  xOf(seq: Seq): number {
    return this.axis.ofSeq(seq) - this.axis.of(this.view.left);
  }
  /** Returns the centre for zooming by key: the selection, or else the session's position. */
  private anchor(): number {
    const seq = this.model.columns.has(this.selected) ? this.selected : this.present;
    const x = this.model.columns.has(seq) ? this.xOf(seq) : this.size.width / 2;
    return x >= 0 && x <= this.size.width ? x : this.size.width / 2;
  }

  // --- what is where -------------------------------------------------------------------------------------------------

  /** The record under a point of the canvas; 0 if there is none. */
  recordAt(x: number, y: number): Seq {
    if (y < RULER || this.model.columns.length === 0) return 0;
    const at = y - RULER + this.scroller.scrollTop;
    const row = rowAt(this.layout, at);
    return row ? hitAt(this.model, this.axis, row, this.axis.of(this.view.left) + x, at - row.y) : 0;
  }
  /** The last record at or before a position of the canvas. */
  seqAtX(x: number): Seq {
    const place = this.axis.at(this.axis.of(this.view.left) + x);
    const next = this.axis.seqAt(this.axis.mode === 'time' ? place + 1e-6 : place + 0.5);
    return clamp(next - 1, Math.max(1, this.model.first), Math.max(1, this.model.last));
  }
  setRange(range: TimelineRange | null): void {
    useTimeline.setState({ range, counts: range && countRange(this.model, range.from, range.to) });
    this.ask();
  }

  // --- searching -----------------------------------------------------------------------------------------------------

  searchFor(text: string): void {
    this.search.begin(text);
    this.ask();
  }
  hit(by: 1 | -1): void {
    const seq = this.search.next(this.selected, by);
    if (seq === 0) return;
    runCommand('timeline.focus', seq);
    this.reveal(seq);
  }

  // --- drawing -------------------------------------------------------------------------------------------------------

  private paint(): void {
    this.frame = 0;
    const begun = performance.now();
    const { run } = useSession.getState();
    let more = true;
    while (more && performance.now() - begun < TAKING)
      more = feed.sync(trace.records, run.end?.seq ?? trace.records.last);
    const { mode, folded, range, hover } = useTimeline.getState();
    if (mode !== this.axis.mode) this.changeMode(mode);
    this.axis.scale = this.view.scale;
    this.axis.update();
    this.arrange(folded);
    this.follow(run.running);
    const expired = () => performance.now() - begun >= SEARCHING;
    const { first, last } = feed.model;
    more = this.search.look((seq) => feed.record(seq), first, last, this.selected, expired) || more;
    const started = performance.now();
    this.picture(range, Object.values(useMarks.getState().marks).flat(), hover?.seq ?? 0);
    // For tests and measurements; nothing on the page reads it.
    const { dataset } = this.canvas;
    dataset.drawn = (performance.now() - started).toFixed(1);
    dataset.frame = (performance.now() - begun).toFixed(1);
    dataset.records = String(feed.model.columns.length);
    dataset.behind = String(more);
    dataset.view = `${this.axis.mode} ${this.view.left} ${this.view.scale}`;
    if (more) this.ask();
  }

  /** Rows change seldom, and there may be hundreds of lanes to put in order. */
  private arrange(folded: Readonly<Record<string, boolean>>): void {
    const { model } = feed;
    let deep = 0;
    for (const lane of model.lanes) deep += lane?.deepest ?? 0;
    const made = this.arranged;
    if (made.folded === folded && made.version === model.laneVersion && made.deep === deep) return;
    this.arranged = { folded, version: model.laneVersion, deep };
    const layout = layoutOf(model.lanes, { folded });
    if (layout.key !== this.layout.key) this.onLayout(layout);
    this.layout = layout;
  }

  private picture(range: TimelineRange | null, marks: readonly Mark[], hover: Seq): void {
    const { canvas, size } = this;
    const context = contextOf(canvas, size);
    if (!context) return;
    this.palette ??= readPalette(canvas.parentElement ?? canvas);
    const { selected } = this;
    if (this.causes.of !== selected || this.causes.last !== feed.model.last)
      this.causes = { of: selected, last: feed.model.last, chain: chainOf((s) => feed.record(s), selected) };
    draw(context, {
      model: feed.model,
      axis: this.axis,
      view: this.view,
      layout: this.layout,
      ...size,
      scrollTop: this.scroller.scrollTop,
      palette: this.palette,
      present: feed.present,
      selected,
      causes: this.causes.chain,
      range,
      hits: this.search.hits,
      clock: rulerClock(),
      marks,
      hover,
      focused: this.focused,
    });
    this.pairedPicture(this.palette);
  }

  private pairedPicture(palette: Palette): void {
    const { paired } = useCounterpart.getState();
    const side = useSession.getState().run.twin?.side;
    const { pairsCanvas, axis, size } = this;
    const context = pairsCanvas && contextOf(pairsCanvas, { width: size.width, height: PAIRED });
    if (!context || !paired || side === undefined) return;
    const origin = axis.of(this.view.left);
    this.pairs = placePairs(paired, side, feed.model, axis, origin, size.width);
    const present = clamp(feed.present, feed.model.first, feed.model.last);
    const known = feed.model.columns.has(present);
    drawPaired(context, this.pairs, { palette, width: size.width, present: known ? this.xOf(present) : -1 });
  }

  /** Shows the same moment as before. */
  private changeMode(mode: Axis['mode']): void {
    const { axis } = this;
    const middle = this.seqAtX(this.size.width / 2);
    axis.mode = mode;
    this.view = fit(axis, this.size.width);
    if (this.whole || !this.model.columns.has(middle)) return;
    // The scale puts as many records into sight as there would be at a readable size.
    const scale = mode === 'records' ? 8 : this.view.scale * 8;
    this.view = zoomAt(axis, this.view, 0, scale / this.view.scale);
    this.view = panBy(axis, this.view, this.xOf(middle) - this.size.width / 2, this.size.width);
  }

  private follow(running: boolean): void {
    const { model, axis, size } = this;
    if (model.columns.length === 0 || size.width <= 0) return;
    if (this.whole) {
      const { width } = axis;
      // A fit at each record would never let the picture stand still.
      if (width > size.width - 20 || width < size.width * 0.4 || axis.of(this.view.left) > 0)
        this.view = fit(axis, running ? size.width * 0.75 : size.width);
    } else if (useUI.getState().follow && feed.present !== this.shown && model.columns.has(feed.present)) {
      const x = this.xOf(feed.present);
      if (x > size.width - 24) this.view = panBy(axis, this.view, x - size.width * 0.7, size.width);
      else if (x < 0) this.view = panBy(axis, this.view, x - size.width * 0.3, size.width);
    }
    this.shown = feed.present;
    // Records that were in sight may be forgotten, or cut off.
    if (!this.whole && model.cuts !== this.cuts) this.view = panBy(axis, this.view, 0, size.width);
    this.cuts = model.cuts;
  }
}

/** Returns a canvas's context in CSS px, as sharp as the screen; null without room. */
function contextOf(canvas: HTMLCanvasElement, { width, height }: Size): CanvasRenderingContext2D | null {
  const context = canvas.getContext('2d', { alpha: false });
  if (!context || width <= 0 || height <= 0) return null;
  const dpr = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * dpr), Math.round(height * dpr)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  context.setTransform(dpr, 0, 0, dpr, 0, 0);
  return context;
}
