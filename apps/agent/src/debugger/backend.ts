/** The session that the debugger's process serves: records come from the kubelet, and commands go to it. */
import {
  answered,
  answerQuery,
  type Command,
  type CommandResult,
  type Hit,
  isQuery,
  ListenedBackend,
  RecordStore,
  type RunState,
  type SessionBackend,
  type SessionInfo,
} from '@syncloop/core/debug/live';
import { cloneState, type NodeState, type TraceRecord } from '@syncloop/core/trace';
import { Questions } from './questions.js';

/** Most commands that wait for the kubelet. */
const maxCommands = 256;

/** Commands that only the kubelet's own thread can do. */
const forKubelet: ReadonlySet<Command['do']> = new Set(['pause', 'resume', 'step', 'breakpoints']);

export class LiveBackend extends ListenedBackend implements SessionBackend {
  store: RecordStore;
  private run: RunState;
  private written: Hit[] = [];
  private readonly waiting = new Map<number, (result: CommandResult) => void>();
  private commands = 0;
  private readonly questions = new Questions();

  constructor(
    readonly info: SessionInfo,
    private readonly capacity: number,
    state: NodeState,
    /** Sends a command to the kubelet. */
    private readonly send: (id: number, command: Command) => void,
  ) {
    super();
    this.store = this.storeFrom(state);
    this.run = {
      running: true,
      seq: this.store.last,
      time: this.store.state.time,
      steps: 0,
      iterations: this.store.state.counts.iterations,
      speed: { mode: 'time', factor: 1 },
      choice: null,
      next: '',
      stopped: '',
      hits: [],
    };
  }

  /** Starts over at this state: the kubelet went on without us. */
  restate(state: NodeState): void {
    this.store = this.storeFrom(state);
    this.tell('reset');
  }
  take(records: readonly TraceRecord[]): void {
    for (const record of records) this.store.push(record);
    this.tell('records');
  }
  runs(run: RunState): void {
    this.run = run;
    this.tell('run');
  }
  wrote(hits: readonly Hit[]): void {
    this.written.push(...hits);
    this.tell('run');
  }
  answer(id: number, result: CommandResult): void {
    const reply = this.waiting.get(id);
    this.waiting.delete(id);
    reply?.(result);
    this.tellRun(false);
  }

  runState(): RunState {
    return this.run;
  }
  takeWritten(): readonly Hit[] {
    return this.written.splice(0);
  }

  protected perform(command: Command, reply: (result: CommandResult) => void): void {
    if (isQuery(command))
      this.questions.ask(
        () => answered(answerQuery(this.store, command)),
        (result) => {
          reply(result);
          this.tellRun(false);
        },
      );
    else if (forKubelet.has(command.do)) {
      if (this.waiting.size >= maxCommands)
        throw new Error(`${maxCommands} commands wait already: ask again when they are done`);
      const id = ++this.commands;
      this.waiting.set(id, reply);
      this.send(id, command);
    } else if (command.do === 'manifests' || command.do === 'scenarios') reply({ ok: true, value: [] });
    else throw new Error(`${command.do} is not possible on a live node: it is for simulations`);
  }

  close(): void {
    this.questions.close();
    this.forgetListeners();
  }

  private storeFrom(state: NodeState): RecordStore {
    // A state that came as JSON has maps with a prototype.
    return new RecordStore({ capacity: this.capacity }, cloneState(state));
  }
}
