import { type Deviation, type Kernel, PanicError } from '../../kernel/index.js';
import type { EraVersion } from '../../kubelet/index.js';
import {
  type Decisions,
  type InputAction,
  lookupOf,
  type Micros,
  type NodeState,
  type Seq,
  type TraceRecord,
} from '../../trace/index.js';
import type { RecordStore } from '../base/record-store.js';
import { atOnce, Stopped, type Work } from '../base/work.js';
import type { BranchInfo } from '../protocol/branches.js';
import type { InterventionCommand, Position } from '../protocol/commands.js';
import type { RunSpec } from '../protocol/run-spec.js';
import { cut, Execution, type ManifestFile } from '../run/execution.js';
import { SimulationRun } from '../run/run.js';
import type { Track } from '../run/run-control.js';
import type { SimulationSource } from '../run/simulation.js';
import type { Timeline } from '../run/timeline.js';
import type { TrailingOptions } from '../run/trailing-runs.js';
import { AvailableRuns } from './available-runs.js';
import { type Branch, BranchList, divergence, isBefore, type Opening } from './branches.js';
import { type InTwoEras, inEra, sameDoings } from './eras.js';

/** Records in which the action that began a branch is looked for: the rest of a decision may come before it. */
const NAMED_WITHIN = 200;
/**
 * Limits of the search for the position at which a scenario opens: steps, and virtual time (Micros); and how many steps
 * it takes between two yields.
 */
const LONGEST_OPENING = 20_000;
const LATEST_OPENING: Micros = 60_000_000;
const OPENING_SLICE = 4;

/** Decisions between two yields of a run whose records are wanted. */
const RECORDED = 4;
/** Records between two yields where all are looked at. */
const READ = 512;

/** Records before a moment, at least, that a view has which was taken of a view. */
const LEAST_CONTEXT = 1024;

/** A position to go to. */
export type Place = { readonly seq: Seq } | { readonly step: Decisions } | { readonly iteration: number };

/**
 * A run and its branches. It is at a position; the records after that in its branch are kept, so going back and
 * forth only reads records, and only what was not reached yet is executed. A change in the past makes a branch: the run
 * is executed again up to there, with the same choices and interventions, and must give the same records.
 */
export class TimeTravel implements Track {
  /** Records up to the position. Another object after each jump. */
  view: RecordStore;
  /** Decisions taken at the position. */
  step: Decisions = 0;
  /** Called for each record that comes into view, with the state right after it. Returns true to stop there. */
  watch: ((record: TraceRecord, state: NodeState) => boolean) | null = null;
  private asksNow = false;
  private branch: Branch;
  private readonly branches = new BranchList();
  private stopAt: Seq = 0;
  /** In the past: how far the clock has moved since the last record. */
  private clock: Micros = 0;
  private readonly available: AvailableRuns;
  /** The store that the view was taken of. */
  private viewOf: RecordStore | null = null;

  /** Throws what the source throws for a scenario that it cannot start. */
  constructor(
    private readonly source: SimulationSource,
    spec: RunSpec,
    private readonly options: TrailingOptions,
  ) {
    this.available = new AvailableRuns(source, options);
    this.branch = this.addBranch('main', null, { step: 0, seq: 0 }, new Execution(source, spec, options));
    this.view = this.timeline.store;
  }

  // --- where it stands -----------------------------------------------------------------------------------------------

