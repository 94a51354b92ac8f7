import { messageOf } from '@syncloop/core/base';
import type {
  BackendChange,
  Command,
  CommandResult,
  Hit,
  LeanSimulationSession,
  RunState,
  SessionBackend,
  SessionInfo,
  TwinCommand,
  TwinSide,
  TwinState,
} from '@syncloop/core/debug';
import { answered, isTwinCommand, type ResultOf } from '@syncloop/core/debug';
import type { Micros, Millis, Seq, TraceRecord } from '@syncloop/core/trace';
import { All, type Kept, type ObservedSession } from '../../session/index.js';
import { type Cut, type Decision, decisionKinds, type TwinScenario, type Verdict } from '../base/types.js';
import type { BranchVerdict, Chance, CounterpartAnswer, PreventAnswer, Tick, TwinAnswer } from './answers.js';
import { type Moment, type PairedMoment, Pairing } from './pairing.js';
import type { CausesFound, Prevention, SeenFacts, TwinTools } from './tools.js';

type CommandOf<D extends TwinCommand['do']> = Extract<TwinCommand, { do: D }>;
type Doing = NonNullable<TwinState['doing']>;
type Reply = (result: CommandResult) => void;
/** Long work; each yield ends a slice, and may report the progress. */
type Job<T> = Generator<Doing | undefined, T>;

interface Task {
  readonly command: TwinCommand;
  readonly job: Job<ResultOf<TwinCommand>>;
  readonly reply: Reply;
  doing: Doing | undefined;
}

const other = (side: TwinSide): TwinSide => (side === 'seen' ? 'twin' : 'seen');

/** A twin that was made. */
interface Made {
  readonly session: LeanSimulationSession;
  readonly answer: TwinAnswer;
  readonly pairing: Pairing;
  readonly seen: readonly TraceRecord[];
  readonly unlisten: () => void;
}

/**
 * An observed run and, once it was asked for, the twin that re-enacts it. One of the two is shown, and answers all
 * commands but those of this session.
 */
export class TwinSession implements SessionBackend {
  private side: TwinSide = 'seen';
  private made: Made | null = null;
  private count = 0;
  /** The causes of the twin that they were searched for; null if they were not searched. */
  private causesFound: CausesFound | null = null;
  /** The changes that were run to prevent an incident; null if none were. */
  private prevention: Prevention | null = null;
  /** Another scenario was loaded: it is a simulation like any other. */
  private left = false;
  private tools: TwinTools | null = null;
  /** Moves, which run one after the other; and long work, which does not delay them. */
  private readonly going: Task[] = [];
  private readonly long: Task[] = [];
  /** The positions of both runs when one was last moved to the moment of the other. */
  private together: { readonly seen: Seq; readonly twin: Seq } | null = null;
  private readonly listeners = new Set<(change: BackendChange) => void>();
  private slices: (() => () => boolean) | null = null;

  constructor(
    readonly seen: ObservedSession,
    private readonly load: () => Promise<TwinTools>,
  ) {
    this.follow(seen);
  }

  private follow(session: SessionBackend): () => void {
    return session.listen((change) => {
      if (session === this.active) this.tell(change);
    });
  }

  // --- SessionBackend ------------------------------------------------------------------------------------------------

