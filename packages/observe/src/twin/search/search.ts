import type { RunSpec } from '@syncloop/core/debug';
import { Stopped, scenarioOf, startOf, type Work } from '@syncloop/core/debug';
import type { Start } from '@syncloop/core/debug/explore';
import { runOfText, scenarioOfRun } from '@syncloop/core/debug/run-as-scenario';
import type { Deviation } from '@syncloop/core/kernel';
import type { Decisions, Micros } from '@syncloop/core/trace';
import type { TwinScenario } from '../base/types.js';
import { Attempt } from './attempt.js';
import { candidates, type Way, withDeviation } from './candidates.js';
import { type Divergence, divergencesOf } from './divergences.js';
import type { DecidingChoice, Judge, Judged, TwinSchedule, TwinSearchBudget, TwinSearchReport } from './types.js';
import { choiceInWords, jitter, summaryOf } from './words.js';

export interface TwinSearchOptions {
  readonly twin: Pick<TwinScenario, 'name' | 'text' | 'seenFrom' | 'until'>;
  readonly judge: Judge;
  /** Default: 500 tries. `work` can be given more later. */
  readonly budget?: TwinSearchBudget;
}

/** A schedule that was tried, with the choices to try from there. */
interface Node extends TwinSchedule {
  /** Its divergences in order, as far as it was run. */
  readonly divergences: readonly Divergence[];
  /** Changes since the last one that has helped. */
  readonly depth: number;
  /** The choices that may mend a divergence, most likely first. */
  readonly ways: (divergence: Divergence) => readonly Way[];
  /** The number of them that were tried, by the divergence's key. */
  readonly tried: Map<string, number>;
  /** The number of nodes of the next depth that begin here. */
  sideways: number;
}

/** A run of the twin, with its result. */
interface Tried {
  readonly schedule: TwinSchedule;
  readonly attempt: Attempt;
  readonly judged: Judged;
  readonly divergences: readonly Divergence[];
  /** It was run to its end. */
  readonly whole: boolean;
}

/**
 * A run goes on for this long after a place before it is judged there: what upstream's jitter may shift comes by then.
 */
const SETTLE: Micros = 3_000_000;
/** Places closer than this are the same. */
const CLOSE: Micros = 1_000;
/** Seeds that are tried at a time. */
const SEEDS = 8;
/** Changes that have not helped by themselves, kept as a beginning of two or three together. */
const SIDEWAYS = 6;
const DEEPEST = 2;
/** Changes that are kept of a run that was cut short. */
const MOST_WAYS = 300;
/** Tries for one difference before the next has its turn. */
const PATIENCE = 60;
/** The most choices of a seed's run that are tried one by one as the cause. */
const SUSPECTS = 24;
const MOST_SUSPECTS = 3;

const remembered =
  (known: Map<string, readonly Way[]>, waysTo: (to: Divergence) => readonly Way[]) =>
  (to: Divergence): readonly Way[] => {
    const ways = known.get(to.key) ?? waysTo(to);
    known.set(to.key, ways);
    return ways;
  };

/**
 * Looks for the seed and the choices under which a twin does what the observed kubelet did. Each difference shows where
 * to look: choices before it are made in another way, one at a time, and those that help stay. Its results are a
 * function of its options; no clock is read.
 */
export class TwinSearch {
  private readonly start: Start;
  private readonly end: Micros;
  private readonly base: TwinSchedule;
  /** The scenario without the run that it may have come with, and without that run's interventions. */
  private readonly plain: string;
  private readonly interventions: RunSpec['interventions'];
  private budget: Required<TwinSearchBudget>;
  private readonly going: Generator<undefined, void>;
  private tries = 0;
  private seeds = 0;
  private records = 0;
  private nextSeed = 1;
  private readonly nodes: Node[] = [];
  /** Tries spent on each divergence. */
  private readonly spent = new Map<string, number>();
  private patience = PATIENCE;
  private before: Judged | null = null;
  private best: Tried | null = null;
  /** The scenario of the best, once it was asked for. */
  private written: string | null = null;
  private foundAfter = 0;
  private choices: readonly DecidingChoice[] = [];
  private minimal = false;
  private over = false;
  /** True if both runs do the same; further tries make the answer smaller. */
  private settled = false;
  /** The search would begin another run, if it could afford it. */
  private paused = false;

