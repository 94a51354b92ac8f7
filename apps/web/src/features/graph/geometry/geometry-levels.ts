/** The three levels of detail, as one table: what stands where, which wires run, how small it may be shown. */
import { HEADINGS, NODES, type NodeKey, WIRES, WORLD } from './geometry.js';
import { EVERYTHING_WORLD, EXTRA_KEYS, EXTRA_KIND, EXTRA_WIRES, EXTRAS, REPLACED } from './geometry-everything.js';
import type { Kind, Rect, Wire } from './geometry-paths.js';
import { STORY_BOXES, STORY_KIND, STORY_NARROW, STORY_WIDE, type StoryLayout } from './geometry-story.js';

export const LEVELS = ['story', 'loop', 'everything'] as const;
export type Level = (typeof LEVELS)[number];
/** A level as it is arranged on a screen: Story has an arrangement of its own for narrow ones. */
export type Arrangement = Level | 'story-narrow';

export interface Box {
  /** Of the part: what folding, following and the minimap know it by. */
  readonly id: string;
  readonly rect: Rect;
  readonly kind: Kind;
}
export interface Layout {
  readonly world: Rect;
  readonly boxes: readonly Box[];
  readonly wires: readonly Wire[];
  readonly headings: typeof HEADINGS;
  /** Smallest zoom at which its text can be read; below it a part is shown rather than the whole. */
  readonly smallest: number;
  /** Of the zoom at which the whole fits, the most that is used. */
  readonly largest: number;
}

const LOOP_KIND: Readonly<Record<NodeKey, Kind>> = {
  file: 'desired',
  http: 'desired',
  api: 'desired',
  podConfig: 'desired',
  channels: 'message',
  select: 'decision',
  handlers: 'decision',
  lanes: 'desired',
  status: 'actual',
  events: 'message',
  probes: 'actual',
  pleg: 'actual',
  cri: 'message',
};

const loopBoxes: readonly Box[] = (Object.keys(NODES) as NodeKey[]).map((id) => ({
  id,
  rect: NODES[id],
  kind: LOOP_KIND[id],
}));
const story = (layout: StoryLayout, smallest: number): Layout => ({
  world: layout.world,
  boxes: STORY_BOXES.map((id) => ({ id: `story-${id}`, rect: layout.boxes[id], kind: STORY_KIND[id] })),
  wires: layout.wires,
  headings: [],
  smallest,
  largest: 2.4,
});

export const LAYOUTS: Readonly<Record<Arrangement, Layout>> = {
  story: story(STORY_WIDE, 0.5),
  'story-narrow': story(STORY_NARROW, 0.8),
  loop: { world: WORLD, boxes: loopBoxes, wires: WIRES, headings: HEADINGS, smallest: 0.62, largest: 2.2 },
  everything: {
    world: EVERYTHING_WORLD,
    boxes: [...loopBoxes, ...EXTRA_KEYS.map((id): Box => ({ id, rect: EXTRAS[id], kind: EXTRA_KIND[id] }))],
    wires: [...WIRES.filter((w) => w.id !== REPLACED), ...EXTRA_WIRES],
    headings: HEADINGS,
    smallest: 0.5,
    largest: 2.2,
  },
};

/** Below this width (CSS px) a screen is narrow: Story is its first level, and stands upright. */
export const NARROW = 700;

/** The level that is shown when nobody has chosen one. */
export const levelFor = (chosen: Level | null, narrow: boolean): Level => chosen ?? (narrow ? 'story' : 'loop');

export const arrangementFor = (level: Level, narrow: boolean): Arrangement =>
  level === 'story' && narrow ? 'story-narrow' : level;

export function rectOf(arrangement: Arrangement, id: string): Rect | null {
  return LAYOUTS[arrangement].boxes.find((b) => b.id === id)?.rect ?? null;
}
