/**
 * The levels of detail and their arrangements, as one table: places, wires, smallest zoom; and which arrangement there
 * is room for.
 */
import { HEADING, type Heading, LOOP_LOW, LOOP_WIDE, type Loop, NODE_KEYS, NODE_KIND } from './geometry.js';
import { EVERYTHING_WORLD, EXTRA_KEYS, EXTRA_KIND, EXTRA_WIRES, EXTRAS, REPLACED } from './geometry-everything.js';
import type { Kind, Rect, Wire } from './geometry-paths.js';
import { aboveLanes, belowEvents, rightOfEvents, rightOfProbes } from './geometry-pod-killer.js';
import { LOOP_SMALL, LOOP_STACKED, LOOP_TALL, LOOP_UPRIGHT } from './geometry-stacked.js';
import {
  STORY_BOXES,
  STORY_FLAT,
  STORY_KIND,
  STORY_NARROW,
  STORY_SMALL,
  STORY_WIDE,
  type StoryLayout,
} from './geometry-story.js';

export const LEVELS = ['story', 'loop', 'everything'] as const;
export type Level = (typeof LEVELS)[number];

/** The arrangements of each level, from the richest to the one that needs the least room. */
export const ARRANGEMENTS = {
  story: ['story', 'story-small', 'story-narrow', 'story-flat'],
  loop: ['loop', 'loop-low', 'loop-stacked', 'loop-small', 'loop-upright', 'loop-tall'],
  everything: ['everything'],
} as const satisfies Record<Level, readonly string[]>;
type Plain = (typeof ARRANGEMENTS)[Level][number];
type Loops = (typeof ARRANGEMENTS)['loop' | 'everything'][number];
/** A level as it is arranged for the room there is, and for a kubelet that has a pod killer. */
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
  /** Smallest zoom at which its text can be read; below it a part is shown rather than the whole. */
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
  headings: at.headings.map((h) => ({ ...h, y: h.y - HEADING / 4 })),
  loop: at,
  story: null,
  smallest: 0.4,
  largest: 2.6,
});

export const LAYOUTS: Readonly<Record<Arrangement, Layout>> = {
  story: story(STORY_WIDE),
  'story-small': story(STORY_SMALL),
  'story-narrow': story(STORY_NARROW),
  'story-flat': story(STORY_FLAT),
  loop: loop(LOOP_WIDE),
  'loop-low': loop(LOOP_LOW),
  'loop-stacked': loop(LOOP_STACKED),
  'loop-small': loop(LOOP_SMALL),
  'loop-upright': loop(LOOP_UPRIGHT),
  'loop-tall': loop(LOOP_TALL),
  everything: everything(LOOP_WIDE),
  'loop+podKiller': loop(rightOfProbes(LOOP_WIDE)),
  'loop-low+podKiller': loop(rightOfProbes(LOOP_LOW)),
  'loop-stacked+podKiller': loop(belowEvents(LOOP_STACKED)),
  'loop-small+podKiller': loop(belowEvents(LOOP_SMALL)),
  'loop-upright+podKiller': loop(rightOfEvents(LOOP_UPRIGHT)),
  'loop-tall+podKiller': loop(aboveLanes(LOOP_TALL)),
  'everything+podKiller': everything(rightOfProbes(LOOP_WIDE)),
};

/** Below this width (CSS px) a window is narrow, below this height low: Story is then its first level. */
export const NARROW = 700;
export const LOW = 500;

/** The level that is shown when nobody has chosen one. `small`: the window is narrow or low. */
export const levelFor = (chosen: Level | null, small: boolean): Level => chosen ?? (small ? 'story' : 'loop');

/** The size of the stage, without its tools, CSS px. */
export interface Stage {
  readonly w: number;
  readonly h: number;
}

/** Room around the world, CSS px. */
export const padding = ({ w, h }: Stage): number => (w < NARROW || h < 400 ? 8 : 14);

/** The zoom at which all of a world is in a view of that size. */
export function wholeZoom(size: Stage, world: Rect): number {
  const p = 2 * padding(size);
  return Math.min((size.w - p) / world.w, (size.h - p) / world.h);
}

/** A richer arrangement returns only when it fits by this factor, so that one more line does not make it swing. */
const CLEARLY = 1.015;

/**
 * The arrangement for a stage of that size (CSS px): the first that can be read as a whole. If none can, the one of
 * which most is in sight: as wide as the stage has room for, and of those the lowest. `current`: what is shown now.
 */
export function arrangementFor(level: Level, size: Stage, current: Arrangement | null = null): Arrangement {
  const all: readonly Arrangement[] = ARRANGEMENTS[level];
  const now = current === null ? -1 : all.indexOf(current);
  const fits = (a: Arrangement, i: number) =>
    wholeZoom(size, LAYOUTS[a].world) >= LAYOUTS[a].smallest * (now > i ? CLEARLY : 1);
  const first = all.find(fits);
  if (first) return first;
  const p = 2 * padding(size);
  const wide = all.filter((a) => LAYOUTS[a].world.w * LAYOUTS[a].smallest + p <= size.w);
  const lowest = Math.min(...wide.map((a) => LAYOUTS[a].world.h));
  return wide.find((a) => LAYOUTS[a].world.h <= lowest) ?? (all[all.length - 1] as Arrangement);
}

export function rectOf(arrangement: Arrangement, id: string): Rect | null {
  return LAYOUTS[arrangement].boxes.find((b) => b.id === id)?.rect ?? null;
}
