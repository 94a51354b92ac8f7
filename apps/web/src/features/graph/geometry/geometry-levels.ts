/** The levels of detail and their arrangements, as one table: places, wires, and the zoom at which they are read. */
import { type Heading, LOOP, type Loop, NODE_KEYS, NODE_KIND } from './geometry.js';
import { EVERYTHING_WORLD, EXTRA_KEYS, EXTRA_KIND, EXTRA_WIRES, EXTRAS, REPLACED } from './geometry-everything.js';
import type { Kind, Rect, Wire } from './geometry-paths.js';
import { aboveLanes, rightOfProbes } from './geometry-pod-killer.js';
import { STORY, STORY_BOXES, STORY_FLAT, STORY_KIND, STORY_NARROW, type StoryLayout } from './geometry-story.js';
import { LOOP_TALL } from './geometry-tall.js';

export const LEVELS = ['story', 'loop', 'everything'] as const;
export type Level = (typeof LEVELS)[number];

/**
 * The shape of the window, which alone decides where things stand: no panel moves a box. A phone is narrow; a window at
 * a browser zoom of 200 % is low.
 */
export type WindowShape = 'usual' | 'narrow' | 'low';
/** The arrangement of each level in each shape of the window. */
export const ARRANGEMENTS = {
  story: { usual: 'story', narrow: 'story-narrow', low: 'story-flat' },
  loop: { usual: 'loop', narrow: 'loop-tall', low: 'loop' },
  everything: { usual: 'everything', narrow: 'everything', low: 'everything' },
} as const satisfies Record<Level, Record<WindowShape, string>>;
type Plain = (typeof ARRANGEMENTS)[Level][WindowShape];
type Loops = (typeof ARRANGEMENTS)['loop' | 'everything'][WindowShape];
/** A level as it is arranged in the window, and for a kubelet that has a pod killer. */
export type Arrangement = Plain | `${Loops}+podKiller`;

/** The same arrangement with the pod killer's box; the Story has none. */
export function withPodKiller(a: Arrangement): Arrangement {
  const killer = `${a}+podKiller`;
  return Object.hasOwn(LAYOUTS, killer) ? (killer as Arrangement) : a;
}
/** Returns the arrangement without the pod killer's box: the name that style sheets and the choice by size know. */
export const plainOf = (a: Arrangement): Plain => a.replace('+podKiller', '') as Plain;

export interface Box {
  /** The part's id, which folding, following and the minimap use. */
  readonly id: string;
  readonly rect: Rect;
  readonly kind: Kind;
}
export interface Layout {
  readonly level: Level;
  readonly world: Rect;
  readonly boxes: readonly Box[];
  readonly wires: readonly Wire[];
  readonly headings: readonly Heading[];
  /** The layout of the Loop within this level; null on the Story. */
  readonly loop: Loop | null;
  /** The layout of the Story's boxes; null on the other levels. */
  readonly story: StoryLayout | null;
  /** The smallest zoom that fitting uses; if the whole is larger then, a part of it is shown. */
  readonly smallest: number;
  /** The largest zoom that fitting the whole layout into the window uses. */
  readonly largest: number;
}

const loopBoxes = (loop: Loop): readonly Box[] => [
  ...NODE_KEYS.map((id): Box => ({ id, rect: loop.nodes[id], kind: NODE_KIND[id] })),
  ...(loop.podKiller ? [{ id: 'podKiller', rect: loop.podKiller, kind: 'desired' } as const] : []),
];
const story = (layout: StoryLayout): Layout => ({
  level: 'story',
  world: layout.world,
  boxes: STORY_BOXES.map((id) => ({ id: `story-${id}`, rect: layout.boxes[id], kind: STORY_KIND[id] })),
  wires: layout.wires,
  headings: [],
  loop: null,
  story: layout,
  smallest: 1,
  largest: 2.6,
});
const loop = (at: Loop): Layout => ({
  level: 'loop',
  world: at.world,
  boxes: loopBoxes(at),
  wires: at.wires,
  headings: at.headings,
  loop: at,
  story: null,
  smallest: 1,
  largest: 2.6,
});

const everything = (at: Loop): Layout => ({
  level: 'everything',
  world: EVERYTHING_WORLD,
  boxes: [...loopBoxes(at), ...EXTRA_KEYS.map((id): Box => ({ id, rect: EXTRAS[id], kind: EXTRA_KIND[id] }))],
  wires: [...at.wires.filter((w) => w.id !== REPLACED), ...EXTRA_WIRES],
  headings: at.headings,
  loop: at,
  story: null,
  smallest: 0.4,
  largest: 2.6,
});

export const LAYOUTS: Readonly<Record<Arrangement, Layout>> = {
  story: story(STORY),
  'story-narrow': story(STORY_NARROW),
  'story-flat': story(STORY_FLAT),
  loop: loop(LOOP),
  'loop-tall': loop(LOOP_TALL),
  everything: everything(LOOP),
  'loop+podKiller': loop(rightOfProbes(LOOP)),
  'loop-tall+podKiller': loop(aboveLanes(LOOP_TALL)),
  'everything+podKiller': everything(rightOfProbes(LOOP)),
};

/** Below this width (CSS px) a window is narrow, below this height low: Story is then its first level. */
const NARROW = 700;
const LOW = 500;
export const shapeOf = (w: number, h: number): WindowShape => (w < NARROW ? 'narrow' : h < LOW ? 'low' : 'usual');

/** The level that is shown when nobody has chosen one. */
export const levelFor = (chosen: Level | null, shape: WindowShape): Level =>
  chosen ?? (shape === 'usual' ? 'loop' : 'story');

/** The size of the stage, without its tools, CSS px. */
export interface Stage {
  readonly w: number;
  readonly h: number;
}

/** The least height of letters on the screen: usually, and at the size for a projector, CSS px. */
const LETTERS = 11;
const PRESENTED = 18;
/** The zoom from which on the smallest letters of all levels are large enough to be read. */
export const nearFrom = (presenting: boolean): number => (presenting ? PRESENTED / LETTERS : 1);

/** Room around the world, CSS px. */
export const padding = ({ w, h }: Stage): number => (w < NARROW || h < 400 ? 8 : 14);

/** The zoom at which all of a world is in a view of that size. */
export function wholeZoom(size: Stage, world: Rect): number {
  const p = 2 * padding(size);
  return Math.min((size.w - p) / world.w, (size.h - p) / world.h);
}

export function rectOf(arrangement: Arrangement, id: string): Rect | null {
  return LAYOUTS[arrangement].boxes.find((b) => b.id === id)?.rect ?? null;
}
