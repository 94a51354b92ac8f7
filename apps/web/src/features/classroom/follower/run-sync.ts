import { messageOf } from '@syncloop/core/base';
import type { ClassRun, ClassView } from '@syncloop/core/classroom';
import type { Command, ResultOf, RunSpec } from '@syncloop/core/debug';
import { type FollowerRun, type Move, nextMove, spanOf, type Target } from './next-move.js';

/** The page as a RunSync uses it. */
export interface RunSyncDeps {
  /** Sends a command to the follower's own session. */
  command<const C extends Command>(command: C): Promise<ResultOf<C>>;
  /** The session's clock, Micros, as of its last answer. */
  time(): number;
  /** Reads the run in a link's text. Rejects with its problem. */
  decode(moment: string): Promise<RunSpec>;
  now(): number;
  /** Calls later; returns a function that cancels the call. */
  after(millis: number, then: () => void): () => void;
  /** Why the presenter's moment cannot be reached; '' once it can. */
  onProblem(why: string): void;
}

/**
 * The problem that the run goes another way here: this page computes it differently from the presenter's session.
 */
export const DIFFERS = 'differs';

/** Moves to and fro before the run is loaded again, which always gets there. */
const PATIENCE = 4;

/** Keeps a session at the presenter's position, one command at a time. */
export class RunSync {
  private target: (Target & { readonly moment: string }) | null = null;
  /** The run that was decoded last, or is being. */
  private decoded: { readonly moment: string; readonly spec: Promise<RunSpec> } | null = null;
  private aims = 0;
  private lastView = 0;
  private on = false;
  private busy = false;
  private timer: (() => void) | null = null;
  /** The moment whose run the session has, also beyond its position. */
  private known = '';
  private here = 0;
  private moves = 0;

  constructor(private readonly deps: RunSyncDeps) {}

  /** Another view, or another run. */
  async aim(run: ClassRun, view: ClassView): Promise<void> {
    const { moment } = run;
    const aim = ++this.aims;
    if (this.decoded?.moment !== moment) this.decoded = { moment, spec: this.deps.decode(moment) };
    let spec: RunSpec;
    try {
      spec = await this.decoded.spec;
    } catch (error) {
      if (aim !== this.aims) return;
      this.target = null;
      this.decoded = null;
      this.deps.onProblem(messageOf(error));
      return;
    }
    // A newer one came while this was unpacked.
    if (aim !== this.aims) return;
    const now = this.deps.now();
    this.target = { moment, spec, view, since: now, from: this.here, span: spanOf(now - this.lastView) };
    this.lastView = now;
    this.moves = 0;
    this.wake();
  }

  start(): void {
    if (this.on) return;
    this.on = true;
    this.moves = 0;
    this.wake();
  }

  /** Leaves the session alone. Its state is examined again afterwards. */
  stop(): void {
    this.on = false;
    this.known = '';
    this.timer?.();
    this.timer = null;
  }

  private wake(): void {
    this.timer?.();
    this.timer = null;
    if (!this.busy && this.on && this.target) void this.turn();
  }

  private async turn(): Promise<void> {
    this.busy = true;
    try {
      while (this.on && this.target) {
        const looked = await this.look();
        const { target } = this;
        if (!this.on || !target) break;
        const own: FollowerRun = { ...looked, known: this.known === target.moment };
        this.here = own.at.step;
        let move = nextMove(own, target, this.deps.now());
        if (move === null) {
          this.deps.onProblem('');
          break;
        }
        if (move.do === 'wait') {
          const { millis } = move;
          this.timer = this.deps.after(millis, () => {
            this.timer = null;
            this.wake();
          });
          break;
        }
        // Continuing is harmless, however often; everything else should lead there soon.
        const trouble = move.do !== 'step' || move.step < own.at.step;
        if (trouble && ++this.moves > PATIENCE) {
          if (this.moves > PATIENCE + 1) {
            // Even a new load did not lead to the presenter's moment. While the presenter runs, the next view comes
            // soon.
            if (!target.view.running) this.deps.onProblem(DIFFERS);
            break;
          }
          const { step, seq } = target.view;
          move = { do: 'load', spec: target.spec, to: { step, seq } };
        }
        await this.make(move, target.moment);
      }
    } catch (error) {
      if (this.on) this.deps.onProblem(messageOf(error));
    } finally {
      this.busy = false;
    }
  }

  private async look(): Promise<Omit<FollowerRun, 'known'>> {
    const { to, clock: _, ...spec } = await this.deps.command({ do: 'spec' });
    return { spec, at: to, time: this.deps.time() };
  }

  private async make(move: Exclude<Move, { do: 'wait' }>, moment: string): Promise<void> {
    const { command } = this.deps;
    switch (move.do) {
      case 'load': {
        await command({ ...move.spec, do: 'load', to: move.to });
        // If it was stopped meanwhile, others may have moved it.
        if (this.on) this.known = moment;
        return;
      }
      case 'act':
        await command(move.command);
        return;
      case 'step':
        await command({ do: 'go', to: { step: move.step } });
        return;
      case 'seq':
        await command({ do: 'go', to: { seq: move.seq } });
        return;
    }
  }
}
