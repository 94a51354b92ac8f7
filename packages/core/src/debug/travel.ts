import type { Deviation, Kernel } from '../kernel/index.js';
import type { Micros, NodeState, Seq, TraceRecord } from '../trace/index.js';
import { Branch, type BranchInfo, parting } from './branches.js';
import { cut, Execution } from './execution.js';
import type { Track } from './motor.js';
import type { RecordStore, RecordStoreOptions } from './record-store.js';
import type { InterventionCommand, RunSpec, SimulationRun } from './run.js';
import type { SimulationSource } from './simulation.js';
import type { Position, Timeline } from './timeline.js';

/** Branches that there may be, and those whose runs and records are kept at hand; the others are run again when asked for. */
const MOST_BRANCHES = 200;
const AT_HAND = 4;

/** Where to go. */
export type Place = { readonly seq: Seq } | { readonly step: number } | { readonly iteration: number };

/**
 * A run and the ways off it. It stands at a position; what comes after that in its branch is known, so going back and forth is a
 * matter of records, and only what nobody has seen yet is executed. Who changes something in the past makes a branch: the run is
 * executed anew up to there, with the same choices and interventions, and must give the same records.
 */
export class Travel implements Track {
  /** Records up to the position. Another object after each jump. */
  view: RecordStore;
  /** Decisions taken at the position. */
  step = 0;
  /** Told of each record that comes into view, with the state right after it. True: go no further. */
  watch: ((record: TraceRecord, state: NodeState) => boolean) | null = null;
  private asksNow = false;
  private branch: Branch;
  /** Last used last. */
  private readonly branches: Branch[] = [];
  private nextBranch = 1;
  private stopAt: Seq = 0;
  /** In the past: how far the clock has moved since the last record. */
  private clock: Micros = 0;
  /** The run at a position in the past, made for a look. */
  private ghost: Execution | null = null;

