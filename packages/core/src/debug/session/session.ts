import { type Deviation, PanicError } from '../../kernel/index.js';
import type { Micros, Millis, Seq, TraceRecord } from '../../trace/index.js';
import type { RecordStore } from '../base/record-store.js';
import { atOnce, Stopped, type Work } from '../base/work.js';
import { BreakpointSet, type Hit, parseBreakpoints } from '../breakpoints/index.js';
import type { SessionBackend } from '../protocol/backend.js';
import {
  type Command,
  type CommandOf,
  type Intervention,
  type InterventionCommand,
  type Query,
  refusedWhileExploring,
  type Speed,
} from '../protocol/commands.js';
import type { LoadStopped, RunState, SessionInfo } from '../protocol/protocol.js';
import type { ResultOf } from '../protocol/results.js';
import type { RunSpec, RunUpTo } from '../protocol/run-spec.js';
import { RunControl } from '../run/run-control.js';
import type { Simulation, SimulationSource } from '../run/simulation.js';
import type { TrailingOptions } from '../run/trailing-runs.js';
import { recordsUntil } from './branch-records.js';
import { addBranchTo, fork, nameAfter, switchTo } from './branching.js';
import { compareBranches } from './compare.js';
import { inTwoEras, toEra } from './eras.js';
import { choose, deviate, intervene } from './interventions.js';
import { runTo } from './jumps.js';
import { open } from './opening.js';
import { goTo, rewind, stepBack, stepGoal, takeCase, untilGoal } from './session-moves.js';
import type { ExploringRun, SessionTools } from './session-tools.js';
import { TimeTravel } from './time-travel.js';
import { type Handlers, LATER, WorkingBackend } from './working-backend.js';

export interface SimulationOptions extends TrailingOptions {
  /** Name of the scenario to begin with, and its text if it is not one of the source's own. */
  readonly scenario: string;
  readonly text?: string;
  readonly seed?: number;
  /** The choices that differ from what the seed would have chosen. */
  readonly deviations?: readonly Deviation[];
  readonly speed?: Speed;
  /** Makes the session's id unlike others that a client may have met; another one per run is added here. */
  readonly id?: string;
  /** Starts by itself. Default false: it stands. */
  readonly running?: boolean;
  /** It begins where the scenario opens, as after `load`. Default false: before its first decision. */
  readonly open?: boolean;
}

/**
 * A simulation that somebody watches and steers. It has no timers: its host calls `pump` with the real time that went
 * by, and as long as nobody does, nothing moves. The run stays a function of scenario, seed, choices and interventions.
 * The parts that it needs only for some commands are handed to it: see SimulationSession, which has all of it.
 */
export class LeanSimulationSession extends WorkingBackend implements SessionBackend {
  info: SessionInfo;
  private readonly control: RunControl<TimeTravel>;
  protected readonly handlers: Handlers;
  private readonly breakpoints = new BreakpointSet();
  private runs = 1;
  private exploring: ExploringRun | null = null;

  /** Throws what the source throws for a scenario that it cannot start. */
  constructor(
    private readonly source: SimulationSource,
    private readonly options: SimulationOptions,
    private readonly tools: SessionTools,
  ) {
    super();
    const spec = runOf(source, options);
    const travel = new TimeTravel(source, spec, options);
    const opened = options.open ? atOnce(this.opened(travel, spec)) : travel;
    this.control = new RunControl(opened, this.breakpoints, {
      running: options.running ?? false,
      speed: options.speed ?? { mode: 'time', factor: 1 },
      beginSlice: () => this.beginSlice?.(),
    });
    this.info = this.describe();
    this.handlers = this.commandHandlers();
  }

  private get travel(): TimeTravel {
    return this.control.track;
  }
  protected get current(): RecordStore {
    return this.travel.view;
  }
  /** At the head of the branch, which may be further than what is in view. */
  get simulation(): Simulation {
    return this.travel.head.simulation;
  }
  /** The interventions, and where: with scenario, seed and choices they make this run again. */
  get interventions(): readonly Intervention[] {
    return this.travel.spec.interventions ?? [];
  }

