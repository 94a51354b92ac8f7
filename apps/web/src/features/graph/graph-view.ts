import type { Loop } from './geometry/geometry.js';
import { type Arrangement, LAYOUTS, type Level, levelFor, withPodKiller } from './geometry/geometry-levels.js';
import { type GraphState, levelNow, useGraph } from './graph-store.js';

/** The graph's viewport, for commands: React Flow registers itself here when it mounts. */
interface Viewport {
  fit(): void;
  zoom(by: number): void;
  /** Brings the selection into sight, if this level shows it. */
  reveal(): void;
}
let mounted: Viewport | null = null;

export const graphView: Viewport & { mount(viewport: Viewport | null): void } = {
  mount: (viewport) => {
    mounted = viewport;
  },
  fit: () => mounted?.fit(),
  zoom: (by) => mounted?.zoom(by),
  reveal: () => mounted?.reveal(),
};

export const useLevel = (): Level => useGraph((s) => levelFor(s.chosen, s.small));
const arrangementAt = ({ arranged, podKiller }: GraphState, level: Level): Arrangement =>
  podKiller ? withPodKiller(arranged[level]) : arranged[level];
export const useArrangement = (): Arrangement => useGraph((s) => arrangementAt(s, levelFor(s.chosen, s.small)));
/** The arrangement in force, outside of components. */
export const arrangementNow = (): Arrangement => arrangementAt(useGraph.getState(), levelNow());

/** The box of the lanes, and how much of a lane its worker has. */
export const laneArea = (loop: Loop) => ({ ...loop.nodes.lanes, share: loop.workerAbove || 1 });

/** The Loop's layout now; that of the first arrangement while the Story is shown. */
export const loopNow = (): Loop => LAYOUTS[arrangementNow()].loop ?? (LAYOUTS.loop.loop as Loop);
export const useLoop = (): Loop => LAYOUTS[useArrangement()].loop ?? (LAYOUTS.loop.loop as Loop);
