import { type Arrangement, arrangementFor, type Level, levelFor } from './geometry/geometry-levels.js';
import { useGraph } from './graph-store.js';

/** The graph's viewport, for commands: React Flow registers itself here when it mounts. */
interface Viewport {
  fit(): void;
  zoom(by: number): void;
  /** Brings what is selected into sight, where this level shows it. */
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

export const useLevel = (): Level => useGraph((s) => levelFor(s.chosen, s.narrow));
export const useArrangement = (): Arrangement =>
  useGraph((s) => arrangementFor(levelFor(s.chosen, s.narrow), s.narrow));
/** The arrangement in force, outside of components. */
export function arrangementNow(): Arrangement {
  const { chosen, narrow } = useGraph.getState();
  return arrangementFor(levelFor(chosen, narrow), narrow);
}