  /** The records of a branch up to a time of its clock (default: of the one that it stands in). */
  *recordsUntil(time: Micros, branch: number = this.travel.branch.id): Work<TraceRecord[]> {
    return yield* recordsUntil(this.source, this.travel.branches.find(branch), time);
  }
  /** The last record that the branch in view has of the first one. */
  get leftMainAt(): Seq {
    const { travel } = this;
    const { branch, branches } = travel;
    const [main] = branches.describe(branch);
    return main && main.id !== branch.id ? branches.divergence(main.id, branch.id).seq : Number.POSITIVE_INFINITY;
  }

  // --- SessionBackend --------------------------------------------------------------------------------------------

  protected currentRun(): RunState {
    const { travel, control } = this;
    const choice = travel.atHead ? travel.kernel.pendingChoice : null;
    return {
      running: control.running,
      seq: this.current.last,
      time: travel.now,
      steps: travel.step,
      iterations: this.current.state.counts.iterations,
      speed: control.speed,
      choice: choice && {
        kind: choice.kind,
        options: choice.kind === 'select' ? choice.names : choice.options.map((o) => o.name),
      },
      next: this.next(),
      stopped: travel.stopped,
      hits: control.hits,
      ...(control.runsToGoal && { going: true }),
      ...(this.simulation.outcome && { outcome: this.simulation.outcome() }),
      ...(this.exploring && { exploring: this.exploring.progress }),
      branch: travel.branch.id,
      end: travel.end,
    };
  }

  /** Returns the lines that logpoints wrote since the last call. */
  takeWritten(): readonly Hit[] {
    return this.control.written.splice(0);
  }

  /** See RunControl.pump. */
  pump(elapsedMillis: Millis, expired: () => boolean): Millis | null {
    if (this.working) {
      this.pumpWork(expired);
      return 0;
    }
    const { control, exploring } = this;
    if (exploring) {
      if (!exploring.step(expired)) this.finishExploring();
      this.tell('run');
      return 0;
    }
    const before = this.mark();
    const again = control.pump(elapsedMillis, expired);
    this.takeWaiting();
    const looks = this.lookOn(expired);
    const after = this.mark();
    if (before.step !== after.step || before.seq !== after.seq) this.tell('records');
    this.tellRun(looks || JSON.stringify(before) !== JSON.stringify(after));
    if (looks || this.working || this.stepping || again === 0) return 0;
    // Nothing else is to be done.
    return this.travel.available.trail(this.travel, expired) ? 0 : again;
  }
  protected override looksAside(command: Command): boolean {
    const { travel, control } = this;
    if (control.running || this.exploring || !looksAtTheRun.has(command.do)) return false;
    if (travel.atHead || travel.available.has(travel)) return false;
    return command.do !== 'manifests' || travel.execution.manifestsAt(travel.position) === undefined;
  }
  protected override get place(): string {
    const { travel } = this;
    return `${this.runs} ${travel.branch.id} ${travel.step} ${this.current.last}`;
  }
  protected get stepping(): boolean {
    return this.control.runsToGoal;
  }
  private mark() {
    const { travel, control } = this;
    return {
      step: travel.step,
      seq: this.current.last,
      time: travel.now,
      running: control.running,
      stopped: travel.stopped,
    };
  }

  // --- commands --------------------------------------------------------------------------------------------------

  protected answer<Q extends Query>(query: Q): Work<ResultOf<Q>> {
    return this.tools.answer(this.current, query);
  }
  protected refusal(command: Command): string {
    return `${command.do} is not possible in this session`;
  }
  protected override notNow(command: Command): string | null {
    return this.exploring && refusedWhileExploring(command);
  }

