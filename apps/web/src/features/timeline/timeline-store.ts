import type { Seq } from '@syncloop/core/trace';
import { create } from 'zustand';
import { recall, remember } from '../../page/storage.js';
import type { AxisMode } from './logic/timeline-axis.js';
import type { RangeCounts } from './logic/timeline-find.js';

export interface TimelineRange {
  readonly from: Seq;
  readonly to: Seq;
}
/** The user's choices in the timeline, and its findings. Changed by hand, never per record. */
export interface TimelineState {
  readonly mode: AxisMode;
  /** Rows that were folded (true) or unfolded (false) by hand. */
  readonly folded: Readonly<Record<string, boolean>>;
  readonly range: TimelineRange | null;
  readonly counts: RangeCounts | null;
  /** Hits of the search, which of them is selected (from 1, 0: none), and whether it still looks. */
  readonly found: { readonly hits: number; readonly at: number; readonly looking: boolean } | null;
  /** The record under the pointer, and its place: px in the canvas. */
  readonly hover: { readonly seq: Seq; readonly x: number; readonly y: number } | null;
}

export const useTimeline = create<TimelineState>(() => ({
  mode: recall('timeline.mode') === 'records' ? 'records' : 'time',
  folded: {},
  range: null,
  counts: null,
  found: null,
  hover: null,
}));

export function setMode(mode: AxisMode): void {
  remember('timeline.mode', mode);
  useTimeline.setState({ mode });
}
export function fold(id: string, folded: boolean): void {
  useTimeline.setState((s) => ({ folded: { ...s.folded, [id]: folded } }));
}
