import type { Decisions } from '../../trace/index.js';
import type { RecordStoreOptions } from '../base/record-store.js';
import type { Position } from '../protocol/commands.js';
import type { RunSpec } from '../protocol/run-spec.js';
import { cut, Execution } from './execution.js';
import type { SimulationSource } from './simulation.js';
import type { Timeline } from './timeline.js';

export interface TrailingOptions extends RecordStoreOptions {
  /**
   * The distances at which runs are kept behind the moment where a session stands, in decisions, the nearest first. In
   * a run of less than twice the furthest there are none: it is executed again in no time. Default: 256 and 4096.
   */
  readonly behind?: readonly Decisions[];
}
/**
 * With 110 pods that is some 40 ms and some 600 ms of execution. The run further behind moves up where the nearer one
 * was taken.
 */
const BEHIND: readonly Decisions[] = [256, 4096];
/** Decisions that are executed before the host gets its thread back, at most. */
const SLICE = 32;

/**
 * Runs that follow a session at some distance, so that an intervention in the near past, or a look at what only a run
 * can show, need not wait until the run was executed again from its beginning. A kernel cannot be copied: each of these
 * runs costs the time of the run once more, which is spent while the session is idle, and some 10 MiB with 110 pods.
 */
export class TrailingRuns {
  private runs: Execution[] = [];
  /** A run could not be repeated. The error is reported only when an intervention in the past needs such a run. */
  private failed = false;
  private readonly behind: readonly Decisions[];
  private readonly worthIt: Decisions;

  constructor(
    private readonly source: SimulationSource,
    private readonly options: TrailingOptions,
  ) {
    this.behind = options.behind ?? BEHIND;
    this.worthIt = 2 * Math.max(...this.behind);
  }

  /** Hands over the run that has come furthest among those that can go on as `spec` to `to`; null if there is none. */
  take(spec: RunSpec, to: Position): Execution | null {
    const [furthest] = this.leadingTo(spec, to);
    if (!furthest) return null;
    this.runs.splice(this.runs.indexOf(furthest), 1);
    furthest.run.goOnAs(spec);
    return furthest;
  }

  /** Takes a run that nobody needs any more. It must be as its specification says. */
  give(run: Execution, timeline: Timeline): void {
    if (run.halted !== '') return;
    run.retrace(timeline);
    this.runs.push(run);
    if (this.runs.length > this.behind.length + 1) this.runs.shift();
  }

  /**
   * Goes on behind the position `at` of the run `spec`, whose records are in `timeline`, for a slice of time or until
   * `expired`. True while there is more to do.
   */
  trail(spec: RunSpec, at: Position, timeline: Timeline, expired: () => boolean): boolean {
    if (this.failed || at.step < this.worthIt) return false;
    const next = this.nextToMove(spec, at);
    if (!next) return false;
    const { run, to } = next;
    run.retrace(timeline);
    run.run.goOnAs(spec);
    let left = SLICE;
    try {
      while (run.position.step < to) {
        run.retraceStep();
        if (--left <= 0 || expired()) return true;
      }
    } catch {
      this.failed = true;
      this.runs = [];
    }
    return !this.failed && this.nextToMove(spec, at) !== null;
  }

  private nextToMove(spec: RunSpec, at: Position): { readonly run: Execution; readonly to: Decisions } | null {
    const usable = this.leadingTo(spec, at);
    const rest = [...usable];
    for (const distance of this.behind) {
      const found = rest.findIndex((r) => r.position.step <= at.step - distance / 2);
      const run = found < 0 ? this.begun(spec, usable) : (rest[found] as Execution);
      // Those in between serve no distance of their own.
      rest.splice(0, found + 1);
      if (run.position.step < at.step - 2 * distance) return { run, to: at.step - distance };
    }
    return null;
  }
  private begun(spec: RunSpec, usable: readonly Execution[]): Execution {
    const run = Execution.retracing(this.source, spec, this.options);
    this.runs = [...usable.slice(-this.behind.length), run];
    return run;
  }

  /** Returns the runs that are not after `to` and the same run so far; the one that has come furthest is first. */
  private leadingTo(spec: RunSpec, to: Position): Execution[] {
    return this.runs
      .filter((run) => {
        const { step, seq } = run.position;
        return step <= to.step && seq <= to.seq && sameSoFar(run, spec);
      })
      .sort((a, b) => b.position.step - a.position.step);
  }
}

/** Returns true if the run did so far what `spec` says, and nothing else. */
export function sameSoFar(run: Execution, spec: RunSpec): boolean {
  const past = ({ era, deviations, interventions }: RunSpec) =>
    JSON.stringify([era ?? '', deviations ?? [], interventions ?? []]);
  const done = { ...run.spec, interventions: run.run.interventions };
  return past(cut(done, run.position)) === past(cut(spec, run.position));
}