  /** One entry for each command that is not a query. */
  private commandHandlers(): Handlers {
    const session = this;
    const { control, breakpoints, source } = this;
    const intervention = function* (command: InterventionCommand): Work<undefined> {
      yield* session.intervene(command);
    };
    return {
      *pause(_, reply) {
        control.pause();
        const { exploring } = session;
        if (!exploring) return undefined;
        session.exploring = null;
        // Pausing is done now; the findings are made ready afterwards, which can be stopped, too.
        reply({ ok: true });
        yield* exploring.finish();
        return LATER;
      },
      *resume() {
        session.mustBeAbleToRun();
        control.resume();
      },
      *step(command, reply) {
        if (command.back) {
          yield* session.jump((travel) => stepBack(travel, command));
          return undefined;
        }
        session.mustBeAbleToRun();
        session.mustHaveNoPendingChoice();
        control.runTo(stepGoal(session.travel, command), reply);
        return LATER;
      },
      *go({ to }, reply) {
        const goal = goTo(session.travel, to);
        if (typeof goal === 'function') {
          yield* session.jump(goal);
          return undefined;
        }
        session.mustBeAbleToRun();
        control.runTo(goal, reply);
        return LATER;
      },
      *until(command, reply) {
        const goal = untilGoal(session.travel, command);
        session.mustBeAbleToRun();
        session.mustHaveNoPendingChoice();
        control.runTo(goal, reply);
        return LATER;
      },
      *rewind(command) {
        yield* session.jump((travel) => rewind(travel, command));
      },
      *speed({ speed }) {
        control.setSpeed(speed);
      },
      *breakpoints({ set }) {
        breakpoints.set(parseBreakpoints(set));
        return breakpoints.list();
      },
      *choose({ index }) {
        choose(session.travel, index);
      },
      *ask({ select }) {
        session.travel.asks = select;
      },
      *take(command) {
        yield* session.jump((travel) => takeCase(travel, command));
      },
      *pick({ goroutine }) {
        yield* session.pick(goroutine);
      },
      *runnable() {
        return (yield* session.travel.here()).kernel.runnable.map(({ id, name }) => ({ id, name }));
      },
      *apply(command) {
        return { file: yield* session.apply(command) };
      },
      delete: intervention,
      kill: intervention,
      act: intervention,
      *manifests() {
        const { travel } = session;
        const known = travel.execution.manifestsAt(travel.position);
        return known ?? (yield* travel.here()).simulation.manifests();
      },
      *objects({ do: what }) {
        return kept((yield* session.travel.here()).simulation.objects?.(), what);
      },
      *logs({ do: what, container, from }) {
        return kept((yield* session.travel.here()).simulation.log?.(container, from), what);
      },
      *scenarios() {
        return source.list();
      },
      *load(command) {
        return yield* session.load(command);
      },
      *restart() {
        return yield* session.load(specOf(session.travel.spec));
      },
      *branches() {
        return session.travel.branches.describe(session.travel.branch);
      },
      *branch({ name }) {
        session.mustHaveNoPendingChoice();
        yield* session.jump((travel) => fork(travel, name));
      },
      *branchTo({ name, deviations, to }) {
        return yield* addBranchTo(session.travel, name, deviations, to);
      },
      *switch({ branch, to }) {
        yield* session.jump((travel) => switchTo(travel, branch, to));
      },
      *rename({ branch, name }) {
        session.travel.branches.rename(branch, name);
      },
      *drop({ branch }) {
        session.travel.branches.drop(branch, session.travel.branch);
      },
      *compare({ branch, with: other, ends }) {
        const { travel } = session;
        return yield* compareBranches(travel, branch, other ?? travel.branch.id, ends);
      },
      *era({ version }) {
        const { travel } = session;
        const choices = version === travel.branch.era ? 0 : (travel.branch.spec.deviations ?? []).length;
        yield* session.jump((t) => toEra(t, version));
        return { choices };
      },
      *compareEras({ with: other }) {
        const { travel, tools } = session;
        if (!tools.compareEras) throw new Error(session.refusal({ do: 'compareEras', with: other }));
        return yield* tools.compareEras(source, inTwoEras(travel, other));
      },
      *explore(command, reply) {
        session.mustBeAbleToRun();
        const { travel, simulation } = session;
        session.exploring = session.tools.explore(source, travel, simulation.seed, command, reply);
        control.pause();
        return LATER;
      },
      *spec() {
        const { travel } = session;
        const clock = travel.now > travel.view.state.time ? { clock: travel.now } : {};
        return { ...travel.spec, to: travel.position, ...clock };
      },
    };
  }

