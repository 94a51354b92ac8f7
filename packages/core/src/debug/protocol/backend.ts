import { messageOf } from '../../base/index.js';
import type { Json, Seq } from '../../trace/index.js';
import type { RecordStore } from '../base/record-store.js';
import type { Hit } from '../breakpoints/index.js';
import type { Command, CommandName } from './commands.js';
import type { RunState, SessionInfo } from './protocol.js';
import type { ResultNamed } from './results.js';

/** The result of a command: its answer, or the error. */
export type CommandResult =
  | { readonly ok: true; readonly value?: Json }
  | { readonly ok: false; readonly error: string };

/** The answer of a command that was done. The results of all commands are JSON. */
export const answered = (value: ResultNamed<CommandName>): CommandResult =>
  value === undefined ? { ok: true } : { ok: true, value: value as unknown as Json };

/**
 * `records`: there are new ones. `run`: the run state changed. `reset`: `info` and `store` are others now. `rewound`:
 * the store is another that ends sooner, the same as before up to there. `jumped`: the store is another that ends
 * later, of the same run.
 */
export type BackendChange = 'records' | 'run' | 'reset' | 'rewound' | 'jumped';

/**
 * A session as the server sees it: a simulation, or a kubelet that runs in this process. It keeps its own records and
 * tells when there is something to send; when that happens is its host's business (a pump, a timer).
 */
export interface SessionBackend {
  readonly info: SessionInfo;
  readonly store: RecordStore;
  /** Only while it tells that it went back: the last record that stays, if that is not the store's last. */
  readonly rewoundTo?: Seq | undefined;
  runState(): RunState;
  /** Returns the lines that logpoints wrote since the last call. */
  takeWritten?(): readonly Hit[];
  /**
   * Does the command, or refuses it with a reason; calls `reply` once, now or later, and then tells `run`, so that what
   * the command led to can be sent before its answer. It does not throw.
   */
  execute(command: Command, reply: (result: CommandResult) => void): void;
  /** Returns a function that removes the listener. */
  listen(listener: (change: BackendChange) => void): () => void;
}

/** The part that all sessions share: they have listeners, and an error in a command becomes its answer. */
export abstract class ListenedBackend {
  private readonly listeners = new Set<(change: BackendChange) => void>();
  /** A command was answered since the run state was last reported. */
  private answered = false;

  listen(listener: (change: BackendChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
  protected tell(change: BackendChange): void {
    if (change === 'run') this.answered = false;
    for (const listener of [...this.listeners]) listener(change);
  }
  protected forgetListeners(): void {
    this.listeners.clear();
  }

  execute(command: Command, reply: (result: CommandResult) => void): void {
    const answer = (result: CommandResult) => {
      this.answered = true;
      reply(result);
    };
    try {
      this.perform(command, answer);
    } catch (error) {
      answer({ ok: false, error: messageOf(error) });
    }
    this.tell('records');
    this.tell('run');
  }
  /** Reports the run state if it has changed, or if a command was answered that changed nothing. */
  protected tellRun(changed: boolean): void {
    if (changed || this.answered) this.tell('run');
  }
  /** Does the command and calls `reply`; throws an Error that says why not. */
  protected abstract perform(command: Command, reply: (result: CommandResult) => void): void;
}
