import type { Seq } from '@syncloop/core/trace';
import { create } from 'zustand';
import { recall, remember } from '../../page/storage.js';
import { LEVELS, type Level, levelFor, shapeOf, type WindowShape } from './geometry/geometry-levels.js';
import type { MapPoint } from './geometry/map-point.js';

/** The settings of the graph's view. */
export interface GraphState {
  /** Null: nobody chose one, the screen decides. */
  readonly chosen: Level | null;
  readonly shape: WindowShape;
  /** True if the kubelet that runs has a pod killer, whose box each arrangement but the Story's then has. */
  readonly podKiller: boolean;
  /** Letters have the size for a projector. */
  readonly presenting: boolean;
  readonly legend: boolean;
  readonly minimap: boolean;
  /** Boxes that are folded to their titles. */
  readonly folded: Readonly<Record<string, true>>;
  /** The record whose way is followed; 0 for none. */
  readonly followed: Seq;
  /** The place that the presenter of a class points at, on pages that follow; null for nowhere. */
  readonly pointer: MapPoint | null;
}

const isLevel = (value: string | null): value is Level => LEVELS.includes(value as Level);
const foldedFrom = (stored: string | null): Record<string, true> =>
  Object.fromEntries(
    (stored ?? '')
      .split(' ')
      .filter(Boolean)
      .map((id) => [id, true]),
  );

const shapeNow = (): WindowShape => (typeof innerWidth === 'number' ? shapeOf(innerWidth, innerHeight) : 'usual');

const stored = recall('level');
export const useGraph = create<GraphState>(() => ({
  chosen: isLevel(stored) ? stored : null,
  shape: shapeNow(),
  podKiller: false,
  presenting: false,
  legend: false,
  minimap: recall('minimap') === 'on',
  folded: foldedFrom(recall('folded')),
  followed: 0,
  pointer: null,
}));

/** Returns the level in sight: the chosen one, else the one that the screen has room for. */
export function levelNow(): Level {
  const { chosen, shape } = useGraph.getState();
  return levelFor(chosen, shape);
}

/** The window has another size. */
export function reshape(): void {
  const shape = shapeNow();
  if (shape !== useGraph.getState().shape) useGraph.setState({ shape });
}

/** Turns the size for a projector on or off; the style sheet `present.css` knows it by the root's attribute. */
export function togglePresenting(): void {
  const presenting = !useGraph.getState().presenting;
  document.documentElement.toggleAttribute('data-presenting', presenting);
  useGraph.setState({ presenting });
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
