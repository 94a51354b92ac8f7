import { messageOf } from '../../kernel/index.js';
import type { Json, Micros, NodeState, TraceRecord } from '../../trace/index.js';
import type { RecordStore } from '../base/record-store.js';
import type { Work } from '../base/work.js';
import type { Hit } from '../breakpoints/index.js';
import type { CommandResult } from '../protocol/backend.js';
import type { Speed } from '../protocol/commands.js';
import type { GoalEnd } from '../protocol/protocol.js';
import { depthOf, type StepTest } from './stepping.js';

/**
 * Steps between two looks at the budget. One step may take 20 ms (a program that sorts a long text, 110 pods at once), so few
 * of them: a look takes a thousandth of the usual 30 microseconds of a step.
 */
const SLICE = 4;
/** Most steps of a step command at once; longer ones go on in `pump`. */
const AT_ONCE = 1024;
/** A host that slept (a hidden tab, a suspended machine) does not make the simulation jump. */
const LONGEST_ELAPSED = 250;
/** While it runs the clock moves at least this often, ms. */
const FRAME = 16;

/** Where a command is to end. */
export type Goal = GoalPlace & {
  /** It ends when the clock stands here, too. */
  readonly until?: Micros;
  /** At the speed of the session, not at once. */
  readonly paced?: boolean;
  /** The command's result. */
  readonly answer?: (ended: GoalEnd) => Json;
};
type GoalPlace =
  | { readonly by: 'decision'; left: number }
  /** `g`: goroutine whose depth the test is told. */
  | { readonly by: 'record'; readonly g: number; readonly test: StepTest; left: number }
  | { readonly by: 'place'; readonly reached: () => boolean };

/** What a motor moves: a run that is executed, or one that is played. */
export interface Track {
  /** Records up to where it stands. */
  readonly view: RecordStore;
  readonly step: number;
  readonly now: Micros;
  /** Why it cannot go on from here, '' when it can. */
  readonly stopped: string;
  /** It waits for somebody's choice. */
  readonly asking: boolean;
  /** Told of each record that comes into view, with the state right after it. True: go no further. */
  watch: ((record: TraceRecord, state: NodeState) => boolean) | null;
  /** One step on. It may only have moved the clock. What ends it is in `stopped`, and may throw as well. */
  next(): 'ran' | 'choice' | 'over';
  /** True where nothing more happens before `until`: then the clock stands there. */
  rest(until: Micros): boolean;
}

/** Breakpoints, as far as running is concerned. */
export interface Watching {
  check(record: TraceRecord, state: NodeState): readonly Hit[];
}

/** Moves a track: at a speed, or towards the goal of a step command. It has no timers: its host gives it the real time that went by. */
export class Motor<T extends Track> {
  running: boolean;
  speed: Speed;
  /** Breakpoints that it stands at. */
  hits: Hit[] = [];
  /** What logpoints wrote since this was last emptied. */
  written: Hit[] = [];
  private goal: (Goal & { readonly reply: (result: CommandResult) => void }) | null = null;
  /** In time mode: how far the simulated clock should be. In steps mode: decisions that are due. */
  private target = 0;
  private credit = 0;
  private goalMet = false;
  /** The goal's time is up. */
  private late = false;
  private current: T;

  constructor(
    track: T,
    private readonly watching: Watching,
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
    this.standAnew();
  }
  /** After a jump. */
  standAnew(): void {
    this.hits = [];
    this.standHere();
  }

