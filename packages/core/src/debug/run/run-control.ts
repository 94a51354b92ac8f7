import { messageOf } from '../../base/index.js';
import {
  type Decisions,
  importanceOf,
  type Json,
  type Micros,
  type Millis,
  type NodeState,
  type TraceRecord,
} from '../../trace/index.js';
import type { RecordStore } from '../base/record-store.js';
import type { Work } from '../base/work.js';
import type { Hit } from '../breakpoints/index.js';
import type { CommandResult } from '../protocol/backend.js';
import type { Speed } from '../protocol/commands.js';
import type { GoalEnd } from '../protocol/protocol.js';
import { depthOf, type StepTest } from './stepping.js';

/**
 * Steps between two looks at the budget. One step may take 20 ms (a program that sorts a long text, 110 pods at once),
 * so few of them: a look takes a thousandth of the usual 30 microseconds of a step.
 */
const SLICE = 4;
/** Most steps of a step command at once; longer ones go on in `pump`. */
const AT_ONCE = 1024;
/** A host that slept (a hidden tab, a suspended machine) does not make the simulation jump. */
const LONGEST_ELAPSED = 250;
/**
 * At the speed `follow` each decision is shown for at least this many ms, by the highest importance among the records
 * that it made: sentences can be read, and repetitions pass quickly.
 */
const READING: readonly Millis[] = [0, 40, 250, 2500, 3000];
/** While it runs the clock moves at least this often, ms. */
const FRAME = 16;

/** The position at which a command ends. */
export type Goal = GoalPlace & {
  /** It also ends when the clock reaches this time. */
  readonly until?: Micros;
  /** At the speed of the session, not at once. */
  readonly paced?: boolean;
  /** Returns the command's result. */
  readonly answer?: (ended: GoalEnd) => Json;
};
type GoalPlace =
  | { readonly by: 'decision'; left: number }
  /** `g`: the goroutine whose call depth is passed to the test. */
  | { readonly by: 'record'; readonly g: number; readonly test: StepTest; left: number }
  | { readonly by: 'place'; readonly reached: () => boolean };

/** A run that run control moves: one that is executed, or one that is played. */
export interface Track {
  /** Records up to the current position. */
  readonly view: RecordStore;
  readonly step: Decisions;
  readonly now: Micros;
  /** The reason why it cannot go on from here, '' if it can. */
  readonly stopped: string;
  /** It waits for a choice of the user. */
  readonly awaitsChoice: boolean;
  /** Called for each record that comes into view, with the state right after it. Returns true to stop there. */
  watch: ((record: TraceRecord, state: NodeState) => boolean) | null;
  /**
   * Takes one step. It may only have moved the clock. The error that ends it is in `stopped`, and may be thrown as
   * well.
   */
  next(): 'ran' | 'choice' | 'over';
  /** Moves the clock to `until` and returns true if nothing more happens before that time. */
  rest(until: Micros): boolean;
}

/** Breakpoints, as far as running is concerned. */
export interface BreakpointCheck {
  check(record: TraceRecord, state: NodeState): readonly Hit[];
}

/**
 * Moves a track: at a speed, or towards the goal of a step command. It has no timers: its host gives it the real time
 * that went by.
 */
export class RunControl<T extends Track> {
  running: boolean;
  speed: Speed;
  /** Breakpoints that it is at. */
  hits: Hit[] = [];
  /** The lines that logpoints wrote since this was last emptied. */
  written: Hit[] = [];
  private goal: (Goal & { readonly reply: (result: CommandResult) => void }) | null = null;
  /** In time mode: how far the simulated clock should be. In steps mode: decisions that are due. */
  private target = 0;
  private credit = 0;
  /** In follow mode: how telling the records since the last step are, and how much longer they are to stand. */
  private telling = 0;
  private reading: Millis = 0;
  private goalReached = false;
  /** The goal's time is up. */
  private late = false;
  private current: T;

  constructor(
    track: T,
    private readonly watching: BreakpointCheck,
    private readonly options: {
      readonly running: boolean;
      readonly speed: Speed;
      /** See WorkingBackend. */
      readonly beginSlice?: () => (() => boolean) | undefined;
    },
  ) {
    this.running = options.running;
    this.speed = options.speed;
    this.current = track;
    this.use(track);
  }

