/**
 * Runs a command that reads strangers' files in a process of its own: at worst they fill and kill that process. The
 * process that the user started reads nothing, so it always hears signals and can report what happened.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { built } from '../base/built.js';
import { peekFlags } from '../cli/args.js';
import type { IO } from '../cli/io.js';
import { type LimitName, type Limits, limitFlags, limitsOf, limitText, remedy } from './limits.js';
import type { Progress } from './progress.js';

const MiB = 1024 * 1024;
/** The memory besides the heap of JavaScript, bytes: code, buffers, threads. */
const BESIDE_HEAP = 160 * MiB;
/** The interval in which memory is measured, ms. */
const LOOK = 100;
/** The time that the process has after a signal to close what it serves, ms. */
const CLOSE = 2000;
/** The multiple of the time limit after which the process is killed. */
const GRACE = 1.2;
/** The time until progress is shown first, and between two lines without a terminal, ms. */
const FIRST = 1000;
const EVERY = 10_000;
/** The size of one half of the young generation, MiB. */
const MOST_YOUNG = 32;

export interface BoundedOptions {
  /** The exit code if a limit ends the process. */
  readonly code: number;
  /** For tests: the program, and how its memory is measured. */
  readonly program?: URL;
  readonly memoryOf?: (pid: number) => Promise<number>;
}

/** The reason why a process ends: a limit, or the user. */
type End = LimitName | NodeJS.Signals;

/** Resolves with the exit code. Output goes to this process's own streams; progress to standard error. */
export async function runBounded(
  name: string,
  argv: readonly string[],
  io: IO,
  { code: codeOfLimit, program = built('main-bounded.js'), memoryOf = residentMemory }: BoundedOptions,
): Promise<number> {
  const limits = limitsOf(peekFlags(argv, limitFlags));
  const heap = Math.floor((limits.memory - BESIDE_HEAP) / MiB);
  let end: End | null = null;
  const kill = (why: End) => {
    end ??= why;
    child.kill('SIGKILL');
  };
  let serves = false;
  // Before the child is there: a signal that comes while it is made would end this process alone.
  const signals = onSignals(
    () => child,
    () => serves,
    kill,
  );
  // Evidence lives as long as some pieces after it: in a larger young generation most of it is never copied.
  const young = Math.max(MOST_YOUNG / 8, Math.min(MOST_YOUNG, Math.floor(heap / 16)));
  const flags = [`--max-old-space-size=${heap}`, `--max-semi-space-size=${young}`];
  const child = spawn(process.execPath, [...flags, program.pathname, name, ...argv], {
    stdio: ['inherit', 'inherit', 'pipe', 'ipc'],
  });
  const line = new ProgressLine(io);
  let last: Progress = { doing: 'starting' };
  child.on('message', (message: Progress) => {
    last = message;
    if (message.serving) {
      serves = true;
      clearTimeout(timer);
    }
    line.show(message);
  });
  const stderr = withoutCrash((text) => {
    line.clear();
    io.err(text);
  });
  child.stderr?.setEncoding('utf8').on('data', stderr);
  const watch = setInterval(() => {
    void memoryOf(child.pid as number).then((bytes) => {
      if (bytes > limits.memory) kill('memory');
    });
  }, LOOK);
  // Reading ends by itself in time, and its result is still to be written.
  const millis = limits.millis * GRACE + CLOSE;
  const timer = millis > 2 ** 31 - 1 ? undefined : setTimeout(() => kill('time'), millis);
  try {
    const { code, signal } = await over(child);
    line.clear();
    const met = endOf(end, signal);
    if (met === null) return code ?? 1;
    clean(argv);
    if (met.startsWith('SIG')) return 128 + (SIGNAL_NUMBERS[met as NodeJS.Signals] ?? 0);
    io.err(`syncloop: ${limitMessage(name, argv, met as LimitName, limits, last)}\n`);
    return codeOfLimit;
  } finally {
    clearInterval(watch);
    clearTimeout(timer);
    signals();
  }
}