  private get execution(): Execution {
    return this.branch.execution as Execution;
  }
  get timeline(): Timeline {
    return this.execution.timeline;
  }
  /** The run at its head, which may be further than the position. */
  get head(): SimulationRun {
    return this.execution.run;
  }
  get kernel(): Kernel {
    return this.head.kernel;
  }
  get position(): Position {
    return { step: this.step, seq: this.view.last };
  }
  /** Nothing is known of what comes next. */
  get atHead(): boolean {
    return this.view === this.timeline.store;
  }
  /** Why the run cannot go on from here, '' when it can. */
  get stopped(): string {
    return this.atHead ? this.execution.halted : '';
  }
  get awaitsChoice(): boolean {
    return this.atHead && this.kernel.pendingChoice !== null;
  }
  get now(): Micros {
    return this.atHead ? this.kernel.now() : Math.max(this.clock, this.view.state.time);
  }
  rest(until: Micros): boolean {
    const { kernel } = this;
    if (!this.atHead) {
      if ((this.timeline.store.get(this.view.last + 1)?.time ?? kernel.now()) <= until) return false;
      this.clock = until;
      return true;
    }
    if (kernel.nextRunnable || kernel.pendingChoice) return kernel.now() >= until;
    const next = kernel.nextTimerAt();
    if (next === null || next <= until) return false;
    kernel.clock.advanceTo(until);
    return true;
  }
  /** The furthest that is known of this branch. */
  get end(): Branch['end'] {
    this.branch.note();
    return this.branch.end;
  }
  get branchId(): number {
    return this.branch.id;
  }
  /** The version of the kubelet that runs here. */
  get era(): EraVersion {
    return this.branch.era;
  }
  /** The position at which the scenario opened in this branch; null if it did not. */
  get opened(): Opening | null {
    return this.branch.opened;
  }
  /** The run up to here, as it is available again. */
  get spec(): RunSpec {
    return cut(this.branch.spec, this.position);
  }
  /** All of the run, what is done later included. */
  get wholeSpec(): RunSpec {
    return this.branch.spec;
  }
  /** Selects with several ready cases are asked about where the run is new. */
  get asks(): boolean {
    return this.asksNow;
  }
  set asks(asks: boolean) {
    this.asksNow = asks;
    this.stopAt = 0;
    this.head.asks = asks;
    if (this.atHead) this.stopWithinDecision();
  }

  // --- forward -------------------------------------------------------------------------------------------------------

  /**
   * One step on. It may only have moved the clock. After a deadlock or a panic nothing goes on: `stopped` says so at
   * the head.
   */
  next(): 'ran' | 'choice' | 'over' {
    if (!this.atHead) return this.replayStep();
    this.stopAt = 0;
    // A run that is executed again goes as it went, up to where it had got.
    if (!this.awaitsChoice) this.head.asks = this.asksNow && !isBefore(this.position, this.branch.end);
    try {
      return this.execution.step();
    } catch {
      return 'over';
    } finally {
      this.step = this.kernel.steps;
      this.stopWithinDecision();
    }
  }

  /** Stops within a decision, at the record for which the watch returned true; the later ones stay out of view. */
  private stopWithinDecision(): void {
    const { timeline, stopAt } = this;
    this.stopAt = 0;
    if (stopAt > 0 && stopAt < timeline.last) this.moveTo({ seq: stopAt, step: timeline.stepOf(stopAt) });
  }

  private replayStep(): 'ran' {
    const { timeline, view } = this;
    const target = view.last < timeline.seqAfter(this.step) ? this.step : this.step + 1;
    const to = timeline.seqAfter(target);
    this.step = target;
    for (let s = view.last + 1; s <= to; s++) {
      const record = timeline.store.get(s) as TraceRecord;
      view.push(record);
      if (this.watch?.(record, view.state)) break;
    }
    this.joinHead();
    return 'ran';
  }

  private joinHead(): void {
    const { timeline, kernel } = this;
    if (this.view.last < timeline.last || this.step < kernel.steps) return;
    this.view = timeline.store;
    this.step = kernel.steps;
  }

  private recordMade(branch: Branch, execution: Execution, record: TraceRecord): void {
    if (branch !== this.branch || execution !== branch.execution || !this.atHead || this.stopAt > 0) return;
    if (this.watch?.(record, execution.timeline.store.state)) this.stopAt = record.seq;
  }

