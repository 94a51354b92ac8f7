/** Estimates by how much the clock of one source differs from another's, from moments that both saw. */
import { oldestKey } from '@syncloop/core/base';
import type { Evidence, SourceKind } from '../evidence/index.js';
import { sightings } from './sightings.js';

/** The times of `source` plus `offset` are those of `against`; microseconds. */
export interface ClockOffset {
  readonly source: string;
  readonly against: string;
  readonly offset: number;
  readonly uncertainty: number;
  readonly samples: number;
}

/** Most sightings of one key, and most differences of one pair of sources, that are kept. */
const MOST_SIGHTINGS = 16;
const MOST_KEYS = 4096;
const MOST_DIFFERENCES = 512;
/** Two sources time the same moment within this, microseconds. */
const TIGHT = 20_000;
const LOOSE = 1_500_000;
/** The fewest agreeing differences that cannot be chance, if no other group is as large. */
const FEWEST = 3;
/** A smaller offset may be the time between a request and its log line. */
const SMALLEST_STEP = 50_000;

/** The order in which clocks serve as the reference for the others. */
const RANK: { readonly [K in SourceKind]: number } = {
  log: 0,
  cri: 1,
  spans: 2,
  events: 3,
  pods: 4,
  metrics: 5,
  api: 6,
};
const RANKED: { readonly [K in Evidence['kind']]?: SourceKind } = {
  line: 'log',
  call: 'cri',
  return: 'cri',
  span: 'spans',
  'container-event': 'events',
  pods: 'pods',
  'api-event': 'api',
};

interface Pair {
  readonly source: string;
  readonly against: string;
  readonly tight: number[];
  readonly loose: number[];
  /** A difference that is smaller may be the time that something took. */
  smallest: number;
  /** The offset as it is known, and as it was last reported. */
  found: ClockOffset | null;
  reported: ClockOffset | null;
}

/** A source that has its place among the others, and the pair that gave it. */
interface Placed {
  readonly id: string;
  readonly shift: number;
  readonly pair: Pair | null;
}

export class SourceClocks {
  /** The times at which a moment was seen, by key, then by source. */
  private readonly seen = new Map<string, Map<string, number[]>>();
  private readonly pairs = new Map<string, Pair>();
  private readonly kinds = new Map<string, SourceKind>();
  private readonly shifts = new Map<string, number>();
  private news: ClockOffset[] = [];

  /** @param alone there is one source: no other sees what it sees */
  constructor(private readonly alone = false) {}

  /**
   * Learns from a piece of evidence with its source's own time. Returns whether the shift of any source has changed.
   */
  note(evidence: Evidence): boolean {
    const kind = RANKED[evidence.kind];
    if (this.alone || kind === undefined) return false;
    if (!this.kinds.has(evidence.source)) this.kinds.set(evidence.source, kind);
    let news = false;
    for (const { key, at, tight } of sightings(evidence)) {
      // A list of pods shows a container again and again for as long as it runs; only the first one shows when it
      // began.
      if (evidence.kind === 'pods' && this.seen.get(key)?.has(evidence.source)) continue;
      for (const [other, times] of this.others(key, evidence.source)) {
        const pair = this.pair(evidence.source, other);
        const sign = pair.source === evidence.source ? 1 : -1;
        const list = tight ? pair.tight : pair.loose;
        // The difference from the pair's source to its reference.
        for (const time of times) list.push(sign * (time - at));
        if (list.length > MOST_DIFFERENCES) list.splice(0, list.length - MOST_DIFFERENCES);
        news = this.estimate(pair) || news;
      }
      this.keep(key, evidence.source, at);
    }
    return news && this.arrange();
  }

  /** The microseconds that the times of a source are shifted by. */
  shift(source: string): number {
    return this.shifts.get(source) ?? 0;
  }

  /** The evidence with its times on the common clock. */
  aligned(evidence: Evidence): Evidence {
    const shift = this.shift(evidence.source);
    if (shift === 0 || evidence.at === null) return evidence;
    const at = evidence.at + shift;
    return evidence.kind === 'span' ? { ...evidence, at, end: evidence.end + shift } : { ...evidence, at };
  }

  get hasNews(): boolean {
    return this.news.length > 0;
  }
  /** Returns the offsets that were found or have changed since the last call. */
  takeNews(): ClockOffset[] {
    const news = this.news;
    this.news = [];
    return news;
  }

  private others(key: string, source: string): [string, number[]][] {
    return [...(this.seen.get(key) ?? [])].filter(([other]) => other !== source);
  }

  private keep(key: string, source: string, at: number): void {
    const bySource = this.seen.get(key) ?? new Map<string, number[]>();
    // A key that is seen again moves to the end: the oldest one is forgotten first.
    this.seen.delete(key);
    this.seen.set(key, bySource);
    const times = bySource.get(source) ?? [];
    bySource.set(source, times);
    times.push(at);
    if (times.length > MOST_SIGHTINGS) times.shift();
    if (this.seen.size > MOST_KEYS) this.seen.delete(oldestKey(this.seen) as string);
  }