  get track(): T {
    return this.current;
  }
  /** Moves this one from now on. */
  use(track: T): void {
    this.current = track;
    track.watch = (record, state) => this.watch(record, state);
    this.afterJump();
  }
  /** Forgets the hits after a jump. */
  afterJump(): void {
    this.hits = [];
    this.restartPace();
  }

  /** Goes elsewhere: what goes on is over then. If that throws, all goes on as before. */
  *jump(go: () => Work): Work {
    const { goal, running, hits, written } = this;
    this.goal = null;
    this.running = false;
    this.hits = [];
    this.written = [];
    try {
      yield* go();
    } catch (error) {
      Object.assign(this, { goal, running, hits, written });
      throw error;
    }
    this.written.unshift(...written);
    this.restartPace();
    if (goal) answer(goal, 'paused');
  }

  /** True while it goes towards a goal as fast as it can. */
  get runsToGoal(): boolean {
    return this.goal !== null && !this.goal.paced;
  }

  pause(): void {
    this.running = false;
    this.finishGoal();
  }
  resume(): void {
    this.finishGoal();
    this.hits = [];
    this.running = true;
    this.restartPace();
  }
  setSpeed(speed: Speed): void {
    this.speed = speed;
    this.restartPace();
  }
  private restartPace(): void {
    this.target = this.track.now;
    this.credit = 0;
    this.reading = 0;
  }
  /** Goes until the goal is reached, or something is in the way; longer ways go on in `pump`. */
  runTo(goal: Goal, reply: (result: CommandResult) => void): void {
    this.pause();
    this.hits = [];
    this.goalReached = false;
    this.late = false;
    this.goal = { ...goal, reply };
    if (goal.by === 'place' && goal.reached()) this.finishGoal('met');
    else if (goal.paced) {
      this.running = true;
      this.restartPace();
    } else {
      const expired = this.options.beginSlice?.();
      for (let n = 0; this.goal && n < AT_ONCE && !expired?.(); n += SLICE) this.stepTowardsGoal(SLICE);
    }
  }

  /**
   * Advances by what `elapsedMillis` of real time are worth at the current speed, until `expired` says that the host
   * needs its thread back. Returns in how many ms to call again: 0 when there is more to do right now, null when
   * nothing will happen before the next command.
   */
  pump(elapsedMillis: Millis, expired: () => boolean): Millis | null {
    if (this.goal && !this.goal.paced) return this.pumpGoal(expired);
    if (!this.running) return null;
    // An intervention may have met the goal.
    if (this.endGoalIfOver()) return null;
    const again = this.pumpSpeed(Math.min(Math.max(elapsedMillis, 0), LONGEST_ELAPSED), expired);
    return this.endGoalIfOver() ? null : again;
  }

  /** Ends the goal in progress, if it is over, and reports that; returns true if it was over. */
  private endGoalIfOver(): boolean {
    const ended = this.goal && this.goalEnd();
    if (!ended) return false;
    this.running = false;
    this.finishGoal(ended);
    return true;
  }

  /** The reason why a goal ends, null while it does not. */
  private goalEnd(): GoalEnd | null {
    const { track } = this;
    if (this.goalReached) return 'met';
    if (this.hits.length > 0) return 'breakpoint';
    if (track.stopped !== '') return 'end';
    if (track.awaitsChoice) return 'choice';
    return this.late ? 'time' : null;
  }

  private pumpGoal(expired: () => boolean): Millis | null {
    while (this.goal) {
      this.stepTowardsGoal(SLICE);
      if (this.goal && expired()) return 0;
    }
    return this.running ? 0 : null;
  }

  private pumpSpeed(elapsed: number, expired: () => boolean): Millis | null {
    const { speed } = this;
    if (speed.mode === 'max') {
      while (this.canRun()) {
        this.advance(SLICE, Number.POSITIVE_INFINITY);
        if (expired()) return this.canRun() ? 0 : null;
      }
      return null;
    }
    if (speed.mode === 'steps') {
      this.credit += (elapsed * speed.perSecond) / 1000;
      while (this.credit >= 1 && this.canRun()) {
        const n = Math.min(SLICE, Math.floor(this.credit));
        this.advance(n, Number.POSITIVE_INFINITY);
        this.credit -= n;
        if (expired()) {
          // Decisions that could not be made in time are dropped.
          this.credit = Math.min(this.credit, 1);
          break;
        }
      }
      return this.canRun() ? Math.max(0, Math.ceil(((1 - this.credit) * 1000) / speed.perSecond)) : null;
    }
    if (speed.mode === 'follow') return this.pumpFollowing(elapsed, expired);
    this.target += elapsed * speed.factor * 1000;
    while (this.canRun() && this.track.now < this.target) {
      if (this.advance(SLICE, Math.floor(this.target))) break;
      if (expired()) {
        this.target = this.track.now;
        return this.canRun() ? 0 : null;
      }
    }
    return this.canRun() ? FRAME : null;
  }

