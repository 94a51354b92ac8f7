import { messageOf } from '../../base/index.js';
import type { RecordStore } from '../base/record-store.js';
import { type Progress, Stopped, type Work } from '../base/work.js';
import { answered, type CommandResult, ListenedBackend } from '../protocol/backend.js';
import {
  type Command,
  type CommandName,
  type CommandOf,
  canDo,
  endsOthers,
  type FleetCommand,
  isLooking,
  isQuery,
  type Query,
  type TwinCommand,
} from '../protocol/commands.js';
import type { RunState, SessionInfo } from '../protocol/protocol.js';
import type { ResultNamed, ResultOf, Results } from '../protocol/results.js';

/** The result of a handler when the command is answered later, by whoever took its `reply`. */
export const LATER = Symbol('answered later');
type Outcome = ResultNamed<CommandName> | typeof LATER;

/** Slices of work that a command is given at once; longer work goes on when the session is pumped. */
const AT_ONCE = 256;
/** Most commands that wait behind the one under way. */
const MOST_WAITING = 256;

export type Reply = (result: CommandResult) => void;
/** The handler of each command. A handler's value answers the command; an Error that it throws says why not. */
export type Handlers = {
  readonly [K in Exclude<CommandName, (Query | TwinCommand | FleetCommand)['do']>]: (
    command: CommandOf<K>,
    reply: Reply,
  ) => K extends keyof Results ? Work<Results[K] | typeof LATER> : Work<typeof LATER | undefined> | Work;
};
interface Task {
  readonly name: Command['do'];
  readonly work: Work<Outcome>;
  readonly reply: Reply;
  /** The view that the session shows until the work has ended: the work may stand halfway. */
  before: { readonly store: RecordStore; readonly run: RunState } | null;
  progress: Progress | undefined;
}

interface Aside {
  readonly command: Command;
  readonly reply: Reply;
  /** Null before it was begun; begun at `place`. */
  work: Work<Outcome> | null;
  place: string;
  progress: Progress | undefined;
}

/**
 * A session whose commands never hold its host's thread for long. One that takes its time goes on in slices while the
 * session is pumped; meanwhile the session shows what it showed before, with `busy` in its run state, and later
 * commands wait for their turn, steps for the step before them. `pause` stops the one under way; so do `load` and
 * `restart`, which come in its place.
 */
export abstract class WorkingBackend extends ListenedBackend {
  private task: Task | null = null;
  /**
   * Set by a host: begins a slice of its thread, and returns a function that says whether it is over. What a command
   * does at once looks there, too; without it only the number of slices is bounded.
   */
  beginSlice: (() => () => boolean) | null = null;
  private readonly waiting: { readonly command: Command; readonly reply: Reply }[] = [];
  /** Looks that take long: they go on while nothing else is to be done, and hold up no other command. */
  private readonly aside: Aside[] = [];

  /** The state of the session itself, whatever clients have been sent. */
  protected abstract get current(): RecordStore;
  protected abstract currentRun(): RunState;
  abstract readonly info: SessionInfo;
  /** The handlers of this session, for commands that are not queries, and its reason for refusing the others. */
  protected abstract readonly handlers: Partial<Handlers>;
  protected abstract refusal(command: Command): string;
  /** Answers a question about the records. */
  protected abstract answer<Q extends Query>(query: Q): Work<ResultOf<Q>>;
  /** Says why a command that the session can do must not come now, null if it may. */
  protected notNow(_command: Command): string | null {
    return null;
  }

  /** Does the command; its value answers it. An Error that it throws says why not. */
  private *carryOut(command: Command, reply: Reply): Work<Outcome> {
    if (isQuery(command)) return yield* this.answer(command);
    const handler = this.handlers[command.do as keyof Handlers] as
      | ((command: Command, reply: Reply) => Work<Outcome>)
      | undefined;
    if (!handler || !canDo(command, this.info.capabilities)) throw new Error(this.refusal(command));
    const why = this.notNow(command);
    if (why !== null) throw new Error(why);
    return yield* handler(command, reply);
  }

  /** Returns true for a command that only looks at what must first be executed again; it gives way to all others. */
  protected looksAside(_command: Command): boolean {
    return false;
  }
  /** The place that a look in progress is about; if it changes, the look begins again. */
  protected get place(): string {
    return '';
  }

  get store(): RecordStore {
    return this.task?.before?.store ?? this.current;
  }
  runState(): RunState {
    const { task } = this;
    const [look] = this.aside;
    if (!task && look?.progress) return { ...this.currentRun(), busy: { do: look.command.do, ...look.progress } };
    if (!task?.before) return this.currentRun();
    return { ...task.before.run, busy: { do: task.name, ...task.progress } };
  }
  protected get working(): boolean {
    return this.task !== null;
  }
  /** Called when the work under way has reached its target: from now on that is what the session shows. */
  protected arrived(): void {
    if (this.task) this.task.before = null;
  }

