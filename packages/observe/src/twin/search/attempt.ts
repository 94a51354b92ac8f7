import { messageOf } from '@syncloop/core/base';
import type { Start, Subject } from '@syncloop/core/debug/explore';
import { type Chooser, follow, RecordingPolicy } from '@syncloop/core/debug/explore';
import { type Choice, DeadlockError, type Deviation } from '@syncloop/core/kernel';
import type { Decisions, Micros, TraceRecord } from '@syncloop/core/trace';
import type { TwinSchedule } from './types.js';

/** A point of a run at which it could have gone another way. */
export interface Point {
  readonly decision: Decisions;
  readonly kind: Choice['kind'];
  /** On the run's clock. */
  readonly time: Micros;
  /** The number of records before it. */
  readonly after: number;
  /** The goroutine that selects; 0 if the choice is one of goroutines. */
  readonly g: number;
  /** Goroutines by id, or cases by position in the select. */
  readonly options: readonly number[];
  /** Names of the goroutines, or of the channels. */
  readonly names: readonly string[];
  /** The option that was taken, and the one that the seed alone would have taken. */
  readonly taken: number;
  readonly base: number;
}

/** True if a deviation is about a point. */
export const isOf = (d: Deviation, { decision, kind }: Point): boolean =>
  d.decision === decision && (d.case !== undefined) === (kind === 'select');

/** Decisions for which a goroutine is passed over. */
const PATIENCE = 64;

/** Passes over the goroutine whose turn it is at a decision, from there on. */
function behind(from: Decisions): Chooser {
  let g: number | undefined;
  return (choice, base) => {
    if (choice.kind !== 'goroutine' || choice.decision > from + PATIENCE) return base;
    if (choice.decision === from) g = choice.options[base]?.id;
    return choice.options[base]?.id === g ? 1 : base;
  };
}

/** Decisions between two yields. */
const SLICE = 64;
/** The most timers that may fire in a row without waking a goroutine. */
const IDLE = 100_000;

/** A run of the twin under a schedule, up to where it is asked for. */
export class Attempt {
  readonly records: TraceRecord[] = [];
  readonly points: Point[] = [];
  /** The reason why the run cannot go on: a panic, a deadlock. */
  broken: string | null = null;
  private readonly policy: RecordingPolicy;
  private readonly subject: Subject;

  /** `waits`: from that decision on, the goroutine that had its turn there waits as long as others can run. */
  constructor(start: Start, schedule: TwinSchedule, waits: Decisions | null = null) {
    const chooser =
      waits === null ? follow(schedule.deviations) : follow(schedule.deviations, behind(waits), waits - 1);
    let subject: Subject | null = null;
    this.policy = new RecordingPolicy(schedule.seed, (choice, base) => {
      const taken = chooser(choice, base);
      const { kind, decision } = choice;
      this.points.push({
        decision,
        kind,
        time: subject?.kernel.now() ?? 0,
        after: this.records.length,
        g: choice.kind === 'select' ? choice.g : 0,
        options: choice.kind === 'select' ? choice.options : choice.options.map((o) => o.id),
        names: choice.kind === 'select' ? choice.names : choice.options.map((o) => o.name),
        taken,
        base,
      });
      return taken;
    });
    this.subject = start({ seed: schedule.seed, policy: this.policy, sink: (r) => this.records.push(r) });
    subject = this.subject;
  }

  /** The deviations of the schedule that were possible at their places. */
  get deviations(): readonly Deviation[] {
    return this.policy.deviations;
  }

  /** The point that a deviation is about, as far as the run has come. */
  pointOf(deviation: Deviation): Point | undefined {
    return this.points.find((p) => isOf(deviation, p));
  }

  /** Runs on up to a time on its own clock; yields now and then, so that its caller may do something else. */
  *run(to: Micros): Generator<undefined, void> {
    const { subject } = this;
    const { kernel } = subject;
    let reached = -1;
    let since = 0;
    try {
      for (let n = 1; this.broken === null && kernel.now() < to; n++) {
        if (kernel.steps !== reached) {
          reached = kernel.steps;
          since = n;
        }
        if (n - since > IDLE || (subject.step ? subject.step() : kernel.step()) === 'idle') {
          kernel.checkDeadlock();
          this.broken = 'nobody can go on';
        }
        if (n % SLICE === 0) yield;
      }
    } catch (error) {
      this.broken = error instanceof DeadlockError ? error.message : messageOf(error);
    }
  }
}