  /** Goes on in real time, but no further than the next decision before the last one has been read. */
  private pumpFollowing(elapsed: number, expired: () => boolean): Millis | null {
    this.target = Math.max(this.target, this.track.now) + elapsed * 1000;
    this.reading = Math.max(0, this.reading - elapsed);
    // The clock goes on as long as nothing is due.
    if (this.reading > 0)
      this.track.rest(Math.min(Math.floor(this.target), this.goal?.until ?? Number.POSITIVE_INFINITY));
    while (this.reading === 0 && this.canRun()) {
      this.telling = 0;
      if (this.advance(1, Math.floor(this.target))) break;
      this.reading = READING[this.telling] ?? 0;
      // The time for which it stood is not made up for.
      if (this.reading > 0) this.target = this.track.now;
      if (expired()) break;
    }
    return this.canRun() ? FRAME : null;
  }

  private canRun(): boolean {
    return this.running && this.track.stopped === '' && !this.track.awaitsChoice;
  }

  /** Takes up to `n` decisions, none that would move the clock past `until`. True when `until` is reached. */
  private advance(n: number, until: Micros): boolean {
    const { track } = this;
    const last = track.step + n;
    while (track.step < last) {
      const due = this.goal?.until ?? Number.POSITIVE_INFINITY;
      if (track.rest(Math.min(until, due))) {
        if (due <= until) this.endByTime();
        return true;
      }
      if (!this.step()) return false;
    }
    return false;
  }

  /**
   * Takes one step, which may only have moved the clock. Returns false when it stands: a choice, a breakpoint, an end,
   * a panic, the goal.
   */
  private step(): boolean {
    const { track } = this;
    this.goalReached = false;
    try {
      if (track.next() === 'choice') return false;
    } catch (error) {
      if (track.stopped === '') throw new Error(`the simulation itself failed: ${messageOf(error)}`, { cause: error });
    }
    if (this.hits.length > 0 || track.stopped !== '' || this.goalReached) {
      this.running = false;
      return false;
    }
    return true;
  }
  private endByTime(): void {
    this.late = true;
    this.running = false;
  }

  /** Takes up to `steps` steps towards the goal of the step command in progress. */
  private stepTowardsGoal(steps: number): void {
    const { track, goal } = this;
    if (!goal) return;
    for (let i = 0; i < steps; i++) {
      if (goal.until !== undefined && track.rest(goal.until)) {
        this.finishGoal('time');
        return;
      }
      const { step } = track;
      // A choice, a breakpoint or the end are in the way: this is as far as it goes.
      const stands = !this.step();
      if (goal.by === 'decision') goal.left -= track.step - step;
      if (stands || (goal.by === 'place' ? goal.reached() : goal.left <= 0)) {
        this.finishGoal(this.goalEnd() ?? 'met');
        return;
      }
    }
  }

  private finishGoal(ended: GoalEnd = 'paused'): void {
    const { goal } = this;
    this.goal = null;
    if (goal) answer(goal, ended);
  }

  /** True if it stops: right after this record. */
  private watch(record: TraceRecord, state: NodeState): boolean {
    const { goal } = this;
    this.telling = Math.max(this.telling, importanceOf(record));
    for (const hit of this.watching.check(record, state)) (hit.pause ? this.hits : this.written).push(hit);
    if (goal?.by === 'record' && goal.test(record, depthOf(state, goal.g), state)) this.goalReached = --goal.left <= 0;
    return this.goalReached || this.hits.length > 0;
  }
}

function answer(goal: Goal & { readonly reply: (result: CommandResult) => void }, ended: GoalEnd): void {
  goal.reply(goal.answer ? { ok: true, value: goal.answer(ended) } : { ok: true });
}