const SIGNAL_NUMBERS: { readonly [K in NodeJS.Signals]?: number } = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/** Returns why it ended, if it did not end by itself. V8 aborts when its heap is full. */
function endOf(end: End | null, signal: NodeJS.Signals | null): End | null {
  if (end !== null || signal === null) return end;
  return signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL' ? 'memory' : signal;
}

function limitMessage(
  name: string,
  argv: readonly string[],
  met: LimitName,
  limits: Limits,
  { doing, far }: Progress,
): string {
  const files = argv.filter((word, i) => !word.startsWith('-') && !argv[i - 1]?.startsWith('-')).join(', ');
  return `${name} ${files}: it was ended while it was ${doing}${far ? ` (${far})` : ''}, because ${limitText(met, limits)} was met; ${remedy(met)}`;
}

/** Removes an unfinished output: a file takes its name only when it is whole, so a part is of no use. */
function clean(argv: readonly string[]): void {
  for (const [i, word] of argv.entries())
    for (const flag of ['-o', '--output', '--report']) {
      const file = word === flag ? argv[i + 1] : word.startsWith(`${flag}=`) ? word.slice(flag.length + 1) : undefined;
      if (file !== undefined && file !== '-') rmSync(`${file}.part`, { force: true });
    }
}

const over = (child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    // `exit` would be too early: its last output may still be on its way.
    child.once('close', (code, signal) => resolve({ code, signal }));
  });

/**
 * Handles signals: one that only computes is killed, one that serves may close first. Returns a function that stops
 * listening.
 */
function onSignals(child: () => ChildProcess, serves: () => boolean, kill: (why: End) => void): () => void {
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  let asked = false;
  let timer: NodeJS.Timeout | undefined;
  const take = (signal: NodeJS.Signals) => {
    if (!serves() || asked) return kill(signal);
    asked = true;
    // A terminal sends the signal to the child, too; so it is not sent a second time.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child().kill(signal);
    timer = setTimeout(() => kill(signal), CLOSE);
  };
  for (const name of names) process.on(name, take);
  return () => {
    clearTimeout(timer);
    for (const name of names) process.off(name, take);
  };
}

/** Returns the bytes of memory of a process from /proc; 0 without it: there the heap alone is bounded. */
async function residentMemory(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  return Number(text.split(' ')[1] ?? 0) * PAGE;
}
const PAGE = 4096;

/** Passes text on without V8's output about a full heap: a sentence reports that. */
function withoutCrash(pass: (text: string) => void): (text: string) => void {
  let crashed = false;
  return (text) => {
    if (crashed) return;
    const at = text.search(/\n*(<--- Last few GCs --->|FATAL ERROR: |\n#\n# Fatal )/);
    crashed = at >= 0;
    const rest = crashed ? text.slice(0, at) : text;
    if (rest !== '') pass(rest.endsWith('\n') ? rest : crashed ? `${rest}\n` : rest);
  };
}

/** Shows the progress: in a terminal one line that changes, elsewhere a line now and then. */
class ProgressLine {
  private readonly terminal = process.stderr.isTTY === true;
  private shown = false;
  private due = performance.now() + FIRST;

  constructor(private readonly io: IO) {}

  show({ doing, far }: Progress): void {
    const now = performance.now();
    if (now < this.due) return;
    const text = `syncloop: ${doing}${far ? `: ${far}` : ''}`;
    if (!this.terminal) {
      this.due = now + EVERY;
      this.io.err(`${text}\n`);
      return;
    }
    process.stderr.write(`\r\u001b[K${text.replace(/\p{Cc}/gu, '?').slice(0, (process.stderr.columns ?? 80) - 1)}`);
    this.shown = true;
  }

  clear(): void {
    if (this.shown) process.stderr.write('\r\u001b[K');
    this.shown = false;
  }
}
