import type { Seq } from '@syncloop/core/trace';
import { create } from 'zustand';
import { recall, remember } from '../../page/storage.js';
import {
  type Arrangement,
  arrangementFor,
  LEVELS,
  type Level,
  LOW,
  levelFor,
  NARROW,
} from './geometry/geometry-levels.js';

/** The settings of the graph's view. */
export interface GraphState {
  /** Null: nobody chose one, the screen decides. */
  readonly chosen: Level | null;
  /** The window is narrow or low. */
  readonly small: boolean;
  /** The arrangement of each level in the room that there is. */
  readonly arranged: Readonly<Record<Level, Arrangement>>;
  /** True if the kubelet that runs has a pod killer, whose box each arrangement but the Story's then has. */
  readonly podKiller: boolean;
  readonly legend: boolean;
  readonly minimap: boolean;
  /** Boxes that are folded to their titles. */
  readonly folded: Readonly<Record<string, true>>;
  /** The record whose way is followed; 0 for none. */
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

function isSmall(): boolean {
  return typeof innerWidth === 'number' && (innerWidth < NARROW || innerHeight < LOW);
}

const stored = recall('level');
export const useGraph = create<GraphState>(() => ({
  chosen: isLevel(stored) ? stored : null,
  small: isSmall(),
  arranged: { story: 'story', loop: 'loop', everything: 'everything' },
  podKiller: false,
  legend: false,
  minimap: recall('minimap') === 'on',
  folded: foldedFrom(recall('folded')),
  followed: 0,
}));

/** Returns the level in sight: the chosen one, else the one that the screen has room for. */
export function levelNow(): Level {
  const { chosen, small } = useGraph.getState();
  return levelFor(chosen, small);
}

/** The stage has another size (CSS px, without its tools): each level takes the arrangement that there is room for. */
export function arrange(size: { readonly w: number; readonly h: number }): void {
  const before = useGraph.getState();
  const small = isSmall();
  const arranged = Object.fromEntries(
    LEVELS.map((level) => [level, arrangementFor(level, size, before.arranged[level])]),
  ) as Record<Level, Arrangement>;
  if (small !== before.small || LEVELS.some((l) => arranged[l] !== before.arranged[l]))
    useGraph.setState({ small, arranged });
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
