/** Handles the pointer in the timeline: zoom, pan, scrub, choose a range, select, go. */
import { isAvailable, runCommand, tryCommand } from '../../commands/index.js';
import type { TimelineController } from './controller.js';
import { RULER } from './scene.js';
import { useTimeline } from './timeline-store.js';

/** Further than this a press is a drag, px. */
const SLOP = 4;

/** Goes to the newest place asked for, one after the other. */
class Scrubber {
  private busy = false;
  private next = 0;
  to(seq: number): void {
    this.next = seq;
    if (!this.busy) void this.run();
  }
  private async run(): Promise<void> {
    this.busy = true;
    while (this.next > 0) {
      const seq = this.next;
      this.next = 0;
      // The usual way would show each failure of a long drag; here only the last one is shown.
      await tryCommand('timeline.go', seq).catch(() => {
        if (this.next === 0) runCommand('timeline.go', seq);
      });
    }
    this.busy = false;
  }
}

type Drag = 'press' | 'pan' | 'range' | 'scrub' | 'pinch';

export function listen(canvas: HTMLCanvasElement, controller: TimelineController): () => void {
  const pointers = new Map<number, { x: number; y: number }>();
  const scrubber = new Scrubber();
  let drag: Drag = 'press';
  let from = { x: 0, y: 0 };
  let anchor = 0;
  let apart = 0;

  const pointOf = (e: MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  };
  const distance = () => {
    const [a, b] = [...pointers.values()];
    return a && b ? Math.max(10, Math.hypot(a.x - b.x, a.y - b.y)) : 0;
  };
  const range = (x: number) => {
    const seq = controller.seqAtX(x);
    controller.setRange({ from: Math.min(anchor, seq), to: Math.max(anchor, seq) });
  };
  const hover = (e: PointerEvent) => {
    const p = pointOf(e);
    const seq = controller.recordAt(p.x, p.y);
    const before = useTimeline.getState().hover;
    canvas.style.cursor = p.y < RULER ? 'ew-resize' : seq > 0 ? 'pointer' : '';
    if (seq === 0 ? before !== null : before?.seq !== seq || before.x !== p.x || before.y !== p.y)
      useTimeline.setState({ hover: seq === 0 ? null : { seq, ...p } });
  };

  const down = (e: PointerEvent) => {
    if (e.button !== 0) return;
    canvas.setPointerCapture(e.pointerId);
    const p = pointOf(e);
    pointers.set(e.pointerId, p);
    useTimeline.setState({ hover: null });
    if (pointers.size === 2) {
      drag = 'pinch';
      apart = distance();
      return;
    }
    from = p;
    anchor = controller.seqAtX(p.x);
    drag = e.shiftKey ? 'range' : p.y < RULER && isAvailable('timeline.go') ? 'scrub' : 'press';
    if (drag === 'scrub') scrubber.to(anchor);
  };
  const move = (e: PointerEvent) => {
    const before = pointers.get(e.pointerId);
    if (!before) {
      if (e.pointerType !== 'touch') hover(e);
      return;
    }
    const p = pointOf(e);
    pointers.set(e.pointerId, p);
    if (drag === 'pinch') {
      const now = distance();
      const points = [...pointers.values()];
      const middle = points.reduce((sum, q) => sum + q.x, 0) / points.length;
      controller.zoomBy(now / apart, middle);
      controller.pan((before.x - p.x) / 2, (before.y - p.y) / 2);
      apart = now;
      return;
    }
    if (drag === 'press' && Math.hypot(p.x - from.x, p.y - from.y) > SLOP) {
      drag = 'pan';
      canvas.style.cursor = 'grabbing';
    }
    if (drag === 'pan') controller.pan(before.x - p.x, before.y - p.y);
    else if (drag === 'range') range(p.x);
    else if (drag === 'scrub') scrubber.to(controller.seqAtX(p.x));
  };
  const up = (e: PointerEvent) => {
    if (!pointers.delete(e.pointerId)) return;
    canvas.style.cursor = '';
    if (drag === 'range' && Math.abs(pointOf(e).x - from.x) <= SLOP) controller.setRange(null);
    if (drag !== 'press') {
      // The second finger's going is not a press.
      if (drag === 'pinch') drag = 'pan';
      return;
    }
    const p = pointOf(e);
    const seq = controller.recordAt(p.x, p.y);
    if (seq > 0) runCommand('view.select', { kind: 'record', seq });
  };
  const cancel = (e: PointerEvent) => {
    pointers.delete(e.pointerId);
  };
  const leave = () => useTimeline.setState({ hover: null });
  const twice = (e: MouseEvent) => {
    const p = pointOf(e);
    const seq = controller.recordAt(p.x, p.y) || controller.seqAtX(p.x);
    if (p.y >= RULER && isAvailable('timeline.go')) runCommand('timeline.go', seq);
  };
  const wheel = (e: WheelEvent) => {
    e.preventDefault();
    const unit = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? controller.size.height : 1;
    const across = e.deltaX * unit;
    const along = e.deltaY * unit;
    if (e.shiftKey) controller.pan(along || across);
    else if (e.altKey) controller.pan(0, along);
    else if (Math.abs(across) > Math.abs(along)) controller.pan(across);
    // A pinch on a touchpad comes with ctrl, and in small pieces.
    else controller.zoomBy(Math.exp(-along * (e.ctrlKey ? 0.01 : 0.002)), pointOf(e).x);
  };

  canvas.addEventListener('pointerdown', down);
  canvas.addEventListener('pointermove', move);
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('pointercancel', cancel);
  canvas.addEventListener('pointerleave', leave);
  canvas.addEventListener('dblclick', twice);
  canvas.addEventListener('wheel', wheel, { passive: false });
  return () => {
    canvas.removeEventListener('pointerdown', down);
    canvas.removeEventListener('pointermove', move);
    canvas.removeEventListener('pointerup', up);
    canvas.removeEventListener('pointercancel', cancel);
    canvas.removeEventListener('pointerleave', leave);
    canvas.removeEventListener('dblclick', twice);
    canvas.removeEventListener('wheel', wheel);
  };
}