  private finishExploring(): void {
    const { exploring } = this;
    this.exploring = null;
    if (exploring) this.start('explore', later(exploring.finish()), () => {});
  }

  private mustBeAbleToRun(): void {
    const { stopped } = this.travel;
    if (stopped !== '') throw new Error(`the run cannot go on: ${stopped}; go back, or restart it`);
  }

  private *apply(command: CommandOf<'apply'>): Work<string> {
    const file = command.file ?? defaultFile(command.manifest);
    if (!command.force) {
      const wrong = this.simulation.check?.(command.manifest, file) ?? null;
      if (wrong !== null) throw new Error(wrong);
    }
    yield* this.intervene({ ...command, file });
    return file;
  }

  private *intervene(command: InterventionCommand): Work {
    const { travel } = this;
    this.mustBeAbleToRun();
    this.mustHaveNoPendingChoice();
    const { control, breakpoints } = this;
    const { branch } = travel;
    const { hits, written } = control;
    const counts = breakpoints.counts();
    Object.assign(control, { hits: [...hits], written: [...written] });
    try {
      yield* intervene(travel, command);
    } catch (error) {
      if (!(error instanceof PanicError)) {
        // To breakpoints it never happened either.
        Object.assign(control, { hits, written });
        breakpoints.restore(counts);
        breakpoints.moved(travel.view.state);
        throw error;
      }
      control.pause();
    }
    if (travel.branch === branch) return;
    nameAfter(travel);
    control.afterJump();
  }
  private mustHaveNoPendingChoice(): void {
    if (this.travel.awaitsChoice) throw new Error('a choice is pending: choose one of its options first');
  }

  private *pick(goroutine: number): Work {
    const { travel } = this;
    this.mustBeAbleToRun();
    this.mustHaveNoPendingChoice();
    const options = (yield* travel.here()).kernel.runnable;
    if (!options.some((g) => g.id === goroutine))
      throw new Error(
        `goroutine ${goroutine} cannot go next; these can: ${options.map((g) => `${g.id} (${g.name})`).join(', ') || 'none'}`,
      );
    const name = options.find((g) => g.id === goroutine)?.name ?? `goroutine ${goroutine}`;
    const { branch } = travel;
    yield* this.jump(function* () {
      yield* deviate(travel, { goroutine }, name);
      if (travel.branch !== branch) nameAfter(travel, { verb: 'choose', args: ['goroutine', name] });
      travel.next();
    });
  }

  /**
   * Goes elsewhere at once: clients take back what comes after, and are sent what is there instead. If that throws,
   * nothing has changed.
   */
  private *jump(go: (travel: TimeTravel) => Work): Work {
    const { control, travel, breakpoints } = this;
    const { branch, view } = travel;
    const { last } = view;
    const undo = travel.checkpoint();
    const counts = breakpoints.counts();
    yield* control.jump(function* () {
      try {
        yield* go(travel);
      } catch (error) {
        undo();
        breakpoints.restore(counts);
        throw error;
      }
    });
    breakpoints.moved(travel.view.state);
    this.arrived();
    if (travel.branch.era !== branch.era) {
      // Another kubelet, of which the session has more to say than its records.
      this.info = this.describe();
      this.tell('reset');
      return;
    }
    // The records that both branches have stay.
    const same = branch === travel.branch ? last : travel.branches.divergence(branch.id, travel.branch.id).seq;
    this.rewoundTo = Math.min(same, travel.view.last);
    if (this.rewoundTo < last) this.tell('rewound');
    else if (travel.view.last > last) this.tell('jumped');
    this.rewoundTo = undefined;
  }
  rewoundTo: number | undefined;

