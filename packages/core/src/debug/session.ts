import { messageOf, PanicError } from '../kernel/index.js';
import type { Json } from '../trace/index.js';
import type { BackendChange, CommandResult, SessionBackend } from './backend.js';
import type { Command, RunState, SessionInfo, Speed, StepUnit } from './protocol.js';
import type { RecordStore, RecordStoreOptions } from './record-store.js';
import { type Intervention, type InterventionCommand, type RunRequest, repeat, SimulationRun } from './run.js';
import type { Simulation, SimulationSource } from './simulation.js';

export interface SimulationOptions extends RecordStoreOptions {
  /** Name of the scenario to begin with, and its text when it is not one of the source's own. */
  readonly scenario: string;
  readonly text?: string;
  readonly seed?: number;
  readonly speed?: Speed;
  /** Makes the session's id unlike others that a client may have met; another one per run is added here. */
  readonly id?: string;
  /** Starts by itself. Default false: it stands before its first step. */
  readonly running?: boolean;
}

/** Decisions between two looks at the budget. */
const SLICE = 64;
/** What a step command does at once; longer ones go on in `pump`. */
const STEP_AT_ONCE = 20_000;
/** A host that slept (a hidden tab, a suspended machine) does not make the simulation jump. */
const LONGEST_ELAPSED = 250;
/** While it runs the clock moves at least this often, ms. */
const FRAME = 16;

interface Goal {
  readonly unit: StepUnit;
  left: number;
  readonly reply: (result: CommandResult) => void;
}

/**
 * A simulation that somebody watches and steers. It has no timers: its host calls `pump` with the real time that went by, and
 * as long as nobody does, nothing moves. The run stays a function of scenario, seed and the commands' places in it.
 */
export class SimulationSession implements SessionBackend {
  info: SessionInfo;
  private run: SimulationRun;
  private readonly listeners = new Set<(change: BackendChange) => void>();
  private speed: Speed;
  private running: boolean;
  private stopped = '';
  private goal: Goal | null = null;
  /** In time mode: how far the simulated clock should be. In steps mode: decisions that are due. */
  private target = 0;
  private credit = 0;
  private runs = 1;

  /** Throws what the source throws for a scenario that it cannot start. */
  constructor(
    private readonly source: SimulationSource,
    private readonly options: SimulationOptions,
  ) {
    this.speed = options.speed ?? { mode: 'time', factor: 1 };
    this.running = options.running ?? false;
    this.run = new SimulationRun(source, requestOf(options), options);
    this.info = this.describe();
  }

  get store(): RecordStore {
    return this.run.store;
  }
  get simulation(): Simulation {
    return this.run.simulation;
  }
  /** What was done from outside, and where: with scenario and seed it makes this run again. */
  get interventions(): readonly Intervention[] {
    return this.run.interventions;
  }

  // --- SessionBackend --------------------------------------------------------------------------------------------

  runState(): RunState {
    const { kernel } = this.simulation;
    const choice = kernel.pendingChoice;
    return {
      running: this.running,
      seq: this.store.last,
      time: kernel.now(),
      steps: kernel.steps,
      iterations: this.store.state.counts.iterations,
      speed: this.speed,
      choice: choice && {
        kind: choice.kind,
        options: choice.kind === 'select' ? choice.names : choice.options.map((o) => o.name),
      },
      next: this.next(),
      stopped: this.stopped,
    };
  }

