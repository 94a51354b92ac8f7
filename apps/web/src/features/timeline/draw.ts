/** Draws the timeline: only the part in sight, whatever the run's length. */
import type { Seq } from '@syncloop/core/trace';
import type { Mark } from '../../run/marks.js';
import { drawHeat, drawLane, type Edge, MOST_EDGES } from './draw-lanes.js';
import { drawArrow } from './draw-marks.js';
import { drawFolds, drawRuler } from './draw-ruler.js';
import { Role } from './logic/timeline-kinds.js';
import { type Row, rowOfLanes, rowsBetween, yInRow } from './logic/timeline-layout.js';
import { RULER, type Scene } from './scene.js';

export function draw(c: CanvasRenderingContext2D, scene: Scene): void {
  const { model, axis, view, layout, width, height, scrollTop, palette } = scene;
  axis.scale = view.scale;
  axis.update();
  c.fillStyle = palette.background;
  c.fillRect(0, 0, width, height);
  if (model.columns.length === 0) return;
  const origin = axis.of(view.left);
  const folds = axis.folds(origin, origin + width);
  drawFolds(c, scene, folds, origin);

  c.save();
  c.beginPath();
  c.rect(0, RULER, width, height - RULER);
  c.clip();
  const heat: { row: Row; y: number }[] = [];
  const edges: Edge[] = [];
  for (const row of rowsBetween(layout, scrollTop, scrollTop + height - RULER)) {
    const y = RULER + row.y - scrollTop;
    if (row.kind === 'group') {
      c.fillStyle = palette.sunken;
      c.fillRect(0, y, width, row.height);
    }
    c.fillStyle = palette.line;
    c.fillRect(0, y + row.height - 1, width, 1);
    if (row.folded) heat.push({ row, y });
    else if (row.kind === 'lane') drawLane(c, scene, row, y, edges);
  }
  drawHeat(c, scene, heat);

  const points = pointsOf(scene, origin);
  drawAhead(c, scene, origin);
  drawHits(c, scene, points);
  drawMessages(c, scene, edges, points);
  drawRange(c, scene, origin);
  drawCauses(c, scene, points);
  c.restore();

  drawRuler(c, scene, folds, origin);
  drawMarks(c, scene, origin);
  drawCursor(c, scene, origin);
}

type Points = (seq: Seq) => { x: number; y: number } | null;
/** The point at which a record is drawn; null if it is not in memory. */
function pointsOf(scene: Scene, origin: number): Points {
  const rows = rowOfLanes(scene.layout);
  const { columns: m } = scene.model;
  return (seq) => {
    if (!m.has(seq)) return null;
    const row = rows.get(m.lane[seq - m.base] as number);
    if (!row) return null;
    const role = m.role[seq - m.base];
    const span = role === Role.enter || role === Role.call;
    // An unfolded group has a row for each lane; a folded one is the row of all.
    return {
      x: scene.axis.ofSeq(seq) - origin,
      y: RULER + row.y - scene.scrollTop + yInRow(row, m.depth[seq - m.base] as number, span),
    };
  };
}

/** Draws what comes after the session's position pale. */
function drawAhead(c: CanvasRenderingContext2D, scene: Scene, origin: number): void {
  const { model, axis, present, palette, width, height } = scene;
  if (present >= model.last) return;
  const x = present < model.first ? 0 : axis.ofSeq(present) - origin + 1;
  if (x > width) return;
  c.globalAlpha = 0.6;
  c.fillStyle = palette.background;
  c.fillRect(Math.max(0, x), RULER, width - Math.max(0, x), height - RULER);
  c.globalAlpha = 1;
}

function drawHits(c: CanvasRenderingContext2D, scene: Scene, points: Points): void {
  const { palette, width } = scene;
  c.strokeStyle = palette.focus;
  c.lineWidth = 1.5;
  let before = Number.NaN;
  for (const seq of scene.hits) {
    const p = points(seq);
    if (!p || p.x < -6) continue;
    if (p.x > width + 6) break;
    // Records of lanes out of sight count, too: there is something to find.
    if (Math.round(p.x) !== before) {
      before = Math.round(p.x);
      c.fillStyle = palette.focus;
      c.fillRect(before, RULER, 2, 4);
    }
    c.strokeRect(p.x - 5, p.y - 5, 10, 10);
  }
}