  /** Throws a ScenarioError if the twin's text is not a scenario. */
  constructor(private readonly options: TwinSearchOptions) {
    const { name, text, until } = options.twin;
    const run = runOfText({ scenario: name, text });
    this.plain = run.text ?? text;
    const scenario = scenarioOf(name, this.plain);
    this.interventions = run.interventions;
    this.start = startOf(scenario, run.interventions && { interventions: run.interventions });
    this.base = { seed: run.seed ?? scenario.seed, deviations: run.deviations ?? [] };
    this.end = until;
    this.budget = { tries: 500, records: Number.POSITIVE_INFINITY, ...options.budget };
    this.going = this.search();
  }

  /**
   * Searches in slices; it continues from its last state, with a larger budget also after its end. To stop it, drive it
   * no further, or throw `Stopped` into it.
   */
  *work(budget: TwinSearchBudget = {}): Work<TwinSearchReport> {
    this.budget = { ...this.budget, ...budget };
    try {
      while (!this.over && !(this.paused && !this.affords())) {
        if (this.going.next().done) this.over = true;
        else yield undefined;
      }
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    }
    return this.report();
  }

  report(): TwinSearchReport {
    const { tries, seeds, records, before, best, foundAfter, choices, minimal } = this;
    const ended = this.over || (this.paused && !this.affords());
    const state = best?.judged.differences.length === 0 ? 'agrees' : ended ? 'tried' : 'searching';
    const progress = { state, tries, seeds, records, before, foundAfter, choices, minimal } as const;
    const schedule = best && { ...best.schedule, judged: best.judged };
    return {
      ...progress,
      ended,
      best: schedule,
      text: this.text,
      summary: summaryOf({ ...progress, best: schedule }),
    };
  }

  private affords(): boolean {
    return this.tries < this.budget.tries && this.records < this.budget.records;
  }

  // --- the search ----------------------------------------------------------------------------------------------------

  private *search(): Generator<undefined, void> {
    const first = yield* this.attempt(this.base, this.end);
    this.before = first.judged;
    this.note(first);
    let seeds = SEEDS;
    let deepest = 0;
    while (this.partsStill()) {
      const node = this.pick();
      if (!node) {
        // Each difference has had its turn: all once more, and longer.
        this.patience *= 2;
        seeds = SEEDS;
        deepest = 0;
      } else if (node.depth > deepest) {
        // If one change is not enough, another seed may be, before two are tried.
        deepest = node.depth;
        seeds = SEEDS;
      }
      if (seeds > 0) {
        seeds--;
        this.seeds++;
        yield* this.trySeed(this.seedAfter(), node);
      } else if (node) yield* this.tryNext(node);
    }
    this.settled = true;
    yield* this.shrink();
    if (this.best && this.best.schedule.seed !== this.base.seed) yield* this.suspect(this.best);
    this.minimal = true;
  }

  private partsStill(): boolean {
    return this.best !== null && this.best.judged.differences.length > 0;
  }

  private seedAfter(): number {
    if (this.nextSeed === this.base.seed) this.nextSeed++;
    return this.nextSeed++;
  }

  /** Returns the divergence that a node is to mend next: its first one that the search has not given up. */
  private target(node: Pick<Node, 'divergences'>): Divergence | undefined {
    return this.open(node.divergences)[0];
  }
  private open(divergences: readonly Divergence[]): readonly Divergence[] {
    return divergences.filter((p) => (this.spent.get(p.key) ?? 0) < this.patience);
  }

  /** Returns the node to go on from: the one that agrees longest, and has something left to try. */
  private pick(): Node | null {
    let best: Node | null = null;
    let at: Divergence | undefined;
    for (const node of this.nodes) {
      const target = this.target(node);
      if (!target || (node.tried.get(target.key) ?? 0) >= node.ways(target).length) continue;
      const later = at ? target.time - at.time : 0;
      if (best && (later < -CLOSE || (later <= CLOSE && node.depth >= best.depth))) continue;
      best = node;
      at = target;
    }
    return best;
  }