  listen(listener: (change: BackendChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  execute(command: Command, reply: (result: CommandResult) => void): void {
    try {
      this.perform(command, reply);
    } catch (error) {
      reply({ ok: false, error: messageOf(error) });
    }
    this.tell('records');
    this.tell('run');
  }

  // --- running ---------------------------------------------------------------------------------------------------

  /**
   * Advances by what `elapsedMillis` of real time are worth at the current speed, until `expired` says that the host needs its
   * thread back. Returns in how many ms to call again: 0 when there is more to do right now, null when nothing will happen
   * before the next command.
   */
  pump(elapsedMillis: number, expired: () => boolean): number | null {
    const stepsBefore = this.simulation.kernel.steps;
    const timeBefore = this.simulation.kernel.now();
    const runningBefore = this.running;
    const again = this.goal
      ? this.pumpGoal(expired)
      : this.running
        ? this.pumpSpeed(Math.min(Math.max(elapsedMillis, 0), LONGEST_ELAPSED), expired)
        : null;
    const { kernel } = this.simulation;
    if (kernel.steps !== stepsBefore) this.tell('records');
    if (kernel.steps !== stepsBefore || kernel.now() !== timeBefore || this.running !== runningBefore) this.tell('run');
    return again;
  }

  private pumpGoal(expired: () => boolean): number | null {
    while (this.goal) {
      this.towardsGoal(SLICE);
      if (this.goal && expired()) return 0;
      if (this.stopped !== '' || this.simulation.kernel.pendingChoice) break;
    }
    return this.running ? 0 : null;
  }

  private pumpSpeed(elapsed: number, expired: () => boolean): number | null {
    const { kernel } = this.simulation;
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
    while (this.canGo() && kernel.now() < this.target) {
      if (this.advance(SLICE, Math.floor(this.target))) break;
      if (expired()) {
        this.target = kernel.now();
        return this.canGo() ? 0 : null;
      }
    }
    return this.canGo() ? FRAME : null;
  }

  private canGo(): boolean {
    return this.running && this.stopped === '' && !this.simulation.kernel.pendingChoice;
  }

  /** Takes up to `n` decisions, none that would move the clock past `until`. True when `until` is reached. */
  private advance(n: number, until: number): boolean {
    const { kernel } = this.simulation;
    const last = kernel.steps + n;
    try {
      while (kernel.steps < last) {
        if (!kernel.nextRunnable && !kernel.pendingChoice) {
          const next = kernel.nextTimerAt();
          if (next !== null && next > until) {
            kernel.clock.advanceTo(until);
            return true;
          }
        } else if (kernel.now() >= until) return true;
        if (!this.step()) return false;
      }
    } catch (error) {
      this.halt(messageOf(error));
    }
    return false;
  }

  /** One step of the kernel; it may only have moved the clock. False when none is possible. */
  private step(): boolean {
    const result = this.run.step();
    if (result === 'choice') return false;
    if (result === 'over') this.halt('the run is over: nothing is left to do');
    else if (this.simulation.done?.()) this.halt('the scenario is over');
    return this.stopped === '';
  }

  /** One decision: a goroutine went one step. False when none can. */
  private decision(): boolean {
    const { kernel } = this.simulation;
    const before = kernel.steps;
    while (kernel.steps === before) if (!this.step()) return false;
    return true;
  }

  private halt(why: string): void {
    this.stopped = why;
    this.running = false;
    this.finishGoal();
  }

  /** Up to `decisions` decisions towards the step command in progress. */
  private towardsGoal(decisions: number): void {
    const { kernel } = this.simulation;
    try {
      for (let i = 0; this.goal && i < decisions; i++) {
        const { goal } = this;
        const seq = kernel.lastSeq;
        const iterations = this.store.state.counts.iterations;
        if (!this.decision()) {
          // A choice stands in the way: the step is as far as it can go.
          this.finishGoal();
          return;
        }
        if (goal.unit === 'decision') goal.left--;
        else if (goal.unit === 'record') goal.left -= kernel.lastSeq > seq ? 1 : 0;
        else goal.left -= this.store.state.counts.iterations - iterations;
        if (goal.left <= 0) this.finishGoal();
      }
    } catch (error) {
      this.halt(messageOf(error));
    }
  }

  private finishGoal(): void {
    const { goal } = this;
    this.goal = null;
    goal?.reply({ ok: true });
  }

  // --- commands --------------------------------------------------------------------------------------------------

  private perform(command: Command, reply: (result: CommandResult) => void): void {
    const { kernel } = this.simulation;
    switch (command.do) {
      case 'pause':
        this.running = false;
        this.finishGoal();
        break;
      case 'resume':
        if (this.stopped !== '') throw new Error(`it cannot go on: ${this.stopped}; restart it`);
        this.finishGoal();
        this.running = true;
        this.target = kernel.now();
        this.credit = 0;
        break;
      case 'step':
        if (this.stopped !== '') throw new Error(`it cannot go on: ${this.stopped}; restart it`);
        if (kernel.pendingChoice) throw new Error('a choice is pending: choose one of its options first');
        this.running = false;
        this.finishGoal();
        this.goal = { unit: command.unit, left: command.count ?? 1, reply };
        this.towardsGoal(STEP_AT_ONCE);
        return;
      case 'speed':
        this.speed = command.speed;
        this.target = kernel.now();
        this.credit = 0;
        break;
      case 'apply':
        reply({ ok: true, value: { file: this.apply(command) } });
        return;
      case 'choose':
      case 'ask':
      case 'delete':
      case 'kill':
        this.intervene(command);
        break;
      case 'manifests':
        reply({ ok: true, value: this.simulation.manifests().map(({ file, text }) => ({ file, text })) });
        return;
      case 'scenarios':
        reply({ ok: true, value: this.source.list() as Json });
        return;
      case 'load':
        this.load(requestOf(command));
        break;
      case 'restart':
        this.load(this.run.request);
        break;
      case 'rewind':
        this.rewind(command.unit, command.to);
        break;
    }
    reply({ ok: true });
  }

  private apply(command: Extract<Command, { do: 'apply' }>): string {
    const file = command.file ?? defaultFile(command.manifest);
    if (!command.force) {
      const wrong = this.simulation.check?.(command.manifest, file) ?? null;
      if (wrong !== null) throw new Error(wrong);
    }
    this.intervene({ ...command, file });
    return file;
  }

  /** What it makes happen at once may end in a panic, too. */
  private intervene(command: InterventionCommand): void {
    try {
      this.run.intervene(command);
    } catch (error) {
      if (error instanceof PanicError) this.halt(error.message);
      else throw error;
    }
  }

  private load(request: RunRequest): void {
    // A scenario that cannot be started leaves the one that runs alone.
    const run = new SimulationRun(this.source, request, this.options);
    const { asks } = this.run;
    this.finishGoal();
    this.run = run;
    if (asks) run.intervene({ do: 'ask', select: true });
    this.runs++;
    this.running = this.options.running ?? false;
    this.standAnew();
    this.info = this.describe();
    this.tell('reset');
  }

  /** Time travel: the run from its start again, to where it was. What came after is forgotten. */
  private rewind(unit: StepUnit, to: number): void {
    const { kernel } = this.simulation;
    const now = { decision: kernel.steps, record: this.store.last, iteration: this.store.state.counts.iterations }[
      unit
    ];
    if (to > now) throw new Error(`it cannot go back to ${unit} ${to}: it is at ${now}`);
    this.running = false;
    this.finishGoal();
    const { asks } = this.run;
    const run = repeat(this.source, this.run, this.options, (r) => {
      if (unit === 'record') return r.store.last >= to;
      if (unit === 'iteration') return r.store.state.counts.iterations >= to;
      return r.kernel.steps >= to;
    });
    this.run = run;
    if (asks !== run.asks) run.intervene({ do: 'ask', select: asks });
    this.standAnew();
    this.tell('rewound');
  }

  private standAnew(): void {
    this.stopped = '';
    this.target = this.simulation.kernel.now();
    this.credit = 0;
  }

  private describe(): SessionInfo {
    const { simulation, run } = this;
    return {
      id: `${this.options.id ?? 'simulation'}-${this.runs}`,
      title: simulation.title,
      capabilities: {
        control: true,
        speed: true,
        apply: true,
        intervene: true,
        choose: true,
        scenarios: true,
        rewind: true,
      },
      scenario: run.request.scenario,
      seed: simulation.seed,
      runtime: simulation.runtime,
      node: simulation.node,
      epochMillis: simulation.kernel.clock.epochMillis,
      virtual: true,
    };
  }

  /** What is about to happen, as far as the run queue and the timers tell. */
  private next(): string {
    const { kernel } = this.simulation;
    if (this.stopped !== '' || kernel.pendingChoice) return '';
    const g = kernel.nextRunnable;
    if (!g) return '';
    const result = g.result;
    const taken = typeof result === 'object' && result !== null && 'case' in result ? String(result.case) : '';
    return taken === '' ? g.name : `${g.name}: ${taken}`;
  }

  private tell(change: BackendChange): void {
    for (const listener of [...this.listeners]) listener(change);
  }
}

const requestOf = ({ scenario, text, seed }: RunRequest): RunRequest => ({
  scenario,
  ...(text === undefined ? {} : { text }),
  ...(seed === undefined ? {} : { seed }),
});

/** NAME.yaml from the manifest's metadata, as far as a glance can tell; the check of the manifest itself is elsewhere. */
function defaultFile(manifest: string): string {
  const name = /^\s{0,8}["']?name["']?\s*:\s*["']?([a-z0-9]([-a-z0-9.]{0,200}[a-z0-9])?)["']?\s*,?\s*$/m.exec(
    manifest,
  )?.[1];
  return `${name ?? 'pod'}.yaml`;
}