  /**
   * Goes to where the simulation opens, to the end of that decision. Returns the record that it opens with; null where
   * it names none, or does not come there in good time: then it stands anywhere.
   */
  *open(): Work<Seq | null> {
    const { simulation } = this.head;
    if (!simulation.opensAt) return null;
    let opening: Seq | null = null;
    const { watch } = this;
    this.watch = (record, state) => {
      if (opening === null && simulation.opensAt?.(record, state)) opening = record.seq;
      return false;
    };
    try {
      for (
        let n = 1;
        opening === null && n < LONGEST_OPENING && this.now <= LATEST_OPENING && this.stopped === '';
        n++
      ) {
        if (n % OPENING_SLICE === 0) yield { steps: this.step, time: this.now };
        this.next();
      }
    } finally {
      this.watch = watch;
    }
    this.branch.opening = opening === null ? null : { ...this.position, record: opening };
    return opening;
  }

  // --- anywhere ------------------------------------------------------------------------------------------------------

  /**
   * Goes to a place that this branch has been at: right after a record, a decision, or the select that began an
   * iteration. Throws if the run cannot be repeated.
   */
  *goTo(to: Place): Work {
    const { timeline } = this;
    const seq = 'iteration' in to ? timeline.seqOfIteration(to.iteration) : 'seq' in to ? to.seq : undefined;
    if (seq === undefined) {
      const step = 'step' in to ? to.step : 0;
      const { oldest } = timeline.store;
      // Not even packed: what was done from outside right after the decision is had with the next one.
      if (oldest > 1 && step < timeline.stepOf(oldest))
        yield* this.runAgain(step < this.end.step ? { step: step + 1, seq: 0 } : this.end);
      yield* this.moving({ step, seq: this.timeline.seqAfter(step) });
      return;
    }
    yield* this.restoreRecords(seq);
    yield* this.moving({ seq, step: this.timeline.stepOf(seq) });
  }
  /** Makes the records up to `seq` available, as far as they are not even packed any more. */
  private *restoreRecords(seq: Seq): Work {
    if (seq < this.timeline.store.oldest - 1) yield* this.runAgain({ step: 0, seq });
  }
  /**
   * Executes up to a position of which the records are not known yet, and lets the clock go on to `clock`, as far as
   * no record comes before that. Where it is stopped it stands where it got to.
   */
  *runTo(position: Position, clock: Micros = 0): Work {
    const { execution } = this;
    try {
      yield* execution.repeat(position);
      yield* execution.passTime(clock, position.seq);
    } catch (error) {
      if (error instanceof Stopped) this.moveTo(execution.position);
      // What comes next may end the run: that is known then, and it is before it.
      if (execution.halted === '' || isBefore(execution.position, position)) throw error;
    }
    yield* this.moveToNearest(position);
    const next = this.timeline.store.get(this.view.last + 1)?.time ?? Number.POSITIVE_INFINITY;
    if (!this.atHead && next > clock) this.clock = Math.min(clock, this.kernel.now());
  }
  /** `position` came from somewhere: decisions and records need not fit together. The records count. */
  private *moveToNearest({ seq, step }: Position): Work {
    const { position } = this.execution;
    if (seq === position.seq && step === position.step) {
      this.moveTo(position);
      return;
    }
    yield* this.restoreRecords(seq);
    const { timeline, kernel } = this;
    const low = timeline.stepOf(seq);
    const high = seq < timeline.last ? Math.max(low, timeline.stepOf(seq + 1) - 1) : kernel.steps;
    yield* this.moving({ seq, step: Math.min(Math.max(step, low), high) });
  }

