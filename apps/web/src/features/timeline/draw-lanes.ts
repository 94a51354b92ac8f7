import type { Seq, Sign } from '@syncloop/core/trace';
import { drawSign } from './draw-marks.js';
import { lowerPx } from './logic/timeline-find.js';
import { FAILURE, hueOf, isConcluded, isFailure, Role, signOf } from './logic/timeline-kinds.js';
import { MOST_ROWS, ROW, type Row } from './logic/timeline-layout.js';
import type { Lane } from './logic/timeline-model.js';
import type { Scene } from './scene.js';

/** Marks that fall into one piece of this many px are one: the most telling. */
const PIECE = 6;
/** A span narrower than this has no name. */
const NAMED = 26;

/** A message that one of the lanes in sight sends or gets. */
export interface Edge {
  readonly send: Seq;
  readonly receive: Seq;
}

/** A lane with its spans, waits, calls and marks. `edges` takes the messages in sight, up to its limit. */
export function drawLane(c: CanvasRenderingContext2D, scene: Scene, row: Row, y: number, edges: Edge[]): void {
  const lane = row.lanes[0] as Lane;
  const { model, axis, view, width, palette } = scene;
  const { columns: m } = model;
  const origin = axis.of(view.left);
  const x = (seq: Seq) => axis.ofSeq(seq) - origin;
  const now = m.length === 0 ? 0 : x(m.last);
  const alive = lane.tenants.some((t) => t.to === 0);
  const middle = Math.round(y + ROW.marks / 2);
  const rowTop = (depth: number) => y + ROW.marks + ROW.span * Math.min(depth, MOST_ROWS - 1);

  c.fillStyle = palette.line;
  const begin = lane.seqs.length > 0 && lane.old.size === 0 ? Math.max(0, x(lane.seqs[0] as Seq)) : 0;
  const end = alive ? now : lane.seqs.length > 0 ? x(lane.seqs[lane.seqs.length - 1] as Seq) : 0;
  if (end > begin) c.fillRect(begin, middle, Math.min(width, end) - begin, 1);

  const reached = new Float64Array(MOST_ROWS).fill(-1);
  c.font = `11px ${palette.font}`;
  c.textBaseline = 'middle';
  const span = (
    left: number,
    right: number,
    depth: number,
    look: number,
    call: boolean,
    label: string,
    concluded = false,
  ) => {
    const d = Math.min(depth, MOST_ROWS - 1);
    if (right < 0 || left > width) return;
    // If many fall within one px, only the first is drawn.
    if (right <= (reached[d] as number)) return;
    const a = Math.max(-2, left);
    const b = Math.max(Math.min(width + 2, right), a + 1.5);
    reached[d] = Math.floor(b);
    const top = rowTop(depth);
    const hue = hueOf(look);
    c.fillStyle = b - a < 3 ? (call ? palette.hue.actual : palette.lineStrong) : palette.soft[hue];
    // Concluded spans are outlined, observed ones are solid.
    if (!concluded || b - a < 4) c.fillRect(a, top, b - a, ROW.span - 1);
    if (b - a < 4) return;
    c.strokeStyle = hue === 'plain' ? palette.lineStrong : palette.hue[hue];
    c.lineWidth = 1;
    if (concluded) c.setLineDash([4, 2]);
    c.strokeRect(a + 0.5, top + 0.5, b - a - 1, ROW.span - 2);
    c.setLineDash([]);
    // A call's second sign: its left edge is thick.
    if (call && left >= 0) {
      c.fillStyle = palette.hue[hue];
      c.fillRect(a, top, 3, ROW.span - 1);
    }
    const from = Math.max(a, 0) + (call ? 6 : 4);
    if (b - from < NAMED) return;
    c.save();
    c.beginPath();
    c.rect(a, top, b - a - 2, ROW.span);
    c.clip();
    c.fillStyle = palette.text;
    c.fillText(label, from, top + ROW.span / 2);
    c.restore();
  };

  const first = Math.max(0, lowerPx(axis, lane, origin - 8));
  const spanOf = (seq: Seq) => {
    const i = seq - m.base;
    const over = m.end[i] as Seq;
    const right = over !== 0 && m.has(over) ? x(over) : now;
    const look = over !== 0 && m.has(over) && isFailure(m.look[over - m.base] as number) ? FAILURE : 0;
    const call = m.role[i] === Role.call;
    const own = m.look[i] as number;
    const concluded = isConcluded(own);
    span(x(seq), right, m.depth[i] as number, look || (call ? own : 0), call, model.labelAt(seq), concluded);
  };
  // Spans that were open when the part in sight begins, outermost first.
  const open: Seq[] = [];
  const before = first > 0 ? (lane.seqs[first - 1] as Seq) : 0;
  for (let at = model.openAfter(lane, before); at !== 0; ) {
    const old = m.has(at) ? undefined : lane.old.get(at);
    if (old) {
      const right = old.end !== 0 && m.has(old.end) ? x(old.end) : now;
      span(-10, right, old.depth, old.look, false, old.label);
      at = old.parent;
    } else {
      if (!m.has(at)) break;
      open.push(at);
      at = m.parent[at - m.base] as Seq;
    }
  }
  for (const seq of open.reverse()) spanOf(seq);

  const wait = (seq: Seq) => {
    const over = m.end[seq - m.base] as Seq;
    const left = x(seq);
    const right = over !== 0 && m.has(over) ? x(over) : now;
    if (right - left < 3) return;
    const label = model.labelAt(seq);
    const a = Math.max(0, left);
    const b = Math.min(width, right);
    // Sleeping is dotted, waiting for somebody is dashed.
    c.strokeStyle = palette.hue.time;
    c.lineWidth = 1;
    c.setLineDash(label.startsWith('sleep') ? [1, 3] : [4, 3]);
    c.beginPath();
    c.moveTo(a, middle + 0.5);
    c.lineTo(b, middle + 0.5);
    c.stroke();
    c.setLineDash([]);
  };
  if (before !== 0 && m.role[before - m.base] === Role.wait) wait(before);

  let piece = Number.NaN;
  let best = 0;
  let weight = -1;
  const flush = () => {
    if (weight < 0) return;
    const look = m.look[best - m.base] as number;
    sign(c, signOf(look), palette.hue[hueOf(look)], x(best), middle, isConcluded(look));
  };
  for (let k = first; k < lane.seqs.length; k++) {
    const seq = lane.seqs[k] as Seq;
    const px = axis.ofSeq(seq);
    if (px - origin > width + 8) break;
    const i = seq - m.base;
    const role = m.role[i];
    if (role === Role.enter || role === Role.call) spanOf(seq);
    else if (role === Role.wait) wait(seq);
    else if ((role === Role.send || role === Role.receive) && edges.length < MOST_EDGES) {
      const other = m.end[i] as Seq;
      // Each is drawn once: by its send, or by its receive if the send is out of sight.
      if (m.has(other) && (role === Role.send || axis.ofSeq(other) < origin))
        edges.push(role === Role.send ? { send: seq, receive: other } : { send: other, receive: seq });
    }
    if (signOf(m.look[i] as number) === 'none') continue;
    const at = Math.floor(px / PIECE);
    if (at !== piece) {
      flush();
      piece = at;
      weight = -1;
    }
    const w = m.weight[i] as number;
    if (w > weight) {
      best = seq;
      weight = w;
    }
  }
  flush();
}
/** With more messages in sight than this none is drawn, because nobody could follow them. */
export const MOST_EDGES = 200;

