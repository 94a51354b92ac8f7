/** Which lanes are shown, and in which order; and where times are in a lane. */
import { clockOffset, type Lane, problemWords } from '@syncloop/observe/fleet';

export const sorts = ['name', 'first', 'grave', 'clock'] as const;
export type LaneSort = (typeof sorts)[number];
/** A position in the story's causes; or nodes with incidents, without, or that were not read. */
export type LaneFilter = number | 'all' | 'wrong' | 'calm' | 'unread';

export interface LanesWanted {
  readonly search: string;
  readonly filter: LaneFilter;
  readonly sort: LaneSort;
}

/** Returns the lanes that are wanted, in their order. */
export function lanesShown(lanes: readonly Lane[], { search, filter, sort }: LanesWanted): readonly Lane[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return lanes
    .filter((lane) => passes(lane, filter) && words.every((word) => textOf(lane).includes(word)))
    .map((lane, i) => ({ lane, i, key: keyOf(lane, sort, filter) }))
    .sort((a, b) => a.key - b.key || a.i - b.i)
    .map(({ lane }) => lane);
}

function passes({ node, bars, marks }: Lane, filter: LaneFilter): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'wrong':
      return bars.length > 0;
    case 'calm':
      return bars.length === 0 && node.problem === '';
    case 'unread':
      return node.problem !== '';
    default:
      return marks.some(({ cause }) => cause === filter);
  }
}

const texts = new WeakMap<Lane, string>();
/** All that is searched: the node, and its incidents in both languages. */
function textOf(lane: Lane): string {
  let text = texts.get(lane);
  if (text === undefined) {
    const { node, bars } = lane;
    text = [
      node.name,
      node.source,
      node.version,
      ...Object.values(problemWords(node) ?? {}),
      ...bars.flatMap((bar) => [bar.kind, bar.text.en, bar.text.zh]),
    ]
      .join('\n')
      .toLowerCase();
    texts.set(lane, text);
  }
  return text;
}

/** The smallest first. */
function keyOf({ node, bars, marks }: Lane, sort: LaneSort, filter: LaneFilter): number {
  switch (sort) {
    case 'name':
      return 0;
    case 'first': {
      // A cause has its own beginning on the node.
      const mark = marks.find(({ cause }) => cause === filter);
      return mark?.at ?? bars[0]?.begin ?? Number.MAX_SAFE_INTEGER;
    }
    case 'grave':
      return -(1000 * bars.filter(({ grave }) => grave).length + bars.length);
    case 'clock':
      return node.clock ? -Math.abs(node.clock.ahead) : 1;
  }
}

/** A part of the time, ms since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}
/** Nothing shorter is shown: a log has microseconds, but a fleet's clocks do not. */
const LEAST = 2000;

/** Returns a span of another length around a moment that stays where it is, within `all`. */
export function zoomed({ from, to }: Span, factor: number, at: number, all: Span): Span {
  const length = Math.min(all.to - all.from, Math.max(LEAST, (to - from) * factor));
  const share = (at - from) / Math.max(1, to - from);
  const begin = Math.min(Math.max(all.from, at - share * length), Math.max(all.from, all.to - length));
  return { from: begin, to: begin + length };
}

/** The place of a time in a span, in percent; outside of it below 0 or above 100. */
export const placeOf = (at: number, { from, to }: Span): number => ((at - from) / Math.max(1, to - from)) * 100;

/** Returns the words that are read out of a lane. `incidents` and `clock` are in the page's language. */
export const laneLabel = (lane: Lane, incidents: string, clock: string): string =>
  `${lane.node.name}: ${incidents}; ${clock} ${clockOffset(lane.node)}`;