  private *load(spec: RunSpec & Partial<RunUpTo>): Work<LoadStopped | undefined> {
    // A scenario that cannot be started leaves the one that runs alone.
    const run = runOf(this.source, spec);
    let travel = new TimeTravel(this.source, run, this.options);
    let stopped: LoadStopped | undefined;
    try {
      if (spec.to) yield* runTo(travel, spec.to, spec.clock);
      else travel = yield* this.opened(travel, run);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      stopped = { stopped: travel.position };
    }
    travel.asks = this.travel.asks;
    this.control.pause();
    this.control.use(travel);
    this.runs++;
    this.control.running = spec.to === undefined && (this.options.running ?? false);
    this.breakpoints.moved(travel.view.state);
    this.info = this.describe();
    this.arrived();
    this.tell('reset');
    return stopped;
  }

  /** The run where it opens, or before its first decision. */
  private *opened(travel: TimeTravel, spec: RunSpec): Work<TimeTravel> {
    const record = yield* open(travel);
    return record !== null || travel.step === 0 ? travel : new TimeTravel(this.source, spec, this.options);
  }

  private describe(): SessionInfo {
    const { simulation } = this;
    const { opened } = this.travel.branch;
    return {
      id: `${this.options.id ?? 'simulation'}-${this.runs}`,
      title: simulation.title,
      ...(simulation.titles && { titles: simulation.titles }),
      capabilities: {
        control: true,
        speed: true,
        apply: true,
        intervene: true,
        choose: true,
        scenarios: true,
        rewind: true,
        breakpoints: true,
        ...(this.source.eras && { eras: true }),
      },
      scenario: this.travel.spec.scenario,
      seed: simulation.seed,
      runtime: simulation.runtime,
      node: simulation.node,
      ...(simulation.era !== undefined && { era: simulation.era }),
      ...(simulation.writtenFor !== undefined && { writtenFor: simulation.writtenFor }),
      ...(simulation.eraNotes && { eraNotes: simulation.eraNotes }),
      epochMillis: simulation.kernel.clock.epochMillis,
      virtual: true,
      ...(opened && { opened }),
    };
  }

  /** Names what happens next, as far as it is known, or as the run queue and the timers show. */
  private next(): string {
    const { travel } = this;
    const { kernel } = travel;
    if (!travel.atHead) {
      const record = travel.timeline.store.get(this.current.last + 1);
      return record ? (this.current.state.goroutines[record.g]?.name ?? '') : '';
    }
    if (travel.stopped !== '' || kernel.pendingChoice) return '';
    const g = kernel.nextRunnable;
    if (!g) return '';
    const result = g.result;
    const taken = typeof result === 'object' && result !== null && 'case' in result ? String(result.case) : '';
    return taken === '' ? g.name : `${g.name}: ${taken}`;
  }
}

/** Commands that are answered by the run itself, which in the past has to be executed again for that. */
const looksAtTheRun: ReadonlySet<Command['do']> = new Set<Command['do']>(['runnable', 'manifests', 'objects', 'logs']);

/** Does work whose command has its answer from elsewhere. */
function* later(work: Work): Work<typeof LATER> {
  yield* work;
  return LATER;
}

const specOf = ({ scenario, text, seed, era, deviations, interventions }: RunSpec): RunSpec => ({
  scenario,
  ...(text === undefined ? {} : { text }),
  ...(seed === undefined ? {} : { seed }),
  ...(era === undefined ? {} : { era }),
  ...(deviations === undefined ? {} : { deviations }),
  ...(interventions === undefined ? {} : { interventions }),
});

/** The run that was asked for, with what its scenario's text says that was done in it. */
const runOf = (source: SimulationSource, spec: RunSpec): RunSpec => source.open?.(specOf(spec)) ?? specOf(spec);

/** Returns what the simulation keeps; throws an Error if it keeps nothing of the kind. */
function kept<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${what} is not possible here: this simulation keeps none`);
  return value;
}

/**
 * Returns NAME.yaml from the manifest's metadata, as far as a glance can tell; the check of the manifest itself is
 * elsewhere.
 */
function defaultFile(manifest: string): string {
  const name = /^\s{0,8}["']?name["']?\s*:\s*["']?([a-z0-9]([-a-z0-9.]{0,200}[a-z0-9])?)["']?\s*,?\s*$/m.exec(
    manifest,
  )?.[1];
  return `${name ?? 'pod'}.yaml`;
}
