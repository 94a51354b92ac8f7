import { Stopped, type Work } from '../base/work.js';
import type { Position } from '../protocol/commands.js';
import type { RunSpec } from '../protocol/run-spec.js';
import { cut, Execution } from '../run/execution.js';
import type { SimulationSource } from '../run/simulation.js';
import type { Timeline } from '../run/timeline.js';
import { sameSoFar, type TrailingOptions, TrailingRuns } from '../run/trailing-runs.js';
import { type Branch, isBefore } from './branches.js';

/** A run that is executed to a position of a branch, for a look there or for a branch of its own. */
interface Look {
  readonly execution: Execution;
  readonly branch: Branch;
  readonly to: Position;
}

/**
 * Runs at moments of the past. Each is executed again, from the furthest place at which a run is at hand: one that was
 * looked at, one that trails behind, else the beginning.
 */
export class AvailableRuns {
  /** The run at a position in the past, or on its way there. */
  private look: Look | null = null;
  private readonly trailing: TrailingRuns;

  constructor(
    private readonly source: SimulationSource,
    private readonly options: TrailingOptions,
  ) {
    this.trailing = new TrailingRuns(source, options);
  }

  /** Whether the run at a position of a branch is there, and need not be executed. */
  has(branch: Branch, at: Position): boolean {
    const { look } = this;
    return look !== null && leadsTo(look, branch, at) && !isBefore(look.execution.position, look.to);
  }

  /**
   * The run at a position of a branch with these records. Where this is stopped, or asked for elsewhere meanwhile, what
   * was executed so far stays, and is gone on with where it is of use.
   */
  *at(branch: Branch, timeline: Timeline, position: Position): Work<Execution> {
    if (!this.look || !leadsTo(this.look, branch, position)) {
      const spec = cut(branch.spec, position);
      const known = yield* timeline.copying(position.seq);
      this.look = { execution: this.goingOn(branch, timeline, spec, known, position), branch, to: position };
    }
    const { execution } = this.look;
    try {
      yield* execution.repeat(position);
    } catch (error) {
      if (!(error instanceof Stopped)) this.look = null;
      throw error;
    }
    return execution;
  }
  /** The run `spec` to go on with to a position of a branch: the look, as far as it leads there, or what is nearest. */
  private goingOn(branch: Branch, timeline: Timeline, spec: RunSpec, known: Timeline, to: Position): Execution {
    const { look } = this;
    // What was looked at last is one of those that trail from now on.
    if (look?.branch === branch && sameSoFar(look.execution, branch.spec)) this.trailing.give(look.execution, timeline);
    return this.nearest(spec, to, known);
  }
  /** A run `spec`, executed to `to`, that has the records `known`; up to `same` it is the run that trails behind. */
  *from(spec: RunSpec, known: Timeline, same: Position, to: Position): Work<Execution> {
    const execution = this.nearest(spec, same, known);
    yield* execution.repeat(to);
    return execution;
  }
  private nearest(spec: RunSpec, to: Position, known: Timeline): Execution {
    const execution = this.trailing.take(spec, to);
    if (!execution) return new Execution(this.source, spec, this.options, known);
    execution.endAt(known);
    return execution;
  }

  /** See TrailingRuns. */
  trail(branch: Branch, timeline: Timeline, at: Position, expired: () => boolean): boolean {
    return this.trailing.trail(branch.spec, at, timeline, expired);
  }
  /** The run that was looked at is a branch of its own, or of one that is no more. */
  forget(): void {
    this.look = null;
  }
}

const leadsTo = (look: Look, branch: Branch, { step, seq }: Position): boolean =>
  look.branch === branch && look.to.seq === seq && look.to.step === step;
