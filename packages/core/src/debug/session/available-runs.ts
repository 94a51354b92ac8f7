import { Stopped, type Work } from '../base/work.js';
import type { Position } from '../protocol/commands.js';
import type { RunSpec } from '../protocol/run-spec.js';
import { cut, Execution } from '../run/execution.js';
import { isBefore } from '../run/position.js';
import type { SimulationSource } from '../run/simulation.js';
import type { Timeline } from '../run/timeline.js';
import { sameSoFar, type TrailingOptions, TrailingRuns } from '../run/trailing-runs.js';
import type { Branch } from './branches.js';

/** A position of a branch with these records. */
export interface RunPlace {
  readonly branch: Branch;
  readonly timeline: Timeline;
  readonly position: Position;
}

/** A run that is executed to a position of a branch, for a look there or for a branch of its own. */
interface Look {
  readonly execution: Execution;
  readonly branch: Branch;
  readonly to: Position;
}

/**
 * Runs at moments of the past. Each is executed again, from the furthest place at which a run is available: one that
 * was looked at, one that trails behind, else the beginning.
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

  /** True if the run there need not be executed. */
  has(place: RunPlace): boolean {
    const { look } = this;
    return look !== null && leadsTo(look, place) && !isBefore(look.execution.position, look.to);
  }

  /**
   * Executes the run up to there. If this is stopped, or asked for elsewhere meanwhile, the part that was executed so
   * far stays for later use.
   */
  *at(place: RunPlace): Work<Execution> {
    const { branch, timeline, position } = place;
    if (!this.look || !leadsTo(this.look, place)) {
      const known = yield* timeline.copying(position.seq);
      this.look = { execution: this.goingOn({ branch, timeline, position }, known), branch, to: position };
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
  /** Returns the run that leads to a place: the look, if it leads there, or the nearest one. */
  private goingOn({ branch, timeline, position }: RunPlace, known: Timeline): Execution {
    const { look } = this;
    // The run of the last look becomes one of those that trail.
    if (look?.branch === branch && sameSoFar(look.execution, branch.spec)) this.trailing.give(look.execution, timeline);
    return this.nearest(cut(branch.spec, position), position, known);
  }
  /** Executes a run `spec` up to `to`; up to `same` it has these records. */
  *from(spec: RunSpec, timeline: Timeline, same: Position, to: Position): Work<Execution> {
    const execution = this.nearest(spec, same, yield* timeline.copying(same.seq));
    yield* execution.repeat(to);
    return execution;
  }
  private nearest(spec: RunSpec, to: Position, known: Timeline): Execution {
    const execution = this.trailing.take(spec, to);
    if (!execution) return new Execution(this.source, spec, this.options, known);
    execution.endAt(known);
    return execution;
  }

  /**
   * Lets runs follow behind, so that acting in the near past need not execute all of the run again. To be called while
   * nothing else is to be done. True while there is more to do.
   */
  trail({ branch, timeline, position }: RunPlace, expired: () => boolean): boolean {
    return this.trailing.trail(branch.spec, position, timeline, expired);
  }
  /** Forgets the last look: its run is a branch of its own now, or of one that is removed. */
  forget(): void {
    this.look = null;
  }
}

const leadsTo = ({ branch: of, to }: Look, { branch, position: { step, seq } }: RunPlace): boolean =>
  of === branch && to.seq === seq && to.step === step;