function sign(c: CanvasRenderingContext2D, shape: Sign, colour: string, x: number, y: number, outlined: boolean): void {
  c.fillStyle = colour;
  c.strokeStyle = colour;
  c.lineWidth = 1.4;
  drawSign(c, shape, x, y, outlined);
}

let counts = new Uint16Array(0);
let looks = new Uint8Array(0);
let weights = new Int8Array(0);

/** Draws strips for rows without spans: the number of records at each place, and their most important kind. */
export function drawHeat(c: CanvasRenderingContext2D, scene: Scene, rows: readonly { row: Row; y: number }[]): void {
  if (rows.length === 0) return;
  const { model, axis, view, palette } = scene;
  const { columns: m } = model;
  const width = Math.ceil(scene.width);
  const origin = axis.of(view.left);
  const size = rows.length * width;
  if (counts.length < size) {
    counts = new Uint16Array(size);
    looks = new Uint8Array(size);
    weights = new Int8Array(size);
  }
  counts.fill(0, 0, size);
  weights.fill(-1, 0, size);
  const place = new Int16Array(model.lanes.length).fill(-1);
  for (const [i, { row }] of rows.entries()) for (const lane of row.lanes) place[lane.index] = i;
  const from = axis.seqAt(view.left) - m.base;
  const to = Math.min(m.length, axis.seqAt(axis.at(origin + scene.width)) - m.base + 1);
  for (let i = Math.max(0, from); i < to; i++) {
    const r = place[m.lane[i] as number] as number;
    if (r < 0) continue;
    const px = Math.floor(axis.ofSeq(m.base + i) - origin);
    if (px < 0 || px >= width) continue;
    const at = r * width + px;
    if ((counts[at] as number) < 65_535) counts[at] = (counts[at] as number) + 1;
    const w = m.weight[i] as number;
    if (w > (weights[at] as number)) {
      weights[at] = w;
      looks[at] = m.look[i] as number;
    }
  }
  for (const [r, { row, y }] of rows.entries()) {
    const middle = y + row.height / 2;
    c.fillStyle = palette.line;
    c.fillRect(0, Math.round(middle), scene.width, 1);
    let runColour = '';
    let runHeight = 0;
    let start = 0;
    for (let px = 0; px <= width; px++) {
      const at = r * width + px;
      const n = px < width ? (counts[at] as number) : 0;
      // The height is the number, and the colour is the kind.
      const colour = n === 0 ? '' : palette.hue[(weights[at] as number) >= 2 ? hueOf(looks[at] as number) : 'plain'];
      const height = n === 0 ? 0 : Math.min(row.height - 4, 4 + 2 * Math.floor(Math.log2(n)));
      if (colour === runColour && height === runHeight) continue;
      if (runColour !== '') {
        c.fillStyle = runColour;
        c.fillRect(start, Math.round(middle - runHeight / 2), px - start, runHeight);
      }
      runColour = colour;
      runHeight = height;
      start = px;
    }
  }
}
