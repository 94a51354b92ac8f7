import { type Choice, type Deviation, deviating, type Kernel, PanicError, type Policy } from '../../kernel/index.js';
import type { RecordSink } from '../../trace/index.js';
import type { Intervention, InterventionCommand } from '../protocol/commands.js';
import type { RunRequest, RunSpec } from '../protocol/run-spec.js';
import type { Simulation, SimulationSource } from './simulation.js';

/** The simulation's own policy, with the run's deviations, and with the user if he wants to be asked. */
class RunPolicy implements Policy {
  readonly name = 'run';
  readonly preempts: boolean;
  /** Selects with several ready cases are asked about. */
  asks = false;
  /** The case that the seed chose at the decision that the user is asked about. */
  drawn = 0;
  private deviated: Policy;
  private readonly decided = new Set<number>();
  /** Decisions that have a deviation. */
  private readonly deviatingAt = new Set<number>();

  constructor(
    private readonly base: Policy,
    deviations: readonly Deviation[],
    /** Called when a choice of the run differs, or may differ, from what its seed would have chosen. */
    private readonly onDeviation: () => void,
  ) {
    this.preempts = base.preempts;
    this.deviated = base;
    this.take(deviations);
  }
  get choosesGoroutines(): boolean | ReadonlySet<number> {
    return this.deviated.choosesGoroutines;
  }
  take(deviations: readonly Deviation[]): void {
    this.deviated = deviating(deviations, this.base);
    this.decided.clear();
    this.deviatingAt.clear();
    for (const d of deviations) {
      this.deviatingAt.add(d.decision);
      if (d.case !== undefined) this.decided.add(d.decision);
    }
  }
  choose(choice: Choice): number | null {
    const index = this.deviated.choose(choice);
    if (this.deviatingAt.has(choice.decision)) this.onDeviation();
    if (!this.asks || choice.kind !== 'select' || this.decided.has(choice.decision)) return index;
    this.drawn = index ?? 0;
    return null;
  }
}

/** One run of a simulation: a function of its request and of the interventions, each at its place. */
export class SimulationRun {
  readonly simulation: Simulation;
  /** Done so far. */
  readonly interventions: Intervention[] = [];
  /** To be done when their places come. */
  private script: readonly Intervention[];
  private current: RunRequest;
  private readonly policy: RunPolicy;
  private under = 0;

  /** Throws what the source throws for a scenario that it cannot start. */
  constructor(source: SimulationSource, spec: RunSpec, sink: RecordSink) {
    const { interventions = [], ...request } = spec;
    this.current = request;
    this.script = interventions;
    const { scenario, text, seed, era } = request;
    this.simulation = source.start({
      scenario,
      ...(text !== undefined && { text }),
      ...(seed !== undefined && { seed }),
      ...(era !== undefined && { era }),
      sink,
    });
    const { kernel } = this.simulation;
    this.policy = new RunPolicy(kernel.policy, request.deviations ?? [], () => this.simulation.rest?.());
    kernel.policy = this.policy;
  }

  get kernel(): Kernel {
    return this.simulation.kernel;
  }
  /** The decision that a record made right now belongs to. */
  get decision(): number {
    return Math.max(this.under, this.kernel.steps);
  }
  get request(): RunRequest {
    return this.current;
  }
  /** Interventions still to come. */
  get pending(): readonly Intervention[] {
    return this.script;
  }

  get asks(): boolean {
    return this.policy.asks;
  }
  set asks(asks: boolean) {
    this.policy.asks = asks;
    // A choice that is pending now is made as the seed would.
    if (!asks && this.kernel.pendingChoice) this.kernel.choose(this.policy.drawn);
  }

  /** Answers the choice that is pending. A RangeError if there is no such option. */
  choose(index: number): void {
    const choice = this.kernel.pendingChoice;
    const taken = choice?.kind === 'select' ? choice.options[index] : undefined;
    const { drawn } = this.policy;
    this.kernel.choose(index);
    if (choice && taken !== undefined && index !== drawn) {
      this.deviate({ decision: choice.decision, case: taken });
      // The policy was asked about it before.
      this.simulation.rest?.();
    }
  }

  /** Takes another way at a decision that is still to come (or just being taken). */
  deviate(deviation: Deviation): void {
    this.current = { ...this.current, deviations: [...(this.current.deviations ?? []), deviation] };
    this.policy.take(this.current.deviations as readonly Deviation[]);
  }

  /** Goes on as `spec` says; all that has happened so far is the same there. */
  goOnAs({ interventions = [], ...request }: RunSpec): void {
    this.script = interventions.slice(this.interventions.length);
    this.current = request;
    this.policy.take(request.deviations ?? []);
  }

  /**
   * One step of the kernel, or the next intervention. It may only have moved the clock. `over`: nothing is left to do.
   * A deadlock or a panic throws.
   */
  step(): 'ran' | 'choice' | 'over' {
    const { kernel, simulation } = this;
    const next = this.script[0];
    if (next && !kernel.pendingChoice && this.isDue(next)) {
      this.script = this.script.slice(1);
      if (kernel.now() < next.time) kernel.clock.advanceTo(next.time);
      try {
        this.intervene(next.command);
      } catch (error) {
        if (error instanceof PanicError) throw error;
      }
      return 'ran';
    }
    // The timers that fire now make what the decision after them begins with.
    this.under = kernel.steps + 1;
    try {
      const result = simulation.step ? simulation.step() : kernel.step();
      if (result !== 'idle') return result;
    } finally {
      this.under = 0;
    }
    if (next) return 'ran';
    kernel.checkDeadlock();
    return 'over';
  }

  private isDue(next: Intervention): boolean {
    if (next.byTime) return this.isTime(next);
    return next.step === this.kernel.steps ? this.reached(next) : this.missed(next);
  }

  /**
   * Returns true if the place of an intervention is reached. Timers that woke nobody had fired when it was done, but
   * not those that only the decision before has made due.
   */
  private reached({ time }: Intervention): boolean {
    const { kernel } = this;
    if (kernel.nextRunnable || kernel.now() >= time) return true;
    return (kernel.nextTimerAt() ?? Number.POSITIVE_INFINITY) > time;
  }

  /**
   * Returns true if an intervention's decision has gone by in a run that differs from its own (its scenario was edited,
   * or its schedule is another): it is done at its time.
   */
  private missed(next: Intervention): boolean {
    return this.kernel.steps >= next.step && this.isTime(next);
  }
  private isTime({ time }: Intervention): boolean {
    const { kernel } = this;
    return kernel.now() >= time || (!kernel.nextRunnable && (kernel.nextTimerAt() ?? Number.POSITIVE_INFINITY) > time);
  }

  /** Forgets the last intervention, which could not be done, and returns it. */
  takeBack(): Intervention | undefined {
    return this.interventions.pop();
  }
  /** Remembers it after all: a repetition has to fail at it, too. */
  putBack(failed: Intervention): void {
    this.interventions.push(failed);
  }

  /** Does it and remembers it. Throws an Error with the reason if it cannot be done. */
  intervene(command: InterventionCommand): void {
    const { kernel, simulation } = this;
    // An intervention that fails leaves its record too, so it has its place in a repetition.
    this.interventions.push({ step: kernel.steps, after: kernel.lastSeq, time: kernel.now(), command });
    const intervene = simulation.interventions[command.do] as ((command: InterventionCommand) => void) | undefined;
    if (!intervene) throw new Error(`${command.do} is not possible in this simulation`);
    intervene(command);
    // Only what was done counts: what could not be done is taken back as if it had never been tried.
    simulation.rest?.();
  }
}
