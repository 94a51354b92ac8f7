/**
 * Keeps the debugger's process running: starts it, feeds it, watches it, and restarts it when it has died, hangs or
 * uses too much memory. Nothing that happens there holds up the kubelet: nobody waits for that process, and its queue
 * is bounded.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Command, CommandResult, Hit, RunState } from '@syncloop/core/debug/live';
import { built } from '../base/built.js';
import { SetupError } from '../base/errors.js';
import { UsedCodeStore } from '../links/used-code-store.js';
import type { FrameRing } from './frame-ring.js';
import { FrameReader, frame, frameType } from './frames.js';
import { type FromDebugger, maxFrameFromDebugger, parseFromDebugger, type ServeRequest } from './messages.js';

/** The limits of the debugger's process. The defaults are those of a node. */
export interface DebuggerLimits {
  /** JavaScript heap, in MiB. */
  readonly heapMiB: number;
  /** Most memory of the process (RSS), in MiB: buffers and sockets are in no heap. */
  readonly rssMiB: number;
  /**
   * The process counts as hung when nothing has come from it for this long, in ms. It sends a sign of life each second.
   */
  readonly silentMillis: number;
  /** The same while it starts. */
  readonly startMillis: number;
  /** The time between two looks at it, in ms. */
  readonly lookMillis: number;
  /** Most frames from it between two looks. */
  readonly framesPerLook: number;
  /** The time on the kubelet's thread that its messages may take between two looks, in ms; then they wait. */
  readonly millisPerLook: number;
  /** Waits before it is started again, in ms: the first one, and the longest. Each is twice the one before. */
  readonly firstWaitMillis: number;
  readonly longestWaitMillis: number;
}

export const defaultLimits: DebuggerLimits = {
  heapMiB: 128,
  rssMiB: 256,
  silentMillis: 10_000,
  startMillis: 60_000,
  lookMillis: 1000,
  framesPerLook: 2000,
  millisPerLook: 50,
  firstWaitMillis: 1000,
  longestWaitMillis: 60_000,
};

/** Most bytes that wait in the pipe: more stays in the ring, which has a bound. */
const maxWaiting = 512 * 1024;
/** Bytes of answers that it may leave unread. */
const maxUnread = 1024 * 1024;
/** After a life of this length earlier deaths are forgotten, ms. */
const steadyMillis = 5 * 60_000;
/** The most characters of its last output that are reported. */
const maxLastWords = 4096;

export interface SupervisorOptions {
  readonly request: ServeRequest;
  readonly ring: FrameRing;
  readonly runState: () => RunState;
  readonly takeWritten: () => readonly Hit[];
  /** A command that a client may give and that only the kubelet's own thread can do. Calls back once, now or later. */
  readonly execute: (command: Command, reply: (result: CommandResult) => void) => void;
  /** Called when the last client that may do more than look has gone, and when the process has. */
  readonly uncontrolled: () => void;
  /** Called each time the process ended unexpectedly: why, and in how many ms it starts again. */
  readonly ended: (why: string, waitMillis: number) => void;
  /** The links that were used. Default: remembered as long as this lives. */
  readonly codes?: UsedCodeStore;
  readonly limits?: Partial<DebuggerLimits>;
  /** Monotonic, ms. */
  readonly now?: () => number;
  /** The program and its arguments, for tests. */
  readonly command?: (limits: DebuggerLimits) => readonly [program: string, ...args: string[]];
}

/** One life of the process. */
interface Life {
  readonly child: ChildProcess;
  readonly pipe: Duplex;
  readonly begun: number;
  /** The next frame of the ring that it needs; null: it needs a state first. */
  next: number | null;
  /** Milliseconds since it was heard of, counted by looks, so that a stopped kubelet does not blame it. */
  silent: number;
  frames: number;
  /** The time that its messages took since the last look, ms. */
  spent: number;
  /** Bytes of answers that it has not taken yet. */
  unread: number;
  listens: boolean;
  controllers: number;
  /** The reason why we ended it. */
  reason: string;
  fatalErrorHandler: string;
}

export class DebuggerSupervisor {
  private life: Life | null = null;
  private readonly limits: DebuggerLimits;
  private readonly now: () => number;
  private readonly looks: NodeJS.Timeout;
  private again: NodeJS.Timeout | null = null;
  private wait: number;
  private port: number;
  private closed = false;
  private announcedRun = '';
  private readonly codes: UsedCodeStore;
  private first: { resolve: (port: number) => void; reject: (err: Error) => void } | null = null;