  private get active(): ObservedSession | LeanSimulationSession {
    return this.side === 'twin' && this.made ? this.made.session : this.seen;
  }
  get info(): SessionInfo {
    const { active, seen, made } = this;
    const { info } = active;
    if (this.left) return info;
    const { zoneMinutes } = seen.info;
    return {
      ...info,
      capabilities: { ...info.capabilities, twin: true },
      // The twin's times are read together with those of the log.
      ...(zoneMinutes !== undefined && { zoneMinutes }),
      ...(active !== seen && made && { epochMillis: seen.info.epochMillis + made.answer.scenario.seenFrom / 1000 }),
    };
  }
  get store() {
    return this.active.store;
  }
  get rewoundTo(): Seq | undefined {
    const { active } = this;
    return 'rewoundTo' in active ? active.rewoundTo : undefined;
  }
  runState(): RunState {
    const run = this.active.runState();
    if (this.left) return run;
    const doing = this.long[0]?.doing;
    return { ...run, twin: { side: this.side, made: this.count, ...(doing && { doing }) } };
  }
  takeWritten(): readonly Hit[] {
    return this.active.takeWritten();
  }
  listen(listener: (change: BackendChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
  private tell(change: BackendChange): void {
    for (const listener of [...this.listeners]) listener(change);
  }

  get beginSlice(): (() => () => boolean) | null {
    return this.slices;
  }
  set beginSlice(begin: (() => () => boolean) | null) {
    this.slices = begin;
    this.seen.beginSlice = begin;
    if (this.made) this.made.session.beginSlice = begin;
  }

  /** Goes on with the run that is shown, and with the jobs of the session. See RunControl.pump. */
  pump(elapsed: Millis, expired: () => boolean): Millis | null {
    const again = this.active.pump(elapsed, expired);
    const moved = this.work(this.going, expired);
    const worked = this.work(this.long, expired);
    if (moved || worked) this.tell('run');
    return this.going.length + this.long.length > 0 ? 0 : again;
  }

  execute(command: Command, reply: Reply): void {
    if (isTwinCommand(command)) {
      this.begin(command, reply);
      return;
    }
    if (command.do === 'pause') this.stopLong();
    if (this.side === 'twin' && this.made && command.do === 'restart') {
      // The twin's records are kept: the verdict is about them.
      this.active.execute({ do: 'go', to: { step: 0 } }, reply);
      return;
    }
    if (this.side === 'twin' && this.made && command.do === 'load') {
      const { left } = this;
      this.left = true;
      this.active.execute(command, (result) => {
        if (!result.ok) this.left = left;
        reply(result);
      });
      return;
    }
    this.active.execute(command, reply);
  }

  // --- what takes its time -------------------------------------------------------------------------------------------

  private begin(command: TwinCommand, reply: Reply): void {
    const goes = command.do === 'side' || command.do === 'counterpart';
    // A new twin replaces the one that is being made.
    if (REPLACING.has(command.do)) this.stopLong();
    const queue = goes ? this.going : this.long;
    if (queue.length >= MOST_WAITING) {
      reply({ ok: false, error: `${MOST_WAITING} commands already wait for the one under way: pause that first` });
      return;
    }
    queue.push({ command, job: this.job(command), reply, doing: undefined });
    if (goes) {
      const expired = this.slices?.();
      let left = AT_ONCE;
      this.work(queue, () => left-- <= 0 || (expired?.() ?? false));
    }
    this.tell('run');
  }

  /** Goes on with the first of a queue until `expired`. False if there was nothing to do. */
  private work(queue: Task[], expired: () => boolean): boolean {
    const [task] = queue;
    if (!task) return false;
    do {
      try {
        const next = task.job.next();
        if (!next.done) {
          task.doing = next.value ?? task.doing;
          continue;
        }
        this.done(queue, task, answered(next.value));
      } catch (error) {
        this.done(queue, task, { ok: false, error: messageOf(error) });
      }
      return true;
    } while (!expired());
    return true;
  }
  private done(queue: Task[], task: Task, result: CommandResult): void {
    const at = queue.indexOf(task);
    if (at >= 0) queue.splice(at, 1);
    task.reply(result);
  }
  private stopLong(): void {
    for (const task of this.long.splice(0)) {
      task.job.return(undefined);
      task.reply({ ok: false, error: 'it was stopped before it was done' });
    }
  }

  private job(command: TwinCommand): Job<ResultOf<TwinCommand>> {
    if (this.left) throw new Error('another scenario was loaded: the observed run is no longer here; open it again');
    switch (command.do) {
      case 'reenact':
        if (command.remedy !== undefined) return this.withRemedy(command.remedy);
        return command.cause === undefined ? this.reenact(command) : this.withCause(command.cause);
      case 'twin':
        return answer(this.made?.answer ?? null);
      case 'side':
        return this.show(command.side, command);
      case 'counterpart':
        return this.counterpart();
      case 'hold':
        return this.compareBranch(command.branch);
      case 'chance':
        return this.chance(command.tries);
      case 'causes':
        return this.causes(command.tries);
      case 'prevent':
        return this.prevent(command);
      case 'prevented':
        return answer(this.prevention?.answer ?? null);
    }
  }

  private get facts(): SeenFacts {
    const { info, observation } = this.seen;
    return {
      epochMicros: info.epochMillis === 0 ? null : info.epochMillis * 1000,
      version: observation.facts.version,
      node: info.node,
    };
  }

  private mustBeMade(): Made {
    if (!this.made) throw new Error('there is no twin yet: re-enact the observed run first');
    return this.made;
  }

  private *loaded(): Job<TwinTools> {
    let failed: unknown;
    if (!this.tools)
      this.load().then(
        (tools) => {
          this.tools = tools;
        },
        (error: unknown) => {
          failed = error ?? new Error('it did not say why');
        },
      );
    while (!this.tools) {
      if (failed !== undefined)
        throw new Error(`the part of the program that makes twins could not be loaded (${messageOf(failed)})`);
      yield { what: 'load', done: 0, of: null };
    }
    return this.tools;
  }

  /** Reads the records of the part that is re-enacted; all of them, unless a part was chosen. */
  private *recordsOf(tools: TwinTools, cut: Cut | undefined): Job<TraceRecord[]> {
    const of = this.seen.runState().reading?.records ?? null;
    const kept = cut ? tools.part(cut) : new All();
    let done = 0;
    const counting: Kept = {
      get records() {
        return kept.records;
      },
      get weight() {
        return kept.weight;
      },
      take(record) {
        done++;
        return kept.take(record);
      },
    };
    const work = this.seen.records(counting);
    for (let next = work.next(); ; next = work.next()) {
      if (next.done) return next.value;
      yield { what: 'read', done, of };
    }
  }

  private *reenact({ text, era, ...part }: CommandOf<'reenact'>): Job<TwinAnswer> {
    const tools = yield* this.loaded();
    // A twin that is made again, with another text or version, is of the same part.
    const again = text !== undefined || era !== undefined;
    const cut = chosen(part) ?? (again ? this.made?.answer.scenario.cut : undefined);
    const seen = yield* this.recordsOf(tools, cut);
    yield { what: 'write', done: 0, of: null };
    const own = tools.make(seen, this.facts, { era, cut });
    const edited = text !== undefined && text !== own.text;
    this.causesFound = null;
    return yield* this.make(tools, seen, edited ? tools.withText(own, text) : own, edited, null);
  }

  private *make(
    tools: TwinTools,
    seen: readonly TraceRecord[],
    scenario: TwinScenario,
    edited: boolean,
    chance: Chance | null,
    { cause = null, remedy = null }: { readonly cause?: number | null; readonly remedy?: number | null } = {},
  ): Job<TwinAnswer> {
    const { until } = scenario;
    const progress = (time: Micros): Doing => ({ what: 'run', done: Math.min(time, until), of: until });
    yield progress(0);
    const session = tools.simulate(scenario, `${this.seen.info.id}-twin-${this.count + 1}`);
    session.beginSlice = this.slices;
    // The run goes to its end, so that any later change begins a branch.
    const gone = send(session, { do: 'go', to: { time: until } });
    for (let next = gone.next(); !next.done; next = gone.next()) yield progress(session.runState().time);
    const twin = yield* silently(session.recordsUntil(until));
    yield { what: 'hold', done: 0, of: null };
    const verdict = tools.compare(seen, twin, scenario, this.facts);
    const { from = 0, to = Number.POSITIVE_INFINITY } = scenario.cut ?? {};
    // The session alone needs the document; whoever looks at it has the text.
    const { document: _, ...shown } = scenario;
    const answered: TwinAnswer = {
      made: this.count + 1,
      scenario: shown,
      seenTo: seen.at(-1)?.seq ?? 0,
      edited,
      verdict,
      ticks: {
        seen: ticks(tools.decisionsOf(seen).filter(({ time }) => time >= from && time <= to)),
        twin: ticks(tools.decisionsOf(twin)),
      },
      coverage: tools.coverageOf(seen),
      chance,
      causes: this.causesFound?.answer ?? null,
      cause,
      remedy,
    };
    this.made?.unlisten();
    this.made = {
      session,
      answer: answered,
      pairing: new Pairing(momentsOf(verdict, seen, twin), scenario.seenFrom),
      seen,
      unlisten: this.follow(session),
    };
    this.count++;
    this.together = null;
    if (this.side === 'twin') {
      const { seq, time } = this.seen.runState();
      yield* this.goTo('twin', this.made.pairing.other('seen', seq, time));
      this.tell('reset');
    }
    return answered;
  }

  private *chance(tries: number | undefined): Job<TwinAnswer> {
    const { answer: before, seen } = this.mustBeMade();
    const tools = yield* this.loaded();
    const search = tools.search(seen, before.scenario, this.facts, tries);
    let next = search.next();
    for (; !next.done; next = search.next()) yield next.value && { what: 'search', ...next.value };
    const { text, chance } = next.value;
    if (text !== null) this.causesFound = null;
    if (text !== null) return yield* this.make(tools, seen, { ...before.scenario, text }, before.edited, chance);
    const made = { ...this.mustBeMade(), answer: { ...before, chance } };
    this.made = made;
    return made.answer;
  }

  private *causes(tries: number | undefined): Job<TwinAnswer> {
    const { answer: before, seen } = this.mustBeMade();
    const tools = yield* this.loaded();
    const search = tools.causes(seen, before.scenario, this.facts, tries);
    try {
      while (!search.work.next().done) yield { what: 'causes', ...search.progress };
    } finally {
      // Also if somebody has stopped it: what was found counts.
      this.causesFound = search.found();
      this.made = { ...this.mustBeMade(), answer: { ...before, causes: this.causesFound.answer, cause: null } };
    }
    return this.mustBeMade().answer;
  }

  /** Makes the twin with one of the causes that were found. */
  private *withCause(place: number): Job<TwinAnswer> {
    const { seen } = this.mustBeMade();
    const scenario = this.causesFound?.scenarios[place];
    if (!scenario) throw new Error(`there is no cause at place ${place}: search for causes first`);
    const tools = yield* this.loaded();
    return yield* this.make(tools, seen, scenario, true, null, { cause: place });
  }

  /** Runs what would have prevented an incident, in the twin as the evidence gives it. */
  private *prevent({ incident: kind, tries, ...part }: CommandOf<'prevent'>): Job<PreventAnswer> {
    const tools = yield* this.loaded();
    const cut = chosen(part) ?? this.made?.answer.scenario.cut;
    const seen = yield* this.recordsOf(tools, cut);
    yield { what: 'write', done: 0, of: null };
    const search = tools.prevent(tools.make(seen, this.facts, { cut }), { kind, tries });
    let ended = false;
    try {
      while (!search.work.next().done) yield { what: 'prevent', ...search.progress };
      ended = true;
    } finally {
      // Also if somebody has stopped it: what was found counts.
      this.prevention = search.found(ended);
    }
    return this.prevention.answer;
  }

  /** Makes the twin with one of the remedies that were run. */
  private *withRemedy(place: number): Job<TwinAnswer> {
    const scenario = this.prevention?.scenarios[place];
    if (!scenario) throw new Error(`there is no remedy at place ${place}: run what would have prevented it first`);
    const tools = yield* this.loaded();
    const seen = yield* this.recordsOf(tools, scenario.cut);
    this.causesFound = null;
    return yield* this.make(tools, seen, scenario, true, null, { remedy: place });
  }

  private *compareBranch(branch: number | undefined): Job<BranchVerdict> {
    const { session, seen, answer: of } = this.mustBeMade();
    const tools = yield* this.loaded();
    const { until } = of.scenario;
    const work = session.recordsUntil(until, branch);
    let next = work.next();
    for (; !next.done; next = work.next()) yield { what: 'run', done: next.value?.time ?? 0, of: until };
    yield { what: 'hold', done: 0, of: null };
    const verdict = tools.compare(seen, next.value, of.scenario, this.facts);
    return { ...verdict, ticks: ticks(tools.decisionsOf(next.value)) };
  }

  // --- from the one to the other -------------------------------------------------------------------------------------

  private *show(side: TwinSide, { seen, twin }: { readonly seen?: Seq; readonly twin?: Seq }): Job<undefined> {
    const { session, pairing } = this.mustBeMade();
    if (seen === undefined && twin === undefined) {
      if (side !== this.side) yield* this.meet();
    } else {
      if (seen !== undefined) yield* this.goTo('seen', { seq: seen });
      if (twin !== undefined) yield* this.goTo('twin', { seq: twin });
      const from = seen === undefined ? 'twin' : 'seen';
      if (seen === undefined || twin === undefined) {
        const { seq, time } = (from === 'seen' ? this.seen : session).runState();
        const until = from === 'twin' ? session.leftMainAt : undefined;
        yield* this.goTo(other(from), pairing.about(from, seq) ?? pairing.other(from, seq, time, until));
      }
      this.noteTogether();
    }
    if (side === this.side) return undefined;
    yield* send(this.active, { do: 'pause' });
    this.side = side;
    this.tell('reset');
    return undefined;
  }
  private noteTogether(): void {
    const { session } = this.mustBeMade();
    this.together = { seen: this.seen.runState().seq, twin: session.runState().seq };
  }

  /** Moves the run that is not shown to the moment of the shown one. */
  private *meet(): Job<undefined> {
    const { session, pairing } = this.mustBeMade();
    const { seq, time } = this.active.runState();
    const here = { seen: this.seen.runState().seq, twin: session.runState().seq };
    if (this.together?.seen === here.seen && this.together.twin === here.twin) return undefined;
    const until = this.side === 'twin' ? session.leftMainAt : undefined;
    yield* this.goTo(other(this.side), pairing.other(this.side, seq, time, until));
    this.noteTogether();
    return undefined;
  }

  private *goTo(side: TwinSide, to: Moment): Job<undefined> {
    const { session } = this.mustBeMade();
    const result = yield* send(side === 'seen' ? this.seen : session, { do: 'go', to });
    if (!result.ok) throw new Error(result.error);
    return undefined;
  }

  private *counterpart(): Job<CounterpartAnswer> {
    const { session } = this.mustBeMade();
    yield* this.meet();
    const side = other(this.side);
    const { store } = side === 'seen' ? this.seen : session;
    const { seq, time } = (side === 'seen' ? this.seen : session).runState();
    const found: CounterpartAnswer = { side, seq, time, state: store.state };
    // It goes on changing in its place.
    return JSON.parse(JSON.stringify(found)) as CounterpartAnswer;
  }
}

/** Returns the part that a command names; undefined if it names none. */
const chosen = ({ from, to, pods }: Cut): Cut | undefined =>
  from === undefined && to === undefined && pods === undefined
    ? undefined
    : { ...(pods && { pods }), ...(from !== undefined && { from }), ...(to !== undefined && { to }) };

/** Long work that takes the place of what is under way. */
const REPLACING: ReadonlySet<Command['do']> = new Set<Command['do']>(['reenact', 'chance', 'causes', 'prevent']);
/** Most commands that wait behind the one under way. */
const MOST_WAITING = 64;
/** Slices of going somewhere that are done at once. */
const AT_ONCE = 256;

function* answer<T>(value: T): Job<T> {
  return value;
}

/** Runs work of a session as a job without reports of its progress. */
function* silently<T>(work: Generator<unknown, T>): Job<T> {
  for (;;) {
    const next = work.next();
    if (next.done) return next.value;
    yield undefined;
  }
}

/** Has a session do a command, and gives it time until it has answered. */
function* send(session: ObservedSession | LeanSimulationSession, command: Command): Job<CommandResult> {
  const got: { result?: CommandResult } = {};
  session.execute(command, (result) => {
    got.result = result;
  });
  while (!got.result) {
    let left = PUMPED;
    session.pump(0, () => left-- <= 0);
    if (!got.result) yield undefined;
  }
  return got.result;
}
/** The amount of work between two looks at the time. */
const PUMPED = 8;

const ticks = (decisions: readonly Decision[]): Tick[] =>
  decisions.map(({ kind, seq, time }) => [decisionKinds.indexOf(kind), seq, time] as const);

function momentsOf(
  { pairs }: Pick<Verdict, 'pairs'>,
  seen: readonly TraceRecord[],
  twin: readonly TraceRecord[],
): PairedMoment[] {
  const bySeq = (records: readonly TraceRecord[]) => new Map(records.map((record) => [record.seq, record] as const));
  const [inSeen, inTwin] = [bySeq(seen), bySeq(twin)];
  return pairs.map((pair) => ({
    seen: { seq: pair.seen, time: inSeen.get(pair.seen)?.time ?? 0 },
    twin: { seq: pair.twin, time: inTwin.get(pair.twin)?.time ?? 0 },
    basis: inSeen.get(pair.seen)?.basis ?? [],
  }));
}