  private pair(a: string, b: string): Pair {
    const [against, source] = this.ranked([a, b]) as [string, string];
    const key = `${source} ${against}`;
    let pair = this.pairs.get(key);
    if (!pair) {
      pair = { source, against, tight: [], loose: [], smallest: SMALLEST_STEP, found: null, reported: null };
      this.pairs.set(key, pair);
    }
    return pair;
  }

  /** The sources, with the reference clocks first. */
  private ranked(ids: readonly string[]): readonly string[] {
    const rank = (id: string) => RANK[this.kinds.get(id) as SourceKind];
    return ids.toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  }

  /** Estimates the offset of two clocks. True if it has become known, or has changed. */
  private estimate(pair: Pair): boolean {
    const close = agreed(pair.tight, TIGHT);
    const found = close ?? agreed(pair.loose, LOOSE);
    if (!found) return false;
    pair.smallest = close ? SMALLEST_STEP : 2 * LOOSE;
    const { source, against, found: before } = pair;
    const apart = before ? Math.abs(found.offset - before.offset) : 0;
    const news =
      !before || apart > found.uncertainty + before.uncertainty || found.uncertainty * 4 < before.uncertainty;
    if (!news) return false;
    pair.found = { source, against, ...found };
    return true;
  }

  /** Puts all clocks that are known on one, by the ways that are most certain. Whether any is shifted otherwise. */
  private arrange(): boolean {
    const left = new Set(this.ranked([...this.kinds.keys()]));
    let changed = false;
    while (left.size > 0) {
      let next: Placed | undefined = { id: [...left][0] as string, shift: 0, pair: null };
      const placed = new Map<string, number>();
      while (next) {
        left.delete(next.id);
        placed.set(next.id, next.shift);
        this.tell(next.pair);
        next = this.nearest(placed);
      }
      for (const [id, shift] of placed) {
        if (shift !== this.shift(id)) changed = true;
        this.shifts.set(id, shift);
      }
    }
    return changed;
  }

  /** Reports the offset of a pair; pairs that the others make superfluous are not reported. */
  private tell(pair: Pair | null): void {
    if (!pair?.found || pair.reported === pair.found) return;
    pair.reported = pair.found;
    this.news.push(pair.found);
  }

  /** The source that is known best against one of those that have their place. */
  private nearest(placed: ReadonlyMap<string, number>): Placed | undefined {
    let best: Placed | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const pair of this.pairs.values()) {
      const { found, smallest } = pair;
      if (!found || found.uncertainty >= least) continue;
      const { source, against, offset, uncertainty } = found;
      // An offset that the duration of the work itself can explain is not a difference of clocks.
      const step = Math.abs(offset) >= Math.max(smallest, 2 * uncertainty) ? offset : 0;
      const [of, to] = [placed.get(source), placed.get(against)];
      if (to !== undefined && of === undefined) best = { id: source, shift: to + step, pair };
      else if (of !== undefined && to === undefined) best = { id: against, shift: of - step, pair };
      else continue;
      least = uncertainty;
    }
    return best;
  }
}

/** The median of the largest group of differences within `width`; null if the group may be chance. */
export function agreed(
  differences: readonly number[],
  width: number,
): { readonly offset: number; readonly uncertainty: number; readonly samples: number } | null {
  if (differences.length < FEWEST) return null;
  const sorted = [...differences].sort((a, b) => a - b);
  const best = densest(sorted, width);
  if (best.count < FEWEST) return null;
  const rest = [...sorted.slice(0, best.from), ...sorted.slice(best.from + best.count)];
  if (densest(rest, width).count * 3 > best.count * 2) return null;
  const within = sorted.slice(best.from, best.from + best.count);
  const offset = within[Math.floor(within.length / 2)] as number;
  const off = within.map((d) => Math.abs(d - offset)).sort((a, b) => a - b);
  // Nine of ten lie within it.
  const uncertainty = Math.max(1, off[Math.ceil(off.length * 0.9) - 1] as number);
  return { offset: Math.round(offset), uncertainty: Math.round(uncertainty), samples: best.count };
}

/** The longest run of sorted numbers that lie within `width`; of several the one nearest to 0. */
function densest(sorted: readonly number[], width: number): { readonly from: number; readonly count: number } {
  let best = { from: 0, count: 0 };
  let from = 0;
  for (let to = 0; to < sorted.length; to++) {
    while ((sorted[to] as number) - (sorted[from] as number) > width) from++;
    const count = to - from + 1;
    const nearer = Math.abs(sorted[from] as number) < Math.abs(sorted[best.from] as number);
    if (count > best.count || (count === best.count && nearer)) best = { from, count };
  }
  return best;
}