  private constructor(private readonly options: SupervisorOptions) {
    this.limits = { ...defaultLimits, ...options.limits };
    this.now = options.now ?? (() => performance.now());
    this.wait = this.limits.firstWaitMillis;
    this.port = options.request.port;
    this.codes = options.codes ?? new UsedCodeStore();
    this.looks = setInterval(() => this.look(), this.limits.lookMillis);
    this.looks.unref();
  }

  /** Resolves once the process listens. Rejects with a SetupError when it cannot, and then nothing of it is left. */
  static async start(options: SupervisorOptions): Promise<DebuggerSupervisor> {
    const supervisor = new DebuggerSupervisor(options);
    try {
      await new Promise<number>((resolve, reject) => {
        supervisor.first = { resolve, reject };
        supervisor.spawn();
      });
    } catch (err) {
      await supervisor.close();
      throw err;
    }
    return supervisor;
  }

  /** The port at which it listens. */
  get listening(): number {
    return this.port;
  }
  /** The process that serves now, if one does. */
  get pid(): number | undefined {
    return this.life?.child.pid;
  }

  /** Bytes of frames that wait for the process; 0 if none runs that could take them. */
  get behind(): number {
    const { life } = this;
    if (life?.reason !== '') return 0;
    return this.options.ring.bytesFrom(life.next ?? 0) + life.pipe.writableLength;
  }

  /** Sends the frames that wait. Cheap, never waits, and does not throw. */
  flush(): void {
    const { life } = this;
    if (!life || life.pipe.destroyed || life.reason !== '') return;
    try {
      this.feed(life);
    } catch (err) {
      // The state is too large for JSON: a text has a limit.
      this.kill(life, `the state of the node cannot be sent to it (${(err as Error).message})`);
    }
  }

  private feed(life: Life): void {
    const { ring } = this.options;
    while (life.pipe.writableLength < maxWaiting) {
      const next = life.next === null ? undefined : ring.get(life.next);
      if (next === null) break;
      if (next === undefined) this.restate(life);
      else {
        life.pipe.write(next);
        (life.next as number)++;
      }
    }
    // The newest state is sent when the pipe has room; several changes in between are sent once.
    if (life.next === null || ring.get(life.next) !== null || life.pipe.writableLength >= maxWaiting) return;
    const run = JSON.stringify(this.options.runState());
    if (run !== this.announcedRun) life.pipe.write(frame(frameType.run, run));
    this.announcedRun = run;
    const written = this.options.takeWritten();
    if (written.length > 0) life.pipe.write(frame(frameType.written, JSON.stringify(written)));
  }