  private moveTo(position: Position): void {
    atOnce(this.moving(position));
  }
  /** What is long ago is unpacked, in slices; where that is stopped it stands where it stood. */
  private *moving({ seq, step }: Position): Work {
    const { store } = this.timeline;
    const { steps } = this.kernel;
    this.view = seq < store.last || step < steps ? yield* this.viewAt(seq) : store;
    this.step = Math.min(step, steps);
    this.clock = 0;
    this.joinHead();
  }
  private *viewAt(seq: Seq): Work<RecordStore> {
    const { view } = this;
    const { store } = this.timeline;
    // Whoever goes back in what was unpacked need not have it unpacked again.
    const near = seq < store.first - 1 && this.viewOf === store && view !== store;
    if (near && seq <= view.last && seq >= view.first + LEAST_CONTEXT) return view.until(seq);
    this.viewOf = store;
    return yield* store.restoring(seq);
  }
  /** The last moment of what is known at which the clock stood at `time`, or before. */
  *goToTime(time: Micros): Work {
    const { store } = this.timeline;
    if (store.oldest > 1 && (store.get(store.oldest)?.time ?? 0) > time) yield* this.execute((e) => e.repeatPast(time));
    yield* this.goTo({ seq: this.timeline.seqAt(time) });
    this.clock = time;
  }

  /** Its records there are no longer in memory, or nothing of it is. */
  private *runAgain(to: Position): Work {
    yield* this.execute((execution) => execution.repeat(to));
  }
  private *execute(repeat: (execution: Execution) => Work): Work {
    const { branch } = this;
    branch.note();
    const execution = new Execution(this.source, branch.spec, this.options);
    yield* repeat(execution);
    this.adopt(branch, execution);
  }

  private adopt(branch: Branch, execution: Execution): void {
    branch.execution = execution;
    execution.run.asks = this.asksNow;
    execution.onRecord = (record) => this.recordMade(branch, execution, record);
  }

  /**
   * The run as it is right here, to look at. It may be one that was made for that: do not change it. Where this is
   * stopped, or the position changes meanwhile, what was executed so far stays, and is gone on with where it is of use.
   */
  *here(): Work<SimulationRun> {
    if (this.atHead) return this.head;
    return (yield* this.executionHere()).run;
  }
  /** Whether `here` is at hand. */
  get isHere(): boolean {
    return this.atHead || this.available.has(this.branch, this.position);
  }
  private executionHere(): Work<Execution> {
    return this.available.at(this.branch, this.timeline, this.position);
  }
  /**
   * Lets runs follow behind, so that acting in the near past need not execute all of the run again. To be called while
   * nothing else is to be done. True while there is more to do.
   */
  trail(expired: () => boolean): boolean {
    return this.available.trail(this.branch, this.timeline, this.position, expired);
  }
  /** The manifest files as they were here; undefined if the simulation does not tell when they change. */
  manifests(): readonly ManifestFile[] | undefined {
    return this.execution.manifestsAt(this.position);
  }

  /** It cannot go on: what was done from outside ended it. */
  halt(why: string): void {
    this.execution.halted = why;
  }

  // --- branches ------------------------------------------------------------------------------------------------------

  private addBranch(name: string, parent: Branch | null, forkedAt: Position, execution: Execution): Branch {
    const branch = this.branches.add(name, parent, forkedAt, execution);
    this.adopt(branch, execution);
    this.branches.dropExecutions(this.branch ?? branch);
    return branch;
  }