  private *trySeed(seed: number, node: Node | null): Generator<undefined, void> {
    this.note(yield* this.attempt({ seed, deviations: [] }, 0, node?.divergences));
  }

  /** Tries the next change of a node. */
  private *tryNext(node: Node): Generator<undefined, void> {
    const target = this.target(node) as Divergence;
    const at = node.tried.get(target.key) ?? 0;
    const { deviation, waits, time } = node.ways(target)[at] as Way;
    node.tried.set(target.key, at + 1);
    this.spent.set(target.key, (this.spent.get(target.key) ?? 0) + 1);
    const { seed, deviations } = node;
    const tried = waits
      ? yield* this.attempt({ seed, deviations }, time, node.divergences, deviation.decision)
      : yield* this.attempt({ seed, deviations: withDeviation(deviations, deviation) }, time, node.divergences);
    const open = this.open(tried.divergences);
    if (this.improves(open, this.open(node.divergences))) this.note(tried);
    else if (node.depth < DEEPEST && node.sideways < SIDEWAYS && (open[0] ?? target).time >= target.time - CLOSE) {
      node.sideways++;
      this.note(tried, node.depth + 1, deviation.decision);
    }
  }

  /** True if a run agrees longer than another one, or diverges there in fewer ways. */
  private improves(open: readonly Divergence[], than: readonly Divergence[]): boolean {
    const [mine, theirs] = [open[0], than[0]];
    if (!mine || !theirs) return theirs !== undefined;
    if (mine.time > theirs.time + CLOSE) return mine.key !== theirs.key;
    const there = (p: Divergence) => p.time <= theirs.time + CLOSE;
    return mine.time >= theirs.time - CLOSE && open.filter(there).length < than.filter(there).length;
  }

  private note(tried: Tried, depth = 0, after = 0): void {
    const { schedule, divergences, whole } = tried;
    const { points } = tried.attempt;
    const waysTo = (to: Divergence) => candidates(points, to, schedule.deviations, after);
    const known = new Map<string, readonly Way[]>();
    const target = this.target(tried);
    // A run that was cut short is changed for this divergence only: its points need not be kept.
    if (!whole && target) known.set(target.key, waysTo(target).slice(0, MOST_WAYS));
    const ways = whole ? remembered(known, waysTo) : (to: Divergence) => known.get(to.key) ?? [];
    this.nodes.push({ ...schedule, divergences, depth, ways, tried: new Map(), sideways: 0 });
    if (whole && this.isBetter(tried)) this.take(tried);
  }

  /** Fewer differences, or as many and later. */
  private isBetter({ judged, divergences }: Tried): boolean {
    if (!this.best) return true;
    const fewer = this.best.judged.differences.length - judged.differences.length;
    return fewer > 0 || (fewer === 0 && (divergences[0]?.time ?? 0) > (this.best.divergences[0]?.time ?? 0) + CLOSE);
  }

  private take(tried: Tried): void {
    this.best = tried;
    this.written = null;
    if (!this.settled) this.foundAfter = this.tries;
    const { attempt, schedule } = tried;
    this.choices = schedule.deviations.flatMap((d) => {
      const point = attempt.pointOf(d);
      return point ? [choiceInWords(point, attempt.records, [point.base])] : [];
    });
  }

  private divergencesOf(judged: Judged, until?: Micros): Divergence[] {
    return divergencesOf(judged.differences, this.options.twin.seenFrom, until);
  }

  // --- shrinking and explaining --------------------------------------------------------------------------------------

  /** Leaves out deviations as long as the runs still agree, from the end: later ones depend on earlier ones. */
  private *shrink(): Generator<undefined, void> {
    for (let again = true; again; ) {
      again = false;
      for (let i = (this.best?.schedule.deviations.length ?? 0) - 1; i >= 0; i--) {
        const { seed, deviations } = (this.best as Tried).schedule;
        const fewer = [...deviations.slice(0, i), ...deviations.slice(i + 1)];
        const from = (this.best as Tried).attempt.pointOf(deviations[i] as Deviation)?.time ?? 0;
        const tried = yield* this.attempt({ seed, deviations: fewer }, from);
        if (!tried.whole || tried.judged.differences.length > 0) continue;
        this.take(tried);
        again = true;
      }
    }
  }

