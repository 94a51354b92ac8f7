/**
 * The main thread of `syncloop serve`. It computes nothing, so it always receives signals, and it watches the thread
 * that computes.
 */
import { Worker } from 'node:worker_threads';
import { built } from '../base/built.js';
import { SetupError, UsageError } from '../base/errors.js';
import type { FromThread, Serving, ThreadSettings, ToThread } from './simulation-thread.js';

/** Memory of the simulation's thread, MB: its records, all branches in memory, and the data of programs in it. */
export const THREAD_MEMORY_MB = 1024;
/**
 * The time between two questions to the thread whether it reacts, ms, and the number of questions in a row that it may
 * leave unanswered before it is ended.
 */
const ASK_MILLIS = 1000;
export const MOST_SILENT = 10;
/** The time that it has to close its connections, ms. */
const CLOSE_MILLIS = 1000;
/** A thread that ends more often than this within a minute is not started again. */
const MOST_ENDS = 5;
const MINUTE = 60_000;

/** The part of a thread that is used here; tests pass their own. */
export interface WatchedThread {
  postMessage(message: ToThread): void;
  on(event: 'message', listener: (message: FromThread) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: () => void): unknown;
  /** Ends it, whatever it computes. */
  terminate(): Promise<unknown>;
}

/** The world that the watch needs: threads, and a timer in ms. */
export interface WatchOptions {
  readonly start?: (settings: ThreadSettings) => WatchedThread;
  readonly every?: (millis: number, then: () => void) => () => void;
  readonly now?: () => number;
  /** Called each time a thread had to be replaced, with a sentence that says why. */
  readonly onRestart: (why: string) => void;
}

function startThread(settings: ThreadSettings): WatchedThread {
  return new Worker(built('simulation/simulation-thread.js'), {
    workerData: settings,
    // The product's own way to load modules, whatever runs the main thread.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MEMORY_MB },
  });
}

function everyMillis(millis: number, then: () => void): () => void {
  const timer = setInterval(then, millis);
  return () => clearInterval(timer);
}

/**
 * Keeps a simulation served: a thread that dies or no longer reacts is replaced by one at the same port, with the same
 * tokens.
 */
export class SimulationWatch {
  private thread: WatchedThread | null = null;
  private silent = 0;
  private readonly ends: number[] = [];
  private stopTimer: (() => void) | null = null;
  private closing = false;
  private generation = 0;
  private fail: (error: Error) => void = () => {};
  /** Rejects when it is given up. */
  readonly failed: Promise<never>;

  constructor(
    private settings: ThreadSettings,
    private readonly options: WatchOptions,
  ) {
    this.failed = new Promise((_, reject) => {
      this.fail = reject;
    });
    this.failed.catch(() => {});
  }

  /** Resolves once it serves. Rejects with a SetupError, or with the problem of the scenario. */
  async open(): Promise<Serving> {
    const serving = await this.start();
    const { port, audience } = serving;
    this.settings = {
      ...this.settings,
      port,
      audience:
        this.settings.audience && audience
          ? { ...this.settings.audience, port: audience.port, token: audience.token }
          : null,
    };
    this.stopTimer = (this.options.every ?? everyMillis)(ASK_MILLIS, () => this.ask());
    return serving;
  }

  /** Ends the thread: it may close its connections if it still reacts, and is terminated soon in any case. */
  async close(): Promise<void> {
    this.closing = true;
    this.stopTimer?.();
    const { thread } = this;
    if (!thread) return;
    const closed = new Promise<void>((resolve) => {
      thread.on('message', (message) => message.is === 'closed' && resolve());
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_MILLIS);
    });
    thread.postMessage('close');
    await Promise.race([closed, late]);
    clearTimeout(timer);
    await thread.terminate();
  }

  private start(): Promise<Serving> {
    const generation = ++this.generation;
    const settings = generation === 1 ? this.settings : { ...this.settings, id: `${this.settings.id}-${generation}` };
    const thread = (this.options.start ?? startThread)(settings);
    this.thread = thread;
    this.silent = 0;
    return new Promise((resolve, reject) => {
      let why = 'its thread ended';
      thread.on('message', (message) => {
        if (message.is === 'alive' && this.thread === thread) this.silent = 0;
        else if (message.is === 'serving') resolve(message.serving);
        else if (message.is === 'moved') this.moved(message.host);
        else if (message.is === 'failed') {
          reject(asError(message));
          void thread.terminate();
        }
      });
      thread.on('error', (error) => {
        const full = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
        why = full ? `it has used up its ${THREAD_MEMORY_MB} MB of memory` : error.message;
      });
      thread.on('exit', () => {
        reject(new Error(why));
        // It may have reported just before that it serves: whoever waits for that goes on first.
        queueMicrotask(() => {
          if (this.thread === thread && !this.closing && this.stopTimer) this.replace(why);
        });
      });
    });
  }

  /** A thread that takes this one's place serves the class at the same address. */
  private moved(host: string): void {
    const { audience } = this.settings;
    if (audience) this.settings = { ...this.settings, audience: { ...audience, host } };
  }

  private ask(): void {
    if (this.silent >= MOST_SILENT) {
      const { thread } = this;
      this.replace(`it has not reacted for ${(MOST_SILENT * ASK_MILLIS) / 1000} s`, thread?.terminate());
      return;
    }
    this.silent++;
    this.thread?.postMessage('alive?');
  }

  /** Starts another thread once `gone` resolves, so that the port is free. */
  private replace(why: string, gone: Promise<unknown> = Promise.resolve()): void {
    this.thread = null;
    this.silent = Number.NEGATIVE_INFINITY;
    const now = (this.options.now ?? Date.now)();
    this.ends.push(now);
    while ((this.ends[0] as number) < now - MINUTE) this.ends.shift();
    if (this.ends.length > MOST_ENDS) {
      this.fail(new SetupError(`the simulation ended ${this.ends.length} times within a minute, last because ${why}`));
      return;
    }
    this.options.onRestart(why);
    void gone.then(() => {
      if (!this.closing) this.start().catch((error: Error) => this.fail(error));
    });
  }
}

/** The error that the thread threw, with its class: errors that are shown without a stack are known by that. */
function asError({ name, message }: { readonly name: string; readonly message: string }): Error {
  if (name === 'UsageError') return new UsageError(message);
  if (name === 'SetupError') return new SetupError(message);
  return Object.assign(new Error(message), { name });
}