  /** Throws what the source throws for a scenario that it cannot start. */
  constructor(
    private readonly source: SimulationSource,
    spec: RunSpec,
    private readonly options: RecordStoreOptions,
  ) {
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
  get asking(): boolean {
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
  /** The run up to here, as it can be had again. */
  get spec(): RunSpec {
    return cut(this.branch.spec, this.position);
  }
  /** Selects with several ready cases are asked about where the run is new. */
  get asks(): boolean {
    return this.asksNow;
  }
  set asks(asks: boolean) {
    this.asksNow = asks;
    this.head.asks = asks;
  }

  // --- forward -------------------------------------------------------------------------------------------------------

  /** One step on. It may only have moved the clock. A deadlock or a panic throws, and nothing goes on after it. */
  next(): 'ran' | 'choice' | 'over' {
    if (!this.atHead) return this.reveal();
    this.stopAt = 0;
    try {
      return this.execution.step();
    } finally {
      this.step = this.kernel.steps;
      this.hold();
    }
  }

  /** Where the watch said so within a decision: what that did afterwards is known, but not seen yet. */
  private hold(): void {
    const { timeline, stopAt } = this;
    this.stopAt = 0;
    if (stopAt > 0 && stopAt < timeline.last) this.stand({ seq: stopAt, step: timeline.stepOf(stopAt) });
  }

  private reveal(): 'ran' {
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

  private saw(branch: Branch, execution: Execution, record: TraceRecord): void {
    if (branch !== this.branch || execution !== branch.execution || this.stopAt > 0) return;
    if (this.watch?.(record, execution.timeline.store.state)) this.stopAt = record.seq;
  }

  // --- anywhere ------------------------------------------------------------------------------------------------------

  /**
   * Goes to a place that this branch has been at: right after a record, a decision, or the select that began an iteration.
   * Throws where the run cannot be repeated.
   */
  goTo(to: Place): void {
    const { timeline } = this;
    const seq = 'iteration' in to ? timeline.seqOfIteration(to.iteration) : 'seq' in to ? to.seq : undefined;
    const { first } = timeline.store;
    const step = 'step' in to ? to.step : timeline.stepOf(seq ?? 0);
    if (first > 1 && (seq === undefined ? step < timeline.stepOf(first) : seq < first - 1)) {
      // No longer held.
      this.runAgain({ step: 'step' in to ? step : 0, seq: seq ?? 0 });
      this.stand(seq === undefined ? this.execution.position : { seq, step: this.timeline.stepOf(seq) });
    } else this.stand({ step, seq: seq ?? timeline.seqAfter(step) });
  }
  /** Executes up to a position of which the records are not known yet. */
  runTo(position: Position): void {
    this.execution.repeat(position);
    this.stand(position);
  }

  private stand({ seq, step }: Position): void {
    const { store } = this.timeline;
    const { steps } = this.kernel;
    this.view = seq < store.last || step < steps ? store.until(seq) : store;
    this.step = Math.min(step, steps);
    this.ghost = null;
    this.clock = 0;
    this.joinHead();
  }
  /** The last moment of what is known at which the clock stood at `time`, or before. */
  goToTime(time: Micros): void {
    this.goTo({ seq: this.timeline.seqAt(time) });
    this.clock = time;
  }

  /** Its records there are no longer held, or nothing of it is. */
  private runAgain(to: Position): void {
    const { branch } = this;
    branch.note();
    const execution = new Execution(this.source, branch.spec, this.options);
    execution.repeat(to);
    this.adopt(branch, execution);
  }

  private adopt(branch: Branch, execution: Execution): void {
    branch.execution = execution;
    execution.run.asks = this.asksNow;
    execution.onRecord = (record) => this.saw(branch, execution, record);
  }

  /** The run as it is right here, to look at. It may be one that was made for that: do not change it. */
  here(): SimulationRun {
    if (this.atHead) return this.head;
    this.ghost ??= this.repeatHere(this.position);
    return this.ghost.run;
  }

  private repeatHere(position: Position): Execution {
    const known = this.timeline.until(position.seq);
    const execution = new Execution(this.source, cut(this.branch.spec, position), this.options, known);
    execution.repeat(position);
    return execution;
  }

  /** It cannot go on: what was done from outside ended it. */
  halt(why: string): void {
    this.execution.halted = why;
  }

  // --- branches ------------------------------------------------------------------------------------------------------

  private addBranch(name: string, parent: Branch | null, forkedAt: Position, execution: Execution): Branch {
    const branch = new Branch(this.nextBranch++, name, parent, forkedAt, execution);
    this.adopt(branch, execution);
    this.branches.push(branch);
    this.letGo();
    return branch;
  }

  private letGo(): void {
    const atHand = this.branches.filter((b) => b.execution);
    for (const b of atHand.slice(0, -AT_HAND)) if (b !== this.branch) b.execution = null;
  }

  /** Makes the position the head of a branch of its own. Throws where the run cannot be repeated; then all is as it was. */
  fork(name?: string): void {
    if (this.branches.length >= MOST_BRANCHES)
      throw new Error(`there are ${MOST_BRANCHES} branches already: drop one that is not needed`);
    const { position } = this;
    const execution = this.ghost ?? this.repeatHere(position);
    this.ghost = null;
    this.branch.note();
    this.branch = this.addBranch(name ?? `branch ${this.nextBranch}`, this.branch, position, execution);
    this.stand(execution.position);
  }

  /** What is about to be done changes what comes: where something else is known to come, it is another branch. */
  private forkIfKnown(name: string): void {
    // The rest of the decision where it stands is done in any case.
    if (!this.atHead && this.step >= this.kernel.steps) this.stand(this.execution.position);
    this.branch.note();
    if (!this.atHead || this.branch.end.step > this.step) this.fork(name);
  }

  /** Does something from outside, here. Throws an Error with the reason where it cannot be done. */
  intervene(command: InterventionCommand, name: string): void {
    this.forkIfKnown(name);
    try {
      this.head.intervene(command);
    } finally {
      this.step = this.kernel.steps;
      this.stopAt = 0;
    }
  }

  /** Answers the choice that is pending. */
  choose(index: number): void {
    this.stopAt = 0;
    this.head.choose(index);
    this.step = this.kernel.steps;
    this.hold();
  }

  /** Takes another way at the decision that comes next. */
  deviate(deviation: Omit<Deviation, 'decision'>, name: string): void {
    this.forkIfKnown(name);
    this.head.deviate({ decision: this.step + 1, ...deviation });
  }

  list(): BranchInfo[] {
    return [...this.branches].sort((a, b) => a.id - b.id).map((b) => b.describe(this.branch));
  }
  private find(id: number): Branch {
    const found = this.branches.find((b) => b.id === id);
    if (found) return found;
    throw new Error(
      `there is no branch ${id}; there are: ${this.list()
        .map((b) => `${b.id} (${b.name})`)
        .join(', ')}`,
    );
  }
  rename(id: number, name: string): void {
    this.find(id).name = name;
  }
  /** Forgets a branch. Those that left it stay. */
  drop(id: number): void {
    const branch = this.find(id);
    if (branch === this.branch) throw new Error(`branch ${id} is the one it stands in: switch to another first`);
    this.branches.splice(this.branches.indexOf(branch), 1);
  }

  /** Up to where two branches are the same run: from there on they may differ. */
  parting(one: number, other: number): Position {
    return parting(this.find(one), this.find(other));
  }

  /** Goes over to another branch, to its end or to a position in it. */
  switchTo(id: number, position?: Position): void {
    const branch = this.find(id);
    const { end } = branch;
    const before = this.branch;
    this.branch.note();
    this.branch = branch;
    try {
      if (!branch.execution) this.runAgain(branch.end);
    } catch (error) {
      this.branch = before;
      throw error;
    }
    this.branches.splice(this.branches.indexOf(branch), 1);
    this.branches.push(branch);
    this.letGo();
    this.stand(position ?? end);
  }

  /** All records of a branch, up to its end; it is run again where that is needed. */
  recordsOf(id: number): Timeline {
    const branch = this.find(id);
    if (!branch.execution) {
      const execution = new Execution(this.source, branch.spec, this.options);
      execution.repeat(branch.end);
      return execution.timeline;
    }
    return branch.execution.timeline;
  }
}