  /** Finds the choices of another seed's run that decided: without them it diverges, too. */
  private *suspect(best: Tried): Generator<undefined, void> {
    const place = this.divergencesOf(this.before as Judged)[0];
    const { points, records } = best.attempt;
    const found: DecidingChoice[] = [];
    const ways = place ? candidates(points, place, best.schedule.deviations).slice(0, SUSPECTS) : [];
    for (const { deviation, waits } of ways) {
      if (waits) continue;
      const point = best.attempt.pointOf(deviation);
      if (!point || found.some((c) => c.decision === point.decision && c.kind === point.kind)) continue;
      const { seed, deviations } = best.schedule;
      const schedule = { seed, deviations: withDeviation(deviations, deviation) };
      const tried = yield* this.attempt(schedule, point.time);
      if (tried.whole && tried.judged.differences.length === 0) continue;
      const other = point.options.indexOf(deviation.case ?? deviation.goroutine ?? -1);
      found.push(choiceInWords(point, records, [other]));
      if (found.length === MOST_SUSPECTS) break;
    }
    if (found.length === 0) found.push(jitter(best.schedule.seed, place?.time ?? 0, this.choices.length > 0));
    // Jitter is named last.
    const order = (c: DecidingChoice) => (c.kind === 'jitter' ? Number.POSITIVE_INFINITY : c.decision);
    this.choices = [...this.choices, ...found].sort((a, b) => order(a) - order(b));
  }

  // --- runs ----------------------------------------------------------------------------------------------------------

  /**
   * Runs a schedule that agrees up to `from`, as far as needed: up to its divergence, or, if that is better than
   * `than`, to its end. `waits`: see `Attempt`.
   */
  private *attempt(
    schedule: TwinSchedule,
    from: Micros,
    than?: readonly Divergence[],
    waits: Decisions | null = null,
  ): Generator<undefined, Tried> {
    while (!this.affords()) {
      this.paused = true;
      yield;
    }
    this.paused = false;
    this.tries++;
    const attempt = new Attempt(this.start, schedule, waits);
    const goal = than && this.open(than)[0];
    let to = from;
    for (let stride = SETTLE; ; stride *= 2) {
      to = Math.min(this.end, to + stride);
      // A run is judged at the difference itself; once past it, as a whole.
      if (goal && to > goal.time) to = Math.min(this.end, Math.max(from, goal.end) + SETTLE + 2 * CLOSE);
      const had = attempt.records.length;
      yield* attempt.run(to);
      let judged = this.options.judge(attempt.records, to);
      let whole = to >= this.end || attempt.broken !== null;
      let divergences = this.divergencesOf(judged, whole ? Number.POSITIVE_INFINITY : to - SETTLE);
      if (!whole && goal && to > goal.end + SETTLE && this.improves(this.open(divergences), this.open(than ?? []))) {
        yield* attempt.run(this.end);
        judged = this.options.judge(attempt.records, this.end);
        whole = true;
        divergences = this.divergencesOf(judged);
      }
      this.records += attempt.records.length - had;
      const open = than ? this.open(divergences) : divergences;
      if (!whole && open.length === 0) continue;
      const deviations = whole || waits !== null ? [...attempt.deviations] : schedule.deviations;
      return { schedule: { seed: schedule.seed, deviations }, attempt, judged, divergences, whole };
    }
  }

  /** The scenario with the best schedule in its section `run`. */
  private get text(): string {
    const { name, text } = this.options.twin;
    if (!this.best) return text;
    this.written ??= this.textOf(name, this.best.schedule);
    return this.written;
  }
  private textOf(name: string, { seed, deviations }: TwinSchedule): string {
    const { title } = scenarioOf(name, this.plain);
    const { interventions } = this;
    const spec = { scenario: name, text: this.plain, seed, deviations, ...(interventions && { interventions }) };
    return scenarioOfRun(spec, { name, title }, []);
  }
}
