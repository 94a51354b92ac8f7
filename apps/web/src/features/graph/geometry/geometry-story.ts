/**
 * The layout of the Story level: eight boxes and the ring between them, in two rows. Low windows have flat ones, phones
 * two columns; all are read in the same order.
 */
import { bottom, type Kind, type Rect, right, type Wire } from './geometry-paths.js';

/** The boxes in the order of the ring. */
export const STORY_BOXES = ['desired', 'inputs', 'choice', 'handler', 'workers', 'node', 'pleg', 'status'] as const;
export type StoryBox = (typeof STORY_BOXES)[number];

export const STORY_KIND: Readonly<Record<StoryBox, Kind>> = {
  desired: 'desired',
  inputs: 'message',
  choice: 'decision',
  handler: 'decision',
  workers: 'desired',
  node: 'actual',
  pleg: 'actual',
  status: 'actual',
};

export interface StoryLayout {
  readonly world: Rect;
  readonly boxes: Readonly<Record<StoryBox, Rect>>;
  readonly wires: readonly Wire[];
}

interface RowSizes {
  /** The sizes of a box and of the gaps between boxes, in world pixels. */
  readonly w: number;
  readonly h: number;
  readonly across: number;
  readonly down: number;
  /** True if wires have room for labels. */
  readonly labels: boolean;
}

function rows({ w, h, across, down, labels }: RowSizes): StoryLayout {
  const x = (column: number) => column * (w + across);
  const lower = h + down;
  const at = (column: number, y: number): Rect => ({ x: x(column), y, w, h });
  const boxes = {
    desired: at(0, 0),
    inputs: at(1, 0),
    choice: at(2, 0),
    handler: at(3, 0),
    workers: at(3, lower),
    node: at(2, lower),
    pleg: at(1, lower),
    status: at(0, lower),
  };
  const along = (id: string, kind: Wire['kind'], from: StoryBox, to: StoryBox): Wire => {
    const a = boxes[from];
    const b = boxes[to];
    const y = a.y + h / 2;
    return {
      id,
      kind,
      points:
        a.x < b.x
          ? [
              { x: right(a), y },
              { x: b.x, y },
            ]
          : [
              { x: a.x, y },
              { x: right(b), y },
            ],
    };
  };
  const upright = (id: string, kind: Wire['kind'], from: StoryBox, to: StoryBox): Wire => {
    const a = boxes[from];
    const b = boxes[to];
    const middle = a.x + w / 2;
    return {
      id,
      kind,
      points:
        a.y < b.y
          ? [
              { x: middle, y: bottom(a) },
              { x: middle, y: b.y },
            ]
          : [
              { x: middle, y: a.y },
              { x: middle, y: bottom(b) },
            ],
    };
  };
  const under = lower + h + (labels ? 20 : 10);
  const middle = (b: StoryBox) => boxes[b].x + w / 2;
  const label = (wire: Wire, text: string, x: number, y: number): Wire =>
    labels ? { ...wire, label: { text, x, y } } : wire;
  // Below the words of the upper boxes' marks.
  const gap = h + down / 2 + 3;
  const wires: Wire[] = [
    along('desired-inputs', 'desired', 'desired', 'inputs'),
    along('inputs-choice', 'message', 'inputs', 'choice'),
    along('choice-handler', 'decision', 'choice', 'handler'),
    label(upright('handler-workers', 'desired', 'handler', 'workers'), 'UpdatePod', middle('handler') + 14, gap),
    along('workers-node', 'message', 'workers', 'node'),
    along('node-pleg', 'actual', 'node', 'pleg'),
    label(upright('pleg-inputs', 'actual', 'pleg', 'inputs'), 'PodLifecycleEvent', middle('pleg') + 14, gap),
    label(
      {
        id: 'workers-status',
        kind: 'actual',
        points: [
          { x: middle('workers'), y: lower + h },
          { x: middle('workers'), y: under },
          { x: middle('status'), y: under },
          { x: middle('status'), y: lower + h },
        ],
      },
      'SetPodStatus',
      middle('status') + 24,
      under - 8,
    ),
    label(upright('status-desired', 'actual', 'status', 'desired'), 'API', middle('status') + 14, gap),
  ];
  return { world: { x: 0, y: 0, w: x(3) + w, h: under + (labels ? 6 : 2) }, boxes, wires };
}

function narrow(): StoryLayout {
  // Low enough that all is seen above a narrator of several lines.
  const w = 169;
  const h = 104;
  const row = (n: number) => n * (h + 12);
  const second = w + 36;
  const boxes: Record<StoryBox, Rect> = {
    desired: { x: 0, y: row(0), w, h },
    inputs: { x: second, y: row(0), w, h },
    choice: { x: second, y: row(1), w, h },
    handler: { x: second, y: row(2), w, h },
    workers: { x: second, y: row(3), w, h },
    node: { x: 0, y: row(3), w, h },
    pleg: { x: 0, y: row(2), w, h },
    status: { x: 0, y: row(1), w, h },
  };
  const down = (id: string, kind: Wire['kind'], from: StoryBox, to: StoryBox): Wire => {
    const a = boxes[from];
    const b = boxes[to];
    const x = a.x + w / 2;
    return {
      id,
      kind,
      points:
        a.y < b.y
          ? [
              { x, y: bottom(a) },
              { x, y: b.y },
            ]
          : [
              { x, y: a.y },
              { x, y: bottom(b) },
            ],
    };
  };
  const y = (n: number, part: number) => row(n) + h * part;
  // Two tracks in the gutter between the columns.
  const near = w + 11;
  const far = w + 24;
  const wires: Wire[] = [
    {
      id: 'desired-inputs',
      kind: 'desired',
      points: [
        { x: w, y: y(0, 0.35) },
        { x: second, y: y(0, 0.35) },
      ],
    },
    down('inputs-choice', 'message', 'inputs', 'choice'),
    down('choice-handler', 'decision', 'choice', 'handler'),
    down('handler-workers', 'desired', 'handler', 'workers'),
    {
      id: 'workers-node',
      kind: 'message',
      points: [
        { x: second, y: y(3, 0.65) },
        { x: w, y: y(3, 0.65) },
      ],
    },
    down('node-pleg', 'actual', 'node', 'pleg'),
    {
      id: 'pleg-inputs',
      kind: 'actual',
      points: [
        { x: w, y: y(2, 0.5) },
        { x: near, y: y(2, 0.5) },
        { x: near, y: y(0, 0.7) },
        { x: second, y: y(0, 0.7) },
      ],
    },
    {
      id: 'workers-status',
      kind: 'actual',
      points: [
        { x: second, y: y(3, 0.35) },
        { x: far, y: y(3, 0.35) },
        { x: far, y: y(1, 0.5) },
        { x: w, y: y(1, 0.5) },
      ],
    },
    down('status-desired', 'actual', 'status', 'desired'),
  ];
  return { world: { x: 0, y: 0, w: second + w, h: row(3) + h }, boxes, wires };
}

/** Small enough to be read as a whole next to an open panel; where there is more room, it is larger. */
export const STORY: StoryLayout = rows({ w: 162, h: 206, across: 30, down: 30, labels: true });
/** In a low window. */
export const STORY_FLAT: StoryLayout = rows({ w: 158, h: 44, across: 20, down: 12, labels: false });
export const STORY_NARROW: StoryLayout = narrow();