  /**
   * A step forward is under way, which goes on as the session is pumped: further steps come after it, and cut it not
   * short.
   */
  protected abstract get stepping(): boolean;

  /** Returns true if a command has to wait for the one under way, or for others that wait for that. */
  private mustWait({ do: what }: Command): boolean {
    if (this.task) return true;
    return this.stepping ? what === 'step' || this.waiting.length > 0 : false;
  }

  protected override perform(command: Command, reply: Reply): void {
    if (this.task || this.stepping || this.aside.length > 0) {
      if (!endsOthers(command) && this.mustWait(command)) {
        if (this.waiting.length >= MOST_WAITING)
          throw new Error(`${MOST_WAITING} commands already wait for the one under way: pause that first`);
        this.waiting.push({ command, reply });
        return;
      }
      if (endsOthers(command)) this.stopWork();
    }
    this.begin(command, reply);
    if (!this.task) this.takeWaiting();
  }
  private begin(command: Command, reply: Reply): void {
    if (!this.looksAside(command)) {
      this.start(command.do, this.carryOut(command, reply), reply);
      return;
    }
    this.aside.push({ command, reply, work: null, place: '', progress: undefined });
    let left = AT_ONCE;
    const expired = this.beginSlice?.();
    if (this.aside.length === 1) this.lookOn(() => left-- <= 0 || (expired?.() ?? false));
  }

  /** Goes on with the looks until `expired`. True while there are any. */
  protected lookOn(expired: () => boolean): boolean {
    while (!this.task && !this.stepping) {
      const [look] = this.aside;
      if (!look) return false;
      if (!this.looksAside(look.command)) {
        // The run that it needs is available by now, or must be waited for.
        this.aside.shift();
        const begun = look.place === this.place ? look.work : null;
        this.start(look.command.do, begun ?? this.carryOut(look.command, look.reply), look.reply);
        continue;
      }
      if (look.work === null || look.place !== this.place) {
        look.work = this.carryOut(look.command, look.reply);
        look.place = this.place;
      }
      let result: CommandResult | null = null;
      try {
        const got = look.work.next();
        if (got.done) result = answered(got.value === LATER ? undefined : got.value);
        else look.progress = got.value ?? look.progress;
      } catch (error) {
        result = { ok: false, error: messageOf(error) };
      }
      if (result) {
        this.aside.shift();
        look.reply(result);
      }
      if (expired()) break;
    }
    return this.aside.length > 0;
  }

  /** Begins work that answers a command; it must be the only one. */
  protected start(name: Command['do'], work: Work<Outcome>, reply: Reply): void {
    this.task = {
      name,
      work,
      reply,
      before: { store: this.current, run: this.currentRun() },
      progress: undefined,
    };
    let left = AT_ONCE;
    const expired = this.beginSlice?.();
    this.goOn(() => left-- <= 0 || (expired?.() ?? false));
  }

  /** Goes on with the work under way, and with what waits behind it, until `expired`. */
  protected pumpWork(expired: () => boolean): void {
    this.goOn(expired);
    if (!this.task) this.takeWaiting();
    this.tell('records');
    this.tell('run');
  }

  private goOn(expired: () => boolean): void {
    const { task } = this;
    while (task && this.task === task) {
      this.advance(task, () => task.work.next());
      if (this.task === task && expired()) return;
    }
  }

  private advance(task: Task, next: () => IteratorResult<Progress | undefined, Outcome>): void {
    let result: CommandResult;
    try {
      const got = next();
      if (!got.done) {
        task.progress = got.value ?? task.progress;
        return;
      }
      this.task = null;
      if (got.value === LATER) return;
      result = answered(got.value);
    } catch (error) {
      this.task = null;
      result = { ok: false, error: messageOf(error) };
    }
    task.reply(result);
  }

  /** Ends the work under way. Of the commands that wait behind it only those that look are still done. */
  private stopWork(): void {
    const { task, waiting } = this;
    const behind = waiting.splice(0);
    for (const look of this.aside.splice(0)) look.reply({ ok: false, error: new Stopped().message });
    // Work that cleans up may yield while it does.
    for (let first = true; task && this.task === task; first = false)
      this.advance(task, () => (first ? task.work.throw(new Stopped()) : task.work.next()));
    for (const entry of behind)
      if (isLooking(entry.command)) waiting.push(entry);
      else
        entry.reply({
          ok: false,
          error: `${entry.command.do} was waiting for the work that was stopped, so it was not done`,
        });
  }

  /** Begins what waits, as far as nothing is under way that it has to wait for. */
  protected takeWaiting(): void {
    while (!this.task && !this.stepping) {
      const next = this.waiting.shift();
      if (!next) return;
      this.begin(next.command, next.reply);
    }
  }
}
