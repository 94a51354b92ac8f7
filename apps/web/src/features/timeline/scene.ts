import type { Micros, Seq } from '@syncloop/core/trace';
import type { Mark } from '../../run/marks.js';
import type { Axis, View } from './logic/timeline-axis.js';
import type { Layout } from './logic/timeline-layout.js';
import type { TimelineModel } from './logic/timeline-model.js';
import type { Palette } from './palette.js';

/** All that a picture of the timeline is made of. */
export interface Scene {
  readonly model: TimelineModel;
  readonly axis: Axis;
  readonly view: View;
  readonly layout: Layout;
  /** The size of the whole canvas, CSS px. */
  readonly width: number;
  readonly height: number;
  readonly scrollTop: number;
  readonly palette: Palette;
  /** The session's position; later records were seen before the session went back. */
  readonly present: Seq;
  readonly selected: Seq;
  /**
   * How the ruler writes a time, with so many digits of a second, and how many Micros after a whole time 0 is. Null:
   * seconds since the start.
   */
  readonly clock: { readonly text: (time: Micros, digits: number) => string; readonly phase: Micros } | null;
  /** The selected record and its causes, newest first. */
  readonly causes: readonly Seq[];
  readonly range: { readonly from: Seq; readonly to: Seq } | null;
  readonly hits: readonly Seq[];
  readonly marks: readonly Mark[];
  readonly hover: Seq;
  /** True if the selected record shows where the keyboard is. */
  readonly focused: boolean;
}

/** Height of the ruler, px. */
export const RULER = 22;