  /**
   * Makes the position the head of a branch of its own. Throws if the run cannot be repeated; then all is as it was.
   */
  *fork(name?: string): Work {
    const { position, clock } = this;
    yield* this.branchOff(name, position, () => this.executionHere());
    const { kernel } = this;
    // As far as it was shown, the clock has moved.
    if (clock > kernel.now() && !kernel.nextRunnable && (kernel.nextTimerAt() ?? Number.POSITIVE_INFINITY) > clock)
      kernel.clock.advanceTo(clock);
  }
  /** From right before a record on, which its decision's deviation makes another; up to after that decision. */
  *branchBefore(seq: Seq, deviation: Omit<Deviation, 'decision'>, name: string): Work {
    yield* this.restoreRecords(seq - 1);
    const decision = this.timeline.stepOf(seq);
    const before = { step: decision - 1, seq: seq - 1 };
    const { deviations = [], ...spec } = cut(this.branch.spec, before);
    const other = { ...spec, deviations: [...deviations, { decision, ...deviation }] };
    yield* this.branchOff(name, before, () => this.repeatFrom(other, before, { step: decision, seq }));
  }
  /**
   * Another way that the run up to here may go, as a branch that ends at `to`; the position stays. Only deviations tell
   * them apart. `name`: what somebody calls it, or what it was found by, which each language words. Returns its id.
   * Throws if it does not get there.
   */
  *addBranchTo(name: string | InputAction, deviations: readonly Deviation[], to: Position): Work<number> {
    this.branches.mustHaveRoom();
    const { branch, timeline } = this;
    const { deviations: own = [], ...spec } = this.spec;
    const texts = (list: readonly Deviation[]) =>
      new Set(list.map((d) => JSON.stringify([d.decision, d.goroutine, d.case])));
    const [mine, others] = [texts(own), texts(deviations)];
    const apart = [...own, ...deviations].filter((d) => {
      const text = JSON.stringify([d.decision, d.goroutine, d.case]);
      return mine.has(text) !== others.has(text);
    });
    const first = Math.min(...apart.map((d) => d.decision - 1), this.step, to.step);
    const seq = Math.min(timeline.seqAfter(first), this.view.last, to.seq);
    const held = seq >= timeline.store.oldest - 1;
    const full = deviations.length > 0 ? { ...spec, deviations } : spec;
    const execution = new Execution(this.source, full, this.options, held ? timeline.until(seq) : undefined);
    yield* execution.repeat(to);
    const added = this.addBranch(typeof name === 'string' ? name : '', branch, { step: first, seq }, execution);
    if (typeof name !== 'string') added.nameAfter(name, lookupOf(timeline.store.state));
    return added.id;
  }
  /** A run that is the same up to `same`, executed to a position. */
  private *repeatFrom(spec: RunSpec, same: Position, to: Position): Work<Execution> {
    return yield* this.available.from(spec, yield* this.timeline.copying(same.seq), same, to);
  }
  /** `execution`: what the branch begins with, or the work that makes it. */
  private *branchOff(name: string | undefined, at: Position, execution: () => Work<Execution>): Work {
    this.branches.mustHaveRoom();
    this.begin(name, at, yield* execution());
  }
  private begin(name: string | undefined, at: Position, made: Execution): Branch {
    // From now on it is a branch of its own.
    this.available.forget();
    this.branch.note();
    this.branch = this.addBranch(name ?? `branch ${this.branches.nextId}`, this.branch, at, made);
    this.moveTo(made.position);
    return this.branch;
  }

  /** What is about to be done changes what comes: where something else is known to come, it is another branch. */
  private *forkIfInPast(name: string): Work {
    // The rest of the decision where it stands is done in any case.
    if (!this.atHead && this.step >= this.kernel.steps) this.moveTo(this.execution.position);
    if (!this.atHead || isBefore(this.position, this.end)) yield* this.fork(name);
  }

  /**
   * Does something from outside, here. Throws an Error with the reason if it cannot be done; then all is as it was.
   */
  *intervene(command: InterventionCommand, name: string = command.do): Work {
    const undo = this.checkpoint();
    const { branch } = this;
    const wasAtHead = this.atHead;
    try {
      yield* this.forkIfInPast(name);
    } catch (error) {
      undo();
      throw error;
    }
    const { position } = this.execution;
    const time = this.kernel.now();
    try {
      this.execution.noting(() => this.head.intervene(command));
    } catch (error) {
      if (error instanceof PanicError) throw error;
      const failed = this.head.takeBack();
      if (this.branch === branch && this.kernel.lastSeq > position.seq) {
        // It has left a record of what did not happen.
        let execution: Execution;
        try {
          execution = yield* this.repeatFrom(branch.spec, position, position);
          yield* execution.settle(time);
        } catch (stopped) {
          // Then the record stays, and so must what left it.
          if (failed) this.head.putBack(failed);
          throw stopped instanceof Stopped ? error : stopped;
        }
        this.adopt(branch, execution);
        undo(execution);
        if (wasAtHead) this.moveTo(position);
      } else undo();
      throw error;
    } finally {
      if (this.atHead) this.step = this.kernel.steps;
      this.stopAt = 0;
    }
  }

