import { useReactFlow } from '@xyflow/react';
import { useEffect, useRef } from 'react';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { reducedMotion } from '../../ui/use-media.js';
import { isFollowed } from './following.js';
import { pointAt } from './geometry/geometry.js';
import { arrangementNow } from './graph-view.js';
import { CROWD, type Move, type MoveKind, movesOf, plan, type Token } from './moves/moves.js';
import { placesNow, shownOn } from './moves/moves-now.js';

const KINDS: readonly MoveKind[] = ['desired', 'actual', 'message', 'decision', 'time', 'failure'];

/** The colours of the current theme, read once per burst of movement. */
function colours(element: Element): Record<MoveKind, string> {
  const probe = document.createElement('i');
  element.appendChild(probe);
  const out = {} as Record<MoveKind, string>;
  for (const kind of KINDS) {
    probe.style.color = `var(--sl-${kind})`;
    out[kind] = getComputedStyle(probe).color;
  }
  probe.remove();
  return out;
}

let lastHandler = '';

/** The tokens in flight, for whoever points at one. */
let flying: { readonly tokens: readonly Token[]; readonly flow: ReturnType<typeof useReactFlow> } | null = null;

/** The token at a point of the graph (CSS px), if any: the record that it shows. */
export function tokenAt(x: number, y: number): number | null {
  if (!flying) return null;
  const view = flying.flow.getViewport();
  const now = performance.now();
  for (const token of flying.tokens) {
    const fraction = (now - token.start) / token.length;
    if (fraction < 0 || fraction > 1 || token.seq === undefined) continue;
    const p = pointAt(token.points, eased(fraction));
    if (Math.hypot(p.x * view.zoom + view.x - x, p.y * view.zoom + view.y - y) <= REACH) return token.seq;
  }
  return null;
}
/** The largest distance of a pointer from a token, CSS px. */
const REACH = 14;
/** Slows down towards the end, as if it arrived. */
const eased = (fraction: number): number => 1 - (1 - fraction) ** 2;

/** Draws tokens on one canvas over the graph. It draws only while one moves, so a paused run costs nothing. */
export function TokenLayer() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const flow = useReactFlow();

  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context) return;
    let tokens: Token[] = [];
    let flashes: Token[] = [];
    let frame = 0;
    let palette: Record<MoveKind, string> | null = null;
    let { epoch } = trace.cursor;

    const draw = (now: number) => {
      frame = 0;
      const { clientWidth: w, clientHeight: h } = element;
      const dpr = window.devicePixelRatio || 1;
      if (element.width !== Math.round(w * dpr) || element.height !== Math.round(h * dpr)) {
        element.width = Math.round(w * dpr);
        element.height = Math.round(h * dpr);
      }
      context.setTransform(dpr, 0, 0, dpr, 0, 0);
      context.clearRect(0, 0, w, h);
      tokens = tokens.filter((t) => now < t.start + t.length);
      flashes = flashes.filter((t) => now < t.start + t.length);
      flying = { tokens, flow };
      if (tokens.length === 0 && flashes.length === 0) {
        palette = null;
        return;
      }
      palette ??= colours(element.parentElement ?? element);
      const { x, y, zoom } = flow.getViewport();
      context.setTransform(dpr * zoom, 0, 0, dpr * zoom, dpr * x, dpr * y);
      for (const flash of flashes)
        drawWire(context, flash, palette[flash.kind], 1 - (now - flash.start) / flash.length);
      for (const token of tokens)
        if (now >= token.start) drawToken(context, token, palette[token.kind], (now - token.start) / token.length);
      frame = requestAnimationFrame(draw);
    };

    const unlisten = trace.onBatch((records, past) => {
      if (trace.cursor.epoch !== epoch) {
        epoch = trace.cursor.epoch;
        tokens = [];
        flashes = [];
      }
      const places = placesNow(lastHandler);
      const on = shownOn(arrangementNow());
      const moves: Move[] = [];
      for (const record of records) {
        if (record.kind === 'enter' && record.fn.startsWith('Handle')) lastHandler = record.fn;
        if (record.seq <= past) continue;
        for (const move of movesOf(record, { ...places, handler: lastHandler })) {
          const shown = on(move);
          if (shown) moves.push({ ...shown, seq: record.seq });
        }
      }
      if (moves.length === 0 || document.visibilityState === 'hidden') return;
      const { speed, running } = useSession.getState().run;
      const fast =
        running && (speed.mode === 'max' || (speed.mode === 'time' && speed.factor >= 10) || tokens.length > CROWD);
      const next = plan(moves, performance.now(), reducedMotion(), fast);
      tokens.push(...next.travel);
      flashes.push(...next.flash);
      if (frame === 0) frame = requestAnimationFrame(draw);
    });
    return () => {
      unlisten();
      cancelAnimationFrame(frame);
    };
  }, [flow]);

  return <canvas ref={canvas} className="sl-tokens u-width-full u-height-full u-absolute u-no-pointer" />;
}

/** Draws a token with its kind's colour and shape; the one that is followed has a ring besides. */
function drawToken(context: CanvasRenderingContext2D, token: Token, colour: string, fraction: number): void {
  const { x, y } = pointAt(token.points, eased(fraction));
  const r = 6.5;
  context.fillStyle = colour;
  context.beginPath();
  switch (token.kind) {
    case 'desired':
      context.rect(x - r * 0.85, y - r * 0.85, r * 1.7, r * 1.7);
      break;
    case 'message':
      context.moveTo(x, y - r * 1.15);
      context.lineTo(x + r * 1.15, y);
      context.lineTo(x, y + r * 1.15);
      context.lineTo(x - r * 1.15, y);
      break;
    case 'decision':
      context.moveTo(x, y - r);
      context.lineTo(x + r, y + r * 0.8);
      context.lineTo(x - r, y + r * 0.8);
      break;
    default:
      context.arc(x, y, r, 0, 2 * Math.PI);
  }
  context.fill();
  if (token.kind === 'failure') {
    context.strokeStyle = '#fff';
    context.lineWidth = 1.6;
    context.beginPath();
    context.moveTo(x - 2.4, y - 2.4);
    context.lineTo(x + 2.4, y + 2.4);
    context.moveTo(x + 2.4, y - 2.4);
    context.lineTo(x - 2.4, y + 2.4);
    context.stroke();
  }
  if (token.seq !== undefined && isFollowed(token.seq)) {
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(x, y, r + 5, 0, 2 * Math.PI);
    context.stroke();
  }
}

function drawWire(context: CanvasRenderingContext2D, token: Token, colour: string, strength: number): void {
  context.strokeStyle = colour;
  context.globalAlpha = Math.max(0, Math.min(1, strength));
  context.lineWidth = 3;
  context.beginPath();
  token.points.forEach((p, i) => {
    if (i === 0) context.moveTo(p.x, p.y);
    else context.lineTo(p.x, p.y);
  });
  context.stroke();
  context.globalAlpha = 1;
}
