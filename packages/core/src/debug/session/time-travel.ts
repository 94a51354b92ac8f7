import type { Kernel } from '../../kernel/index.js';
import type { Decisions, Micros, Seq, TraceRecord } from '../../trace/index.js';
import type { RecordStore } from '../base/record-store.js';
import { atOnce, type Work } from '../base/work.js';
import type { Position } from '../protocol/commands.js';
import type { RunSpec } from '../protocol/run-spec.js';
import { cut, Execution } from '../run/execution.js';
import { isBefore } from '../run/position.js';
import type { SimulationRun } from '../run/run.js';
import type { Track } from '../run/run-control.js';
import type { SimulationSource } from '../run/simulation.js';
import type { Timeline } from '../run/timeline.js';
import type { TrailingOptions } from '../run/trailing-runs.js';
import { AvailableRuns } from './available-runs.js';
import { type Branch, BranchList } from './branches.js';
import { fitting, type Known, type Replay, replayAt, replayNext, timeOf, type Watch } from './replay.js';

/**
 * A position in a run and its branches. The records after it in its branch are kept, so going back and forth only reads
 * records, and only what was not reached yet is executed. `jumps.ts` goes elsewhere in the branch; what changes the run
 * is in `branching.ts` and `interventions.ts`: a change in the past makes a branch, for which the run is executed again
 * up to there, with the same choices and interventions, and must give the same records.
 */
export class TimeTravel implements Track {
  readonly branches = new BranchList();
  readonly available: AvailableRuns;
  watch: Watch | null = null;
  private current: Branch;
  /** The moment in the past where it stands; null at the head of the branch. */
  private past: Replay | null = null;
  private asksNow = false;
  /** The record of the step being taken at which it is to stop; 0 while there is none. */
  private stopAt: Seq = 0;

  /** Throws what the source throws for a scenario that it cannot start. */
  constructor(
    readonly source: SimulationSource,
    spec: RunSpec,
    private readonly options: TrailingOptions,
  ) {
    this.available = new AvailableRuns(source, options);
    const execution = this.executionOf(spec);
    this.current = this.branches.add('main', null, { step: 0, seq: 0 }, execution);
    this.adopt(this.current, execution);
  }

  // --- where it stands -----------------------------------------------------------------------------------------------

  get branch(): Branch {
    return this.current;
  }
  get replay(): Replay | null {
    return this.past;
  }
  /** Records up to the position. Another object after each jump. */
  get view(): RecordStore {
    return this.past?.view ?? this.timeline.store;
  }
  /** Decisions taken at the position. */
  get step(): Decisions {
    return this.past?.step ?? this.kernel.steps;
  }
  get position(): Position {
    return { step: this.step, seq: this.view.last };
  }
  /** True if nothing is known of what comes next. */
  get atHead(): boolean {
    return this.past === null;
  }
  get now(): Micros {
    return this.past ? timeOf(this.past) : this.kernel.now();
  }
  /** The reason why the run cannot go on from here, '' if it can. */
  get stopped(): string {
    return this.atHead ? this.execution.halted : '';
  }
  get awaitsChoice(): boolean {
    return this.atHead && this.kernel.pendingChoice !== null;
  }
  /** The run up to here, as it can be repeated. */
  get spec(): RunSpec {
    return cut(this.branch.spec, this.position);
  }
  /** The furthest that is known of this branch. */
  get end(): Branch['end'] {
    this.branch.note();
    return this.branch.end;
  }

  /** The branch's run at its head, which may be further than the position, and its records. */
  get execution(): Execution {
    return this.branch.execution as Execution;
  }
  get timeline(): Timeline {
    return this.execution.timeline;
  }
  get head(): SimulationRun {
    return this.execution.run;
  }
  get kernel(): Kernel {
    return this.head.kernel;
  }
  private get known(): Known {
    return { timeline: this.timeline, steps: this.kernel.steps };
  }

  // --- forward -------------------------------------------------------------------------------------------------------

  /** True if the user is asked at selects with several ready cases, where the run is new. */
  get asks(): boolean {
    return this.asksNow;
  }
  set asks(asks: boolean) {
    this.asksNow = asks;
    this.atHeadDo(() => {
      this.head.asks = asks;
    });
  }

