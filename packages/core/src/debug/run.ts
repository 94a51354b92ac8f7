import { asked, type Kernel, PanicError, type Policy } from '../kernel/index.js';
import type { Json, Micros } from '../trace/index.js';
import type { Command } from './protocol.js';
import { RecordStore, type RecordStoreOptions } from './record-store.js';
import type { Simulation, SimulationSource } from './simulation.js';

/** Commands that change what happens. */
export type InterventionCommand = Extract<Command, { do: 'apply' | 'delete' | 'kill' | 'choose' | 'ask' }>;

/** Something that was done from outside after so many decisions, when the clock stood at `time`. */
export interface Intervention {
  readonly step: number;
  readonly time: Micros;
  readonly command: InterventionCommand;
}

export interface RunRequest {
  readonly scenario: string;
  readonly text?: string;
  readonly seed?: number;
}

/** One run of a simulation: a function of its request and of the interventions, each at its place. */
export class SimulationRun {
  readonly simulation: Simulation;
  readonly store: RecordStore;
  readonly interventions: Intervention[] = [];
  private readonly basePolicy: Policy;

  /** Throws what the source throws for a scenario that it cannot start. */
  constructor(
    source: SimulationSource,
    readonly request: RunRequest,
    options: RecordStoreOptions,
  ) {
    const store = new RecordStore(options);
    this.store = store;
    this.simulation = source.start({ ...request, sink: (record) => store.push(record) });
    this.basePolicy = this.simulation.kernel.policy;
  }

  get kernel(): Kernel {
    return this.simulation.kernel;
  }
  /** Selects with several ready cases are asked about. */
  get asks(): boolean {
    return this.kernel.policy !== this.basePolicy;
  }

  /** One step of the kernel; it may only have moved the clock. `over`: nothing is left to do. A deadlock or a panic throws. */
  step(): 'ran' | 'choice' | 'over' {
    const { kernel, simulation } = this;
    const result = simulation.step ? simulation.step() : kernel.step();
    if (result !== 'idle') return result;
    kernel.checkDeadlock();
    return 'over';
  }

  /** Does it and remembers it. Throws an Error with the reason where it cannot be done. */
  intervene(command: InterventionCommand): void {
    const { kernel, simulation } = this;
    // What fails leaves its record too, so it has its place in a repetition.
    this.interventions.push({ step: kernel.steps, time: kernel.now(), command });
    switch (command.do) {
      case 'choose':
        kernel.choose(command.index);
        break;
      case 'ask':
        kernel.policy = command.select ? asked(['select'], this.basePolicy) : this.basePolicy;
        // What is asked just now is drawn.
        if (!command.select && kernel.pendingChoice) kernel.choose(this.basePolicy.choose(kernel.pendingChoice) ?? 0);
        break;
      case 'apply': {
        const { file = 'pod.yaml', manifest } = command;
        this.outside(command.do, [file], () => simulation.apply(file, manifest));
        break;
      }
      case 'delete': {
        const { file } = command;
        const files = simulation.manifests().map((m) => m.file);
        if (!files.includes(file))
          throw new Error(`there is no manifest ${file}; there are: ${files.join(', ') || 'none'}`);
        this.outside(command.do, [file], () => simulation.remove(file));
        break;
      }
      case 'kill': {
        const { uid, container } = command;
        this.outside(command.do, container === undefined ? [uid] : [uid, container], () =>
          simulation.kill(uid, container),
        );
        break;
      }
    }
  }

  /** Something from outside: a record says so, and what follows is caused by it. */
  private outside(verb: string, args: readonly Json[], act: () => void): void {
    const { kernel } = this;
    kernel.post(() => {
      kernel.emitCause({ kind: 'input', verb, args });
      act();
    });
  }
}

/** Longest run that is repeated, in kernel steps. */
const LONGEST = 20_000_000;

/**
 * The same run again, with the same interventions at the same places, until `reached` (asked after each step and each
 * intervention). Throws when it cannot be reached, and when the repetition is not what it was: then something in the
 * simulation is no function of its seed.
 */
export function repeat(
  source: SimulationSource,
  before: SimulationRun,
  options: RecordStoreOptions,
  reached: (run: SimulationRun) => boolean,
): SimulationRun {
  const run = new SimulationRun(source, before.request, options);
  const { kernel } = run;
  const due = [...before.interventions];
  for (let n = 0; !reached(run); n++) {
    const next = due[0];
    if (next && next.step === kernel.steps) {
      // Timers that woke nobody had fired, and the clock had moved on, when it was done.
      while (
        !kernel.nextRunnable &&
        !kernel.pendingChoice &&
        (kernel.nextTimerAt() ?? Number.POSITIVE_INFINITY) <= next.time
      )
        run.step();
      if (kernel.now() < next.time) kernel.clock.advanceTo(next.time);
      due.shift();
      try {
        run.intervene(next.command);
      } catch (error) {
        if (error instanceof PanicError) throw error;
      }
      continue;
    }
    if (n > LONGEST || run.step() !== 'ran') {
      if (kernel.pendingChoice && due[0]?.step === kernel.steps) continue;
      throw new Error('the run does not get there');
    }
  }
  const { last } = run.store;
  const was = before.store.get(last);
  if (was && JSON.stringify(was) !== JSON.stringify(run.store.get(last)))
    throw new Error(`the run could not be repeated exactly: record ${last} differs`);
  return run;
}
