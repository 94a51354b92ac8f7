import type { Seq } from '@syncloop/core/trace';
import { isAvailable, runCommand } from '../../commands/index.js';
import type { TimelineController } from './controller.js';
import { nearest, neighbour } from './logic/timeline-find.js';
import type { Lane } from './logic/timeline-model.js';
import { useTimeline } from './timeline-store.js';

interface Key {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** The end of the range that stays when the other is moved by key. */
let fixed: Seq = 0;

/** Handles a key in the timeline; false when it is not one of its keys. */
export function press(controller: TimelineController, e: Key): boolean {
  if (e.ctrlKey || e.metaKey || e.altKey) return false;
  const { model } = controller;
  const at = model.columns.has(controller.selected) ? controller.selected : 0;
  const move = (to: Seq): true => {
    if (to > 0) {
      runCommand('timeline.focus', to);
      controller.reveal(to);
    }
    return true;
  };
  const along = (by: 1 | -1): true => {
    const lane = at > 0 ? model.laneAt(at) : undefined;
    if (!lane) return move(controller.present);
    const to = neighbour(lane, at, by);
    if (e.shiftKey && to > 0) {
      const { range } = useTimeline.getState();
      if (!range || (range.from !== fixed && range.to !== fixed)) fixed = at;
      controller.setRange({ from: Math.min(fixed, to), to: Math.max(fixed, to) });
    }
    return move(to);
  };
  switch (e.key) {
    case 'ArrowRight':
      return along(1);
    case 'ArrowLeft':
      return along(-1);
    case 'ArrowDown':
      return move(inRow(controller, at, 1));
    case 'ArrowUp':
      return move(inRow(controller, at, -1));
    case 'Home':
      return move(model.laneAt(at)?.seqs[0] ?? model.first);
    case 'End': {
      const lane = model.laneAt(at);
      return move(lane?.seqs[lane.seqs.length - 1] ?? model.last);
    }
    case 'Enter':
      if (isAvailable('timeline.goSelected')) runCommand('timeline.goSelected');
      return true;
    case '+':
    case '=':
      controller.zoomBy(1.6);
      return true;
    case '-':
      controller.zoomBy(1 / 1.6);
      return true;
    case '0':
      controller.fit();
      return true;
    case 'Escape':
      if (!useTimeline.getState().range) return false;
      controller.setRange(null);
      return true;
    default:
      return false;
  }
}

/** The record next to `seq` in the row below or above; a folded group's rows are one. */
function inRow(controller: TimelineController, seq: Seq, by: 1 | -1): Seq {
  const { model, layout } = controller;
  const rows = layout.rows.filter((r) => r.kind === 'lane' || r.folded);
  const lane = seq > 0 ? model.laneAt(seq) : undefined;
  const here = lane ? rows.findIndex((r) => r.lanes.includes(lane)) : -1;
  if (here < 0) return controller.present;
  for (let i = here + by; i >= 0 && i < rows.length; i += by) {
    const next = closest(rows[i]?.lanes ?? [], seq);
    if (next > 0) return next;
  }
  return 0;
}
function closest(lanes: readonly Lane[], seq: Seq): Seq {
  let best = 0;
  for (const lane of lanes) {
    const candidate = nearest(lane, seq);
    if (candidate > 0 && (best === 0 || Math.abs(candidate - seq) < Math.abs(best - seq))) best = candidate;
  }
  return best;
}