  /** Gives what takes it back to where it stands now, as long as its branches only grew. */
  checkpoint(): (execution?: Execution | null) => void {
    const { branch, view, step, clock } = this;
    const branches = this.branches.checkpoint();
    const { execution: held } = branch;
    return (execution = held) => {
      branches();
      // The execution made for a look may have become the branch that is no more.
      this.available.forget();
      Object.assign(this, { branch, view, step, clock });
      if (branch.execution !== execution) branch.execution = execution;
    };
  }

  /** Answers the choice that is pending. */
  choose(index: number): void {
    if (!this.awaitsChoice) throw new Error('no choice is pending here');
    this.stopAt = 0;
    this.execution.noting(() => this.head.choose(index));
    this.step = this.kernel.steps;
    this.stopWithinDecision();
  }

  /** Takes another way at the decision that comes next. */
  *deviate(deviation: Omit<Deviation, 'decision'>, name: string): Work {
    yield* this.forkIfInPast(name);
    this.head.deviate({ decision: this.step + 1, ...deviation });
  }

  list(): BranchInfo[] {
    return this.branches.describe(this.branch);
  }
  rename(id: number, name: string): void {
    this.branches.find(id).name = name;
  }
  /** The branch in view is called after what was done from outside where it began, or after `action`. */
  nameAfter(action?: InputAction): void {
    const { branch } = this;
    const done = action ?? this.view.slice(branch.forkedAt.seq + 1, NAMED_WITHIN).find((r) => r.kind === 'input');
    if (done) branch.nameAfter(done, lookupOf(this.view.state));
  }
  /** Forgets a branch. Those that left it stay. */
  drop(id: number): void {
    const branch = this.branches.find(id);
    if (branch === this.branch) throw new Error(`branch ${id} is the one in view: switch to another first`);
    this.branches.remove(branch);
  }

  /** Up to where two branches are the same run: from there on they may differ. */
  divergence(one: number, other: number): Position {
    return divergence(this.branches.find(one), this.branches.find(other));
  }

  /** Goes over to another branch, to its end or to a position in it. */
  *switchTo(id: number, position?: Position): Work {
    const branch = this.branches.find(id);
    this.branch.note();
    const { end } = branch;
    if (position && (position.seq > end.seq || position.step > end.step))
      throw new Error(
        `branch ${id} is known up to decision ${end.step} and record ${end.seq}: switch to a place before that, and go on from there`,
      );
    const undo = this.checkpoint();
    this.branch = branch;
    try {
      if (!branch.execution || isBefore(branch.execution.position, end)) yield* this.runAgain(end);
      yield* this.moveToNearest(position ?? end);
    } catch (error) {
      undo();
      throw error;
    }
    this.branches.used(branch);
    this.branches.dropExecutions(branch);
  }

