import type { Loop } from './geometry/geometry.js';
import {
  ARRANGEMENTS,
  type Arrangement,
  LAYOUTS,
  type Level,
  levelFor,
  withPodKiller,
} from './geometry/geometry-levels.js';
import { type GraphState, useGraph } from './graph-store.js';
import type { LaneColumn } from './moves/moves-spots.js';

/** The graph's viewport, for commands: React Flow registers itself here when it mounts. */
interface Viewport {
  fit(): void;
  zoom(by: number): void;
  /** Brings the selection into sight, if this level shows it; of a selected pod's lane this column, if one is given. */
  reveal(column?: LaneColumn): void;
  /** Shows a place of the screen at a zoom at which boxes have more than their names, if they have only these now. */
  near(at: DOMRect): void;
  /** Moves just as far as an element of the map needs to be seen. */
  focus(element: Element): void;
  /** Returns the place of the world that is drawn at a point of the screen. */
  worldAt(point: { readonly x: number; readonly y: number }): { readonly x: number; readonly y: number };
}
let mounted: Viewport | null = null;

export const graphView: Omit<Viewport, 'worldAt'> & {
  mount(viewport: Viewport | null): void;
  /** Returns the place of the world that an event points at; null if it points at something else. */
  placeOf(event: PointerEvent): { readonly x: number; readonly y: number } | null;
} = {
  mount: (viewport) => {
    mounted = viewport;
  },
  fit: () => mounted?.fit(),
  zoom: (by) => mounted?.zoom(by),
  reveal: (column) => mounted?.reveal(column),
  near: (at) => mounted?.near(at),
  focus: (element) => mounted?.focus(element),
  placeOf: ({ target, clientX: x, clientY: y }) =>
    mounted && target instanceof Element && target.closest('.sl-graph .react-flow') ? mounted.worldAt({ x, y }) : null,
};

export const useLevel = (): Level => useGraph((s) => levelFor(s.chosen, s.shape));
function arrangementAt({ chosen, shape, podKiller }: GraphState): Arrangement {
  const plain = ARRANGEMENTS[levelFor(chosen, shape)][shape];
  return podKiller ? withPodKiller(plain) : plain;
}
export const useArrangement = (): Arrangement => useGraph(arrangementAt);
/** The current arrangement, outside of components. */
export const arrangementNow = (): Arrangement => arrangementAt(useGraph.getState());

/** The box of the lanes, and how much of a lane its worker has. */
export const laneArea = (loop: Loop) => ({ ...loop.nodes.lanes, share: loop.workerAbove || 1 });

/** The Loop's layout now; that of the first arrangement while the Story is shown. */
export const loopNow = (): Loop => LAYOUTS[arrangementNow()].loop ?? (LAYOUTS.loop.loop as Loop);
export const useLoop = (): Loop => LAYOUTS[useArrangement()].loop ?? (LAYOUTS.loop.loop as Loop);
