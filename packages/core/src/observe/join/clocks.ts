/** By how much the clock of one source differs from another's, from what both saw. */
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

/** Sightings of one key, and differences of one pair of sources, that are kept. */
const MOST_SIGHTINGS = 16;
const MOST_KEYS = 4096;
const MOST_DIFFERENCES = 512;
/** Differences of what is seen at the same moment lie within this, microseconds. */
const TIGHT = 20_000;
const LOOSE = 1_500_000;
/** Three that agree are no chance, if no other three do. */
const FEWEST = 3;
/** Less than this may be what passes between a request and its way into a log. */
const SMALLEST_STEP = 50_000;

/** Which clock the others are held against, in this order. */
const RANK: { readonly [K in SourceKind]: number } = { log: 0, cri: 1, spans: 2, events: 3, pods: 4, metrics: 5 };
const RANKED: { readonly [K in Evidence['kind']]?: SourceKind } = {
  line: 'log',
  call: 'cri',
  return: 'cri',
  span: 'spans',
  'container-event': 'events',
  pods: 'pods',
};

interface Pair {
  readonly source: string;
  readonly against: string;
  readonly tight: number[];
  readonly loose: number[];
}

export class SourceClocks {
  /** By key, then by source: when it was seen. */
  private readonly seen = new Map<string, Map<string, number[]>>();
  private readonly pairs = new Map<string, Pair>();
  private readonly kinds = new Map<string, SourceKind>();
  /** What was found of a source; `applied` is what its times are shifted by. */
  private readonly found = new Map<string, ClockOffset & { readonly applied: number }>();
  private news: ClockOffset[] = [];

  /** Learns from a piece of evidence as its source has it. Whether times of its source, or another, are shifted anew. */
  note(evidence: Evidence): boolean {
    const kind = RANKED[evidence.kind];
    if (kind === undefined) return false;
    if (this.kinds.get(evidence.source) === undefined) this.kinds.set(evidence.source, kind);
    let changed = false;
    for (const { key, at, tight } of sightings(evidence)) {
      for (const [other, times] of this.others(key, evidence.source)) {
        const pair = this.pair(evidence.source, other);
        const sign = pair.source === evidence.source ? 1 : -1;
        const list = tight ? pair.tight : pair.loose;
        // From the pair's source to the one it is held against.
        for (const time of times) list.push(sign * (time - at));
        if (list.length > MOST_DIFFERENCES) list.splice(0, list.length - MOST_DIFFERENCES);
        changed = this.estimate(pair) || changed;
      }
      this.keep(key, evidence.source, at);
    }
    return changed;
  }

  /** The microseconds that the times of a source are shifted by. */
  shift(source: string): number {
    return this.found.get(source)?.applied ?? 0;
  }

  /** The evidence with its times on the common clock. */
  aligned(evidence: Evidence): Evidence {
    const shift = this.shift(evidence.source);
    if (shift === 0 || evidence.at === null) return evidence;
    const at = evidence.at + shift;
    return evidence.kind === 'span' ? { ...evidence, at, end: evidence.end + shift } : { ...evidence, at };
  }

  /** What was found or has changed since it was asked last. */
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
    // What was seen last is the last to be forgotten.
    this.seen.delete(key);
    this.seen.set(key, bySource);
    const times = bySource.get(source) ?? [];
    bySource.set(source, times);
    times.push(at);
    if (times.length > MOST_SIGHTINGS) times.shift();
    if (this.seen.size > MOST_KEYS) this.seen.delete(this.seen.keys().next().value as string);
  }

  private pair(a: string, b: string): Pair {
    const rank = (id: string) => RANK[this.kinds.get(id) as SourceKind];
    const [source, against] = rank(a) > rank(b) || (rank(a) === rank(b) && a > b) ? [a, b] : [b, a];
    const key = `${source} ${against}`;
    let pair = this.pairs.get(key);
    if (!pair) {
      pair = { source, against, tight: [], loose: [] };
      this.pairs.set(key, pair);
    }
    return pair;
  }

  private estimate(pair: Pair): boolean {
    const found = agreed(pair.tight, TIGHT) ?? agreed(pair.loose, LOOSE);
    if (!found) return false;
    const { source, against } = pair;
    const before = this.found.get(source);
    // Held against the clock that knows best; the other pairs of this source add nothing.
    if (before && before.against !== against && this.better(before, { source, against, ...found })) return false;
    const moved = !before || Math.abs(found.offset - before.offset) > Math.max(found.uncertainty, before.uncertainty);
    // More of what agrees makes it no other clock.
    const firm = before === undefined || moved || found.samples >= 4 * before.samples;
    if (!firm) return false;
    const total = found.offset + this.shift(against);
    const applied =
      Math.abs(found.offset) >= Math.max(SMALLEST_STEP, 2 * found.uncertainty) ? total : this.shift(against);
    this.found.set(source, { source, against, ...found, applied });
    this.news.push({ source, against, ...found });
    return applied !== (before?.applied ?? 0);
  }

  private better(a: ClockOffset, b: ClockOffset): boolean {
    return a.uncertainty <= b.uncertainty;
  }
}

/** Where most differences lie within `width` of each other: their median. Null where chance would do as well. */
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