  /** Goes elsewhere: what goes on is over then. Where that throws all goes on as before. */
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
    this.standHere();
    if (goal) answer(goal, 'paused');
  }

  /** Whether it goes towards a goal as fast as it can. */
  get striving(): boolean {
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
    this.standHere();
  }
  setSpeed(speed: Speed): void {
    this.speed = speed;
    this.standHere();
  }
  private standHere(): void {
    this.target = this.track.now;
    this.credit = 0;
  }
  /** Goes until the goal is reached, or something stands in the way; what takes longer goes on in `pump`. */
  strive(goal: Goal, reply: (result: CommandResult) => void): void {
    this.pause();
    this.hits = [];
    this.goalMet = false;
    this.late = false;
    this.goal = { ...goal, reply };
    if (goal.by === 'place' && goal.reached()) this.finishGoal('met');
    else if (goal.paced) {
      this.running = true;
      this.standHere();
    } else {
      const expired = this.options.beginSlice?.();
      for (let n = 0; this.goal && n < AT_ONCE && !expired?.(); n += SLICE) this.towardsGoal(SLICE);
    }
  }

  /**
   * Advances by what `elapsedMillis` of real time are worth at the current speed, until `expired` says that the host needs its
   * thread back. Returns in how many ms to call again: 0 when there is more to do right now, null when nothing will happen before
   * the next command.
   */
  pump(elapsedMillis: number, expired: () => boolean): number | null {
    if (this.goal && !this.goal.paced) return this.pumpGoal(expired);
    if (!this.running) return null;
    // What was done from outside may have met it.
    if (this.settled()) return null;
    const again = this.pumpSpeed(Math.min(Math.max(elapsedMillis, 0), LONGEST_ELAPSED), expired);
    return this.settled() ? null : again;
  }

  /** Whether the goal in progress is over, which is told then. */
  private settled(): boolean {
    const ended = this.goal && this.inTheWay();
    if (!ended) return false;
    this.running = false;
    this.finishGoal(ended);
    return true;
  }

  /** Why a goal is not pursued any further, null while it is. */
  private inTheWay(): GoalEnd | null {
    const { track } = this;
    if (this.goalMet) return 'met';
    if (this.hits.length > 0) return 'breakpoint';
    if (track.stopped !== '') return 'end';
    if (track.asking) return 'choice';
    return this.late ? 'time' : null;
  }

  private pumpGoal(expired: () => boolean): number | null {
    while (this.goal) {
      this.towardsGoal(SLICE);
      if (this.goal && expired()) return 0;
    }
    return this.running ? 0 : null;
  }

  private pumpSpeed(elapsed: number, expired: () => boolean): number | null {
    const { speed } = this;
    if (speed.mode === 'max') {
      while (this.canGo()) {
        this.advance(SLICE, Number.POSITIVE_INFINITY);
        if (expired()) return this.canGo() ? 0 : null;
      }
      return null;
    }
    if (speed.mode === 'steps') {
      this.credit += (elapsed * speed.perSecond) / 1000;
      while (this.credit >= 1 && this.canGo()) {
        const n = Math.min(SLICE, Math.floor(this.credit));
        this.advance(n, Number.POSITIVE_INFINITY);
        this.credit -= n;
        if (expired()) {
          // What could not be done in time is not owed.
          this.credit = Math.min(this.credit, 1);
          break;
        }
      }
      return this.canGo() ? Math.max(0, Math.ceil(((1 - this.credit) * 1000) / speed.perSecond)) : null;
    }
    this.target += elapsed * speed.factor * 1000;
    while (this.canGo() && this.track.now < this.target) {
      if (this.advance(SLICE, Math.floor(this.target))) break;
      if (expired()) {
        this.target = this.track.now;
        return this.canGo() ? 0 : null;
      }
    }
    return this.canGo() ? FRAME : null;
  }

  private canGo(): boolean {
    return this.running && this.track.stopped === '' && !this.track.asking;
  }

  /** Takes up to `n` decisions, none that would move the clock past `until`. True when `until` is reached. */
  private advance(n: number, until: Micros): boolean {
    const { track } = this;
    const last = track.step + n;
    while (track.step < last) {
      const due = this.goal?.until ?? Number.POSITIVE_INFINITY;
      if (track.rest(Math.min(until, due))) {
        if (due <= until) this.expire();
        return true;
      }
      if (!this.step()) return false;
    }
    return false;
  }

  /** One step; it may only have moved the clock. False when it stands: a choice, a breakpoint, an end, a panic, the goal. */
  private step(): boolean {
    const { track } = this;
    this.goalMet = false;
    try {
      if (track.next() === 'choice') return false;
    } catch (error) {
      if (track.stopped === '') throw new Error(`the simulation itself failed: ${messageOf(error)}`, { cause: error });
    }
    if (this.hits.length > 0 || track.stopped !== '' || this.goalMet) {
      this.running = false;
      return false;
    }
    return true;
  }
  private expire(): void {
    this.late = true;
    this.running = false;
  }

  /** Up to `steps` steps towards the goal of the step command in progress. */
  private towardsGoal(steps: number): void {
    const { track, goal } = this;
    if (!goal) return;
    for (let i = 0; i < steps; i++) {
      if (goal.until !== undefined && track.rest(goal.until)) {
        this.finishGoal('time');
        return;
      }
      const { step } = track;
      // A choice, a breakpoint or the end stand in the way: this is as far as it goes.
      const stands = !this.step();
      if (goal.by === 'decision') goal.left -= track.step - step;
      if (stands || (goal.by === 'place' ? goal.reached() : goal.left <= 0)) {
        this.finishGoal(this.inTheWay() ?? 'met');
        return;
      }
    }
  }

  private finishGoal(ended: GoalEnd = 'paused'): void {
    const { goal } = this;
    this.goal = null;
    if (goal) answer(goal, ended);
  }

  /** True where it stops: right after this record. */
  private watch(record: TraceRecord, state: NodeState): boolean {
    const { goal } = this;
    for (const hit of this.watching.check(record, state)) (hit.pause ? this.hits : this.written).push(hit);
    if (goal?.by === 'record' && goal.test(record, depthOf(state, goal.g), state)) this.goalMet = --goal.left <= 0;
    return this.goalMet || this.hits.length > 0;
  }
}

function answer(goal: Goal & { readonly reply: (result: CommandResult) => void }, ended: GoalEnd): void {
  goal.reply(goal.answer ? { ok: true, value: goal.answer(ended) } : { ok: true });
}
