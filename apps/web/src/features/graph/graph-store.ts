import type { Seq } from '@syncloop/core/trace';
import { create } from 'zustand';
import { recall, remember } from '../../page/storage.js';
import { LEVELS, type Level, NARROW } from './geometry/geometry-levels.js';

/** How the graph is shown. */
export interface GraphState {
  /** Null: nobody chose one, the screen decides. */
  readonly chosen: Level | null;
  readonly narrow: boolean;
  readonly legend: boolean;
  readonly minimap: boolean;
  /** Boxes that are folded to their titles. */
  readonly folded: Readonly<Record<string, true>>;
  /** Record whose way is followed, 0 for none. */
  readonly followed: Seq;
}

const isLevel = (value: string | null): value is Level => LEVELS.includes(value as Level);
const foldedFrom = (stored: string | null): Record<string, true> =>
  Object.fromEntries(
    (stored ?? '')
      .split(' ')
      .filter(Boolean)
      .map((id) => [id, true]),
  );

const stored = recall('level');
export const useGraph = create<GraphState>(() => ({
  chosen: isLevel(stored) ? stored : null,
  narrow: typeof innerWidth === 'number' && innerWidth < NARROW,
  legend: false,
  minimap: recall('minimap') === 'on',
  folded: foldedFrom(recall('folded')),
  followed: 0,
}));

/** The level in sight: the chosen one, else what the screen has room for. */
export function levelNow(): Level {
  const { chosen, narrow } = useGraph.getState();
  return chosen ?? (narrow ? 'story' : 'loop');
}

export function setLevel(level: Level): void {
  remember('level', level);
  useGraph.setState({ chosen: level });
}

export function toggleFolded(id: string): void {
  const folded = { ...useGraph.getState().folded };
  if (folded[id]) delete folded[id];
  else folded[id] = true;
  keepFolded(folded);
}
export function unfoldAll(): void {
  keepFolded({});
}
function keepFolded(folded: Record<string, true>): void {
  remember('folded', Object.keys(folded).join(' '));
  useGraph.setState({ folded });
}

export function toggleMinimap(): void {
  const minimap = !useGraph.getState().minimap;
  remember('minimap', minimap ? 'on' : 'off');
  useGraph.setState({ minimap });
}