  /**
   * Goes over to the same run with another version of the kubelet, at the same time; to where the scenario opens, or to
   * the start, where it is there. The run is known as far as this one is.
   */
  *toEra(era: EraVersion): Work {
    if (era === this.era) return;
    const { now, step, opened } = this;
    const atOpening = opened !== null && opened.seq === this.view.last && opened.step === step;
    const until = Math.max(this.end.time, now);
    const found = this.known(era);
    const { watch } = this;
    this.watch = null;
    try {
      if (found) yield* this.switchTo(found.id);
      else yield* this.branchInEra(era);
      yield* this.goOnUntil(until);
    } finally {
      this.watch = watch;
    }
    if (step === 0) yield* this.goTo({ step: 0 });
    else if (atOpening && this.opened) yield* this.moveToNearest(this.opened);
    else if (!this.atHead || now < this.now) yield* this.goToTime(now);
  }
  /** The branch that is this run with another version; null if there is none yet. */
  private known(era: EraVersion): Branch | null {
    const known = this.branch.family.get(era);
    return known && this.branches.has(known) && sameDoings(known.spec, this.branch.spec) ? known : null;
  }
  private *branchInEra(era: EraVersion): Work {
    const { branch, opened } = this;
    this.branches.mustHaveRoom();
    const made = this.begin(era, { step: 0, seq: 0 }, new Execution(this.source, this.specIn(era), this.options));
    const family = [...branch.family].filter(([, b]) => sameDoings(b.spec, branch.spec));
    made.family = new Map([...family, [branch.era, branch], [era, made]]);
    for (const [, b] of made.family) b.family = made.family;
    made.opening = null;
    if (opened) yield* this.open();
  }
  /** Runs on at the head until the clock is there, or it cannot go on. */
  private *goOnUntil(time: Micros): Work {
    this.moveTo(this.execution.position);
    const { execution } = this;
    try {
      yield* execution.passTime(time, Number.POSITIVE_INFINITY);
      // What was done at that very moment.
      while (execution.halted === '' && (execution.run.pending[0]?.time ?? Number.POSITIVE_INFINITY) <= time)
        execution.step();
    } catch (error) {
      if (error instanceof Stopped || execution.halted === '') throw error;
    }
    this.step = this.kernel.steps;
  }
  private specIn(era: EraVersion): RunSpec {
    const { store } = this.timeline;
    return inEra(this.branch.spec, this.head.simulation, era, (uid, { after }) => {
      const state = after >= store.oldest - 1 && after <= store.last ? store.stateAt(after) : store.state;
      return state.pods[uid]?.pod ?? '';
    });
  }
  /** This run and the same one with another version, as far as this one is known. */
  inTwoEras(era: EraVersion): InTwoEras {
    const { branch } = this;
    return {
      eras: [this.era, era],
      runs: [branch.spec, this.known(era)?.spec ?? this.specIn(era)],
      until: Math.max(this.end.time, this.now),
    };
  }

  /** All records of a branch, up to its end; the branch is executed again if necessary. */
  *recordsOf(id: number): Work<Timeline> {
    const branch = this.branches.find(id);
    branch.note();
    if (!branch.execution || isBefore(branch.execution.position, branch.end)) {
      const execution = new Execution(this.source, branch.spec, this.options);
      yield* execution.repeat(branch.end);
      const { timeline } = execution;
      // If the branch ended while it waited for a choice, the decision has been completed here: leave out its records.
      return timeline.last > branch.end.seq ? timeline.until(branch.end.seq) : timeline;
    }
    return branch.execution.timeline;
  }

  /** The records of a branch up to a time, whether or not a user went there; fewer if it cannot go on that far. */
  *recordsUntil(id: number, time: Micros): Work<TraceRecord[]> {
    const records: TraceRecord[] = [];
    const branch = this.branches.find(id);
    branch.note();
    const { execution, end, spec } = branch;
    const known = execution?.timeline.store;
    if (execution && known && known.oldest <= 1 && end.time >= time && !isBefore(execution.position, end)) {
      for (let seq = 1; seq <= known.last; seq++) {
        const record = known.get(seq);
        if (!record || record.time > time) break;
        records.push(record);
        if (seq % READ === 0) yield { steps: 0, time: record.time };
      }
      return records;
    }
    const run = new SimulationRun(this.source, spec, (record) => void records.push(record));
    const { kernel } = run;
    try {
      for (let n = 1; kernel.now() <= time; n++) {
        if (n % RECORDED === 0) yield { steps: kernel.steps, time: kernel.now() };
        if ((!kernel.nextRunnable && (kernel.nextTimerAt() ?? 0) > time) || run.step() !== 'ran') break;
      }
    } catch (error) {
      if (error instanceof Stopped) throw error;
      // A panic or a deadlock is where it ends.
    }
    return records.filter((record) => record.time <= time);
  }
}
