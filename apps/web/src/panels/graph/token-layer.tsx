import { useReactFlow } from '@xyflow/react';
import { useEffect, useRef } from 'react';
import { reducedMotion } from '../../app-logic/settings.js';
import { useSession } from '../../store/session-store.js';
import { trace } from '../../trace/trace-store.js';
import { uidOfCall } from '../../view-logic/calls.js';
import { laneLayout, laneY, pointAt } from '../../view-logic/geometry.js';
import { CROWD, type MoveKind, movesOf, type Places, plan, type Token } from '../../view-logic/moves.js';
import { keyOfChannel } from '../../view-logic/parts.js';
import { lanes } from './lane-scroll.js';

const KINDS: readonly MoveKind[] = ['desired', 'actual', 'message', 'decision', 'time', 'failure'];

/** The colours of the theme in force, read once per burst of movement. */
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

function placesNow(): Places {
  const { state } = trace;
  const order = lanes.order();
  return {
    loopG: state.loop.g,
    laneHeight: laneLayout(order.length).height,
    laneY: (uid) => {
      const i = order.indexOf(uid);
      return i < 0 ? null : laneY(i, order.length, lanes.scrolled);
    },
    channel: (id) => keyOfChannel(state.channels[id]?.name ?? ''),
    uidOf: (call) => uidOfCall(state, call),
    handler: lastHandler,
  };
}
let lastHandler = '';

/**
 * One canvas over the graph on which things travel. It draws only while something does, so a paused run costs nothing and
 * nothing moves.
 */
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

    const unlisten = trace.onBatch((records) => {
      if (trace.cursor.epoch !== epoch) {
        epoch = trace.cursor.epoch;
        tokens = [];
        flashes = [];
      }
      const places = placesNow();
      const moves = [];
      for (const record of records) {
        if (record.kind === 'enter' && record.fn.startsWith('Handle')) lastHandler = record.fn;
        for (const move of movesOf(record, { ...places, handler: lastHandler })) moves.push(move);
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

  return <canvas ref={canvas} className="sl-tokens" />;
}

function drawToken(context: CanvasRenderingContext2D, token: Token, colour: string, fraction: number): void {
  // Slows down into its end, as a thing that arrives.
  const eased = 1 - (1 - fraction) ** 2;
  const { x, y } = pointAt(token.points, eased);
  context.fillStyle = colour;
  context.beginPath();
  context.arc(x, y, 5, 0, 2 * Math.PI);
  context.fill();
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