  /**
   * One step on. It may only have moved the clock. After a deadlock or a panic nothing goes on: `stopped` says so at
   * the head.
   */
  next(): 'ran' | 'choice' | 'over' {
    const { past } = this;
    if (past) {
      this.past = replayNext(this.known, past, this.watch);
      return 'ran';
    }
    // A run that is executed again goes as it went, up to where it had got.
    if (!this.awaitsChoice) this.head.asks = this.asksNow && !isBefore(this.position, this.branch.end);
    try {
      return this.atHeadDo(() => this.execution.step());
    } catch {
      return 'over';
    }
  }

  /**
   * Does something to the run at its head. If the watch returns true for a record of it, it stops right there,
   * within the decision: the later ones stay out of view. Without `stops` all of it comes into view.
   */
  atHeadDo<T>(act: () => T, { stops = true } = {}): T {
    this.stopAt = 0;
    try {
      return act();
    } finally {
      const { stopAt, timeline } = this;
      this.stopAt = 0;
      if (stops && stopAt > 0 && stopAt < timeline.last)
        atOnce(this.moveTo({ seq: stopAt, step: timeline.stepOf(stopAt) }));
    }
  }
  private recordMade(branch: Branch, execution: Execution, record: TraceRecord): void {
    if (branch !== this.branch || execution !== branch.execution || !this.atHead || this.stopAt > 0) return;
    if (this.watch?.(record, execution.timeline.store.state)) this.stopAt = record.seq;
  }

  /** Moves the clock to `until` and returns true if nothing more happens before that time. */
  rest(until: Micros): boolean {
    const { kernel, past } = this;
    if (past) {
      if ((this.timeline.store.get(past.view.last + 1)?.time ?? kernel.now()) <= until) return false;
      this.showClock(until);
      return true;
    }
    if (kernel.nextRunnable || kernel.pendingChoice) return kernel.now() >= until;
    const next = kernel.nextTimerAt();
    if (next === null || next <= until) return false;
    kernel.clock.advanceTo(until);
    return true;
  }

  // --- anywhere ------------------------------------------------------------------------------------------------------

  moveToHead(): void {
    this.past = null;
  }
  /**
   * Goes to a position whose records are held, and shows that the clock has moved on to `clock` there. Where that is
   * stopped it stands where it stood.
   */
  *moveTo(position: Position, clock: Micros = 0): Work {
    this.past = yield* replayAt(this.known, position, this.past);
    this.showClock(clock);
  }
  /** Sets, in the past, how far the clock has moved since the last record. */
  showClock(clock: Micros): void {
    if (this.past) this.past = { ...this.past, clock };
  }
  /** A position at which the run has been, for one that came from somewhere. */
  fitting(position: Position): Position {
    return fitting(this.known, position);
  }

  /**
   * Executes a branch again, of which records or the run itself are no longer held: up to a position, or as `to` does.
   */
  *runAgain(to: Position | ((execution: Execution) => Work), branch: Branch = this.branch): Work {
    branch.note();
    const execution = this.executionOf(branch.spec);
    yield* typeof to === 'function' ? to(execution) : execution.repeat(to);
    this.adopt(branch, execution);
  }
  /** A run, before its first step. See Execution. */
  executionOf(spec: RunSpec, known?: Timeline): Execution {
    return new Execution(this.source, spec, this.options, known);
  }
  /**
   * The run as it is right here, to look at. It may be one that was made for that: do not change it. If this is
   * stopped, or the position changes meanwhile, the part that was executed so far stays for later use.
   */
  *here(): Work<SimulationRun> {
    return this.atHead ? this.head : (yield* this.available.at(this)).run;
  }

  // --- branches ------------------------------------------------------------------------------------------------------

  /** Goes over to the head of a branch. */
  enter(branch: Branch): void {
    this.current = branch;
    this.past = null;
  }
  /** Lets a branch go on with this execution, which has reached the branch's position. */
  adopt(branch: Branch, execution: Execution): void {
    branch.execution = execution;
    execution.run.asks = this.asksNow;
    execution.onRecord = (record) => this.recordMade(branch, execution, record);
  }

  /**
   * Returns what restores its present position, as long as its branches only grew; with an execution, that is what
   * the branch goes on with.
   */
  checkpoint(): (execution?: Execution | null) => void {
    const { branch, past } = this;
    const branches = this.branches.checkpoint();
    const { execution: held } = branch;
    return (execution = held) => {
      branches();
      // The execution made for a look may have become the branch that is no more.
      this.available.forget();
      this.current = branch;
      this.past = past;
      if (branch.execution !== execution) branch.execution = execution;
    };
  }
}