function drawMessages(c: CanvasRenderingContext2D, scene: Scene, edges: readonly Edge[], points: Points): void {
  const { palette, selected } = scene;
  c.lineWidth = 1;
  c.strokeStyle = palette.hue.message;
  c.fillStyle = palette.hue.message;
  const thicket = edges.length >= MOST_EDGES;
  const drawn = new Set<Seq>();
  const edge = (send: Seq, receive: Seq, strong: boolean) => {
    const from = points(send);
    const to = points(receive);
    if (!from || !to || drawn.has(send)) return;
    // An arrow to a lane out of sight would lead nowhere.
    if (!strong && (Math.abs(from.y - to.y) < 2 || outside(scene, from.y) || outside(scene, to.y))) return;
    drawn.add(send);
    c.globalAlpha = strong ? 1 : 0.4;
    drawArrow(c, from, to);
  };
  const { columns: m } = scene.model;
  if (m.has(selected)) {
    const role = m.role[selected - m.base];
    const other = m.end[selected - m.base] as Seq;
    if (role === Role.send) edge(selected, other, true);
    else if (role === Role.receive) edge(other, selected, true);
  }
  if (!thicket) for (const { send, receive } of edges) edge(send, receive, false);
  c.globalAlpha = 1;
}

const outside = ({ height }: Scene, y: number): boolean => y < RULER || y > height;

function drawCauses(c: CanvasRenderingContext2D, scene: Scene, points: Points): void {
  const { palette, causes, selected, hover } = scene;
  c.strokeStyle = palette.hue.decision;
  c.fillStyle = palette.hue.decision;
  c.lineWidth = 1.5;
  for (let i = causes.length - 1; i > 0; i--) {
    const from = points(causes[i] as Seq);
    const to = points(causes[i - 1] as Seq);
    if (from && to) drawArrow(c, from, to, 6);
  }
  for (const seq of [hover, selected]) {
    const p = seq > 0 ? points(seq) : null;
    if (!p) continue;
    c.strokeStyle = palette.focus;
    c.lineWidth = seq === selected ? 2 : 1;
    c.beginPath();
    c.arc(p.x, p.y, seq === selected && scene.focused ? 8 : 6.5, 0, 2 * Math.PI);
    c.stroke();
  }
}

function drawRange(c: CanvasRenderingContext2D, scene: Scene, origin: number): void {
  const { range, axis, model, palette, height } = scene;
  if (!range || !model.columns.has(range.from) || !model.columns.has(range.to)) return;
  const left = axis.ofSeq(range.from) - origin;
  const right = Math.max(left + 2, axis.ofSeq(range.to) - origin);
  c.globalAlpha = 0.14;
  c.fillStyle = palette.focus;
  c.fillRect(left, RULER, right - left, height);
  c.globalAlpha = 1;
  c.fillRect(left, RULER, 1, height);
  c.fillRect(right, RULER, 1, height);
}

const SIGNS: Readonly<Record<Mark['kind'], readonly [string, 'failure' | 'message' | 'desired' | 'decision']>> = {
  breakpoint: ['●', 'failure'],
  logpoint: ['◆', 'message'],
  note: ['✎', 'desired'],
  branch: ['⑂', 'decision'],
  difference: ['≠', 'failure'],
};
function drawMarks(c: CanvasRenderingContext2D, scene: Scene, origin: number): void {
  const { marks, axis, model, palette, width, height } = scene;
  c.font = `11px ${palette.font}`;
  c.textBaseline = 'middle';
  for (const { kind, seq } of marks) {
    if (!model.columns.has(seq)) continue;
    const x = axis.ofSeq(seq) - origin;
    if (x < -6 || x > width + 6) continue;
    const [sign, hue] = SIGNS[kind];
    c.fillStyle = palette.hue[hue];
    c.globalAlpha = 0.5;
    c.fillRect(Math.round(x), RULER, 1, height);
    c.globalAlpha = 1;
    c.textAlign = 'center';
    c.fillText(sign, x, RULER - 6);
    c.textAlign = 'start';
  }
}

/** Draws the session's position. */
function drawCursor(c: CanvasRenderingContext2D, scene: Scene, origin: number): void {
  const { model, axis, present, palette, height } = scene;
  const x = Math.round(
    present < model.first ? axis.of(axis.placeOfSeq(model.first)) - origin : axis.ofSeq(present) - origin,
  );
  c.fillStyle = palette.text;
  c.fillRect(x, 0, 1, height);
  c.beginPath();
  c.moveTo(x - 5, 0);
  c.lineTo(x + 6, 0);
  c.lineTo(x + 0.5, 7);
  c.fill();
}