  /** Ends the process: it closes its sockets and goes, or is killed after a second. */
  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.looks);
    if (this.again) clearTimeout(this.again);
    const { life } = this;
    if (!life) return;
    const gone = new Promise<void>((resolve) => life.child.once('close', () => resolve()));
    life.pipe.resume();
    life.pipe.end();
    const timer = setTimeout(() => life.child.kill('SIGKILL'), 1000);
    await gone;
    clearTimeout(timer);
  }

  private restate(life: Life): void {
    const { state, next } = this.options.ring.start();
    life.pipe.write(frame(frameType.state, JSON.stringify(state)));
    life.next = next;
    this.announcedRun = '';
  }

  private spawn(): void {
    const [program, ...args] = (this.options.command ?? command)(this.limits);
    const child = spawn(program, args, {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      // It needs nothing of the kubelet's environment.
      env: { PATH: process.env.PATH ?? '', LANG: process.env.LANG ?? '' },
      cwd: '/',
    });
    const life: Life = {
      child,
      pipe: child.stdio[3] as Duplex,
      begun: this.now(),
      next: null,
      silent: 0,
      frames: 0,
      spent: 0,
      unread: 0,
      listens: false,
      controllers: 0,
      reason: '',
      fatalErrorHandler: '',
    };
    this.life = life;
    let over = false;
    const ended = (why: string) => {
      if (over) return;
      over = true;
      life.pipe.destroy();
      this.ended(life, why);
    };
    child.on('error', (err) => {
      ended(`it cannot be started: ${err.message}`);
    });
    child.on('close', (code, signal) => ended(signal === null ? `exit code ${code}` : `signal ${signal}`));
    if (child.pid === undefined) return;
    preferForOOM(child.pid);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      life.fatalErrorHandler = (life.fatalErrorHandler + text).slice(-maxLastWords);
    });
    child.stderr?.on('error', () => {});
    const reader = new FrameReader(maxFrameFromDebugger, (type, body) => this.take(life, type, body));
    life.pipe.on('data', (piece: Buffer) => {
      if (life.reason !== '' || this.closed) return;
      const before = this.now();
      try {
        reader.push(piece);
      } catch (err) {
        this.kill(life, `it sent something that cannot be read (${(err as Error).message})`);
      }
      life.spent += this.now() - before;
      // Further messages wait on its side until the next look.
      if (life.spent > this.limits.millisPerLook) life.pipe.pause();
    });
    // A process that dies takes its pipe with it: 'close' has the reason.
    life.pipe.on('error', () => {});
    life.pipe.on('drain', () => this.flush());
    const request: ServeRequest = { ...this.options.request, port: this.port, usedCodes: this.codes.all() };
    life.pipe.write(frame(frameType.serve, JSON.stringify(request)));
    this.flush();
  }

  private take(life: Life, type: number, body: string): void {
    if (life.reason !== '') return;
    life.silent = 0;
    if (++life.frames > this.limits.framesPerLook) throw new Error('too many messages');
    if (type !== frameType.message) throw new Error(`a frame has the unknown type ${type}`);
    const message: FromDebugger = parseFromDebugger(body);
    switch (message.type) {
      case 'listening':
        life.listens = true;
        this.port = message.port;
        this.first?.resolve(message.port);
        this.first = null;
        break;
      case 'failed':
        this.first?.reject(new SetupError(message.error));
        this.first = null;
        life.reason = message.error;
        break;
      case 'alive': {
        const had = life.controllers > 0;
        life.controllers = message.controllers;
        if (had && message.controllers === 0) this.options.uncontrolled();
        break;
      }
      case 'linkUsed':
        this.codes.add(message.used);
        break;
      case 'command': {
        const { id, command: given } = message;
        this.options.execute(given, (result) => {
          if (life.pipe.destroyed) return;
          const answer = frame(frameType.result, JSON.stringify({ id, result }));
          life.unread += answer.length;
          life.pipe.write(answer, () => {
            life.unread -= answer.length;
          });
          if (life.unread > maxUnread) this.kill(life, 'it does not read the answers to its commands');
        });
        break;
      }
    }
  }

  private look(): void {
    const { life, limits } = this;
    // This is also for an ended process: its end is reported only when its pipe was read to the end.
    if (life?.pipe.isPaused()) life.pipe.resume();
    if (life?.reason !== '') return;
    life.frames = 0;
    life.spent = 0;
    life.silent += limits.lookMillis;
    if (life.silent > (life.listens ? limits.silentMillis : limits.startMillis)) this.kill(life, 'it did not answer');
    else if (rssMiB(life.child.pid as number) > limits.rssMiB)
      this.kill(life, `it took more than ${limits.rssMiB} MiB of memory`);
    else if (this.now() - life.begun > steadyMillis) this.wait = limits.firstWaitMillis;
  }

  private kill(life: Life, reason: string): void {
    if (life.reason !== '') return;
    life.reason = reason;
    life.child.kill('SIGKILL');
  }

  private ended(life: Life, how: string): void {
    if (this.life === life) this.life = null;
    if (this.closed) return;
    const why = life.reason || lastWordsOf(life.fatalErrorHandler, this.limits) || how;
    if (this.first) {
      this.first.reject(
        new SetupError(`the debugger's process ended while it started: ${why}; leave it out with --no-ui`),
      );
      this.first = null;
      return;
    }
    this.options.uncontrolled();
    const wait = this.wait;
    this.wait = Math.min(2 * wait, this.limits.longestWaitMillis);
    this.options.ended(why, wait);
    this.again = setTimeout(() => {
      this.again = null;
      this.spawn();
    }, wait);
    this.again.unref();
  }
}

/**
 * Returns the reason in a process's last output: V8 prints much when its heap is full; otherwise the last line has it.
 */
function lastWordsOf(text: string, { heapMiB }: DebuggerLimits): string {
  if (/heap out of memory|Reached heap limit/i.test(text)) return `its heap grew beyond ${heapMiB} MiB`;
  return /^\w*Error.*$/m.exec(text)?.[0].slice(0, 300) ?? '';
}

/** Makes the kernel end the debugger first when memory runs out. */
function preferForOOM(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // This system has no such file.
  }
}

/** Returns the memory of a process, in MiB; 0 if that cannot be known. */
function rssMiB(pid: number): number {
  try {
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function command({ heapMiB }: DebuggerLimits): readonly [string, ...string[]] {
  return [
    process.execPath,
    `--max-old-space-size=${heapMiB}`,
    // A large young generation makes the process larger than its data.
    '--max-semi-space-size=2',
    '--disallow-code-generation-from-strings',
    '--no-addons',
    fileURLToPath(built('debugger/main.js')),
  ];
}
