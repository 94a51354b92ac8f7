/** A process under attack: started with a memory limit, watched from outside, and ended in any case. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

import { program } from '../apps/agent/e2e/node-files.mjs';

/** Output that no program of ours may print for any input: signs of an error that was not caught or not explained. */
const ALARMS = [
  /\n\s+at .+:\d+:\d+\)?/,
  // A kubelet's own line of an error that a container has is `"Unhandled Error" err=...`, as upstream's.
  /Unhandled(?! ?Error")/,
  /Uncaught/,
  /FATAL ERROR/,
  /MaxListenersExceededWarning/,
  /Maximum call stack/,
  /is not a function|Cannot read propert|is not iterable|Invalid array length|Invalid string length/,
];

/** Returns the line of a text that reports an alarm, if there is one. */
export function alarmIn(text) {
  const found = ALARMS.map((alarm) => alarm.exec(text)).find(Boolean);
  if (!found) return null;
  const from = text.lastIndexOf('\n', Math.max(0, found.index - 1)) + 1;
  return text.slice(from, from + 1200).trim();
}

/** No attacked process outlives this one, however it ends. */
const alive = new Set();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

/** A process, its last output, and its end. */
export class Subject {
  output = '';
  ended = null;

  /** `heapMB`: the limit of V8's old space. `fork`, `script`: another program than `syncloop`, with IPC or without. */
  constructor(name, args, { heapMB = 256, env = {}, fork = null, script = program, onAlarm = () => {} } = {}) {
    this.name = name;
    const { NODE_OPTIONS: _, ...own } = process.env;
    this.child = spawn(process.execPath, [`--max-old-space-size=${heapMB}`, fork ?? script, ...args], {
      stdio: ['ignore', 'pipe', 'pipe', ...(fork ? ['ipc'] : [])],
      env: { ...own, ...env },
    });
    alive.add(this.child);
    for (const stream of [this.child.stdout, this.child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        // An alarm may come in two parts.
        const recent = this.output.slice(-2000) + text;
        this.output = (this.output + text).slice(-200_000);
        const alarm = alarmIn(recent);
        if (alarm) onAlarm(alarm);
      });
    alive.add(this.child);
    this.child.once('exit', () => alive.delete(this.child));
    this.exit = new Promise((resolve) => {
      this.child.once('error', (error) => resolve(String(error)));
      this.child.once('close', (code, signal) => resolve(signal ?? code));
    }).then((how) => {
      this.ended = how;
      alive.delete(this.child);
      return how;
    });
  }

  get pid() {
    return this.child.pid;
  }

  /** Resolves with the match of its output. Rejects when it ends before, or hangs: a busy machine takes its time. */
  async says(pattern, seconds = 120) {
    for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
      const found = pattern.exec(this.output);
      if (found) return found;
      if (this.ended !== null) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`${this.name} did not say ${pattern}:\n${this.output.slice(-2000)}`);
  }

  async kill() {
    if (this.ended === null) this.child.kill('SIGKILL');
    await this.exit;
  }
}

/** A process and its children, theirs too, by their ids. */
export function family(pid) {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return [pid, ...children.flatMap((child) => family(Number(child)))];
  } catch {
    return [];
  }
}

/** Resident memory of a process now, and the most that it had, MB. */
export function memoryOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8');
    const of = (key) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024;
    return { rss: of('VmRSS'), most: of('VmHWM') };
  } catch {
    return { rss: 0, most: 0 };
  }
}

/** Returns the milliseconds of processor time of a process and its children; 0 if it is gone. */
export function processorMs(pid) {
  const read = (file) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8');
    } catch {
      return '';
    }
  };
  const fields = read('stat')
    .replace(/^.*\) /, '')
    .split(' ');
  const children = read(`task/${pid}/children`).split(' ').filter(Boolean);
  // In ticks of 10 ms; children that have ended and been waited for are in the second pair.
  const ticks = [11, 12, 13, 14].reduce((sum, i) => sum + (Number(fields[i]) || 0), 0);
  return children.reduce((sum, child) => sum + processorMs(Number(child)), ticks * 10);
}

/**
 * Watches subjects. `violated` resolves with the first violation: `{kind, process, what}`, where kind is `exit`,
 * `alarm`, `memory` or `late`. A process that takes too much memory is ended at once, for the machine's sake.
 */
export class Watch {
  #tell;
  violation = null;

  constructor(subjects, { rssMB, lateMs, health }) {
    this.violated = new Promise((resolve) => {
      this.#tell = resolve;
    });
    this.subjects = subjects;
    this.asks = health !== null;
    const processes = subjects.map(({ name, pid }) => ({ name, pid, rssMB }));
    this.worker = new Worker(new URL('./watcher.mjs', import.meta.url), {
      workerData: { processes, health, lateMs, everyMs: 200 },
    });
    this.worker.on('message', ({ violation }) => violation && this.violate(violation));
    for (const subject of subjects)
      void subject.exit.then((how) => {
        const fatal = /FATAL ERROR: .*/.exec(subject.output)?.[0];
        this.violate({
          kind: 'exit',
          process: subject.name,
          what: fatal ?? `ended with ${how}`,
          output: tail(subject),
        });
      });
  }

  violate(violation) {
    if (this.violation || this.closed) return;
    this.violation = violation;
    if (violation.kind === 'memory') for (const subject of this.subjects) subject.child.kill('SIGKILL');
    this.#tell(violation);
  }

  /** Resolves with the observations so far, as in the summary. */
  async seen() {
    if (this.closed) return this.last;
    const answer = new Promise((resolve) => {
      const take = (message) => {
        if (!message.seen) return;
        this.worker.off('message', take);
        resolve(message.seen);
      };
      this.worker.on('message', take);
    });
    this.worker.postMessage('look');
    this.last = await answer;
    return this.last;
  }

  /** Resolves when a request that was sent after this moment was answered: a server that hangs is noticed only then. */
  async answered() {
    if (!this.asks) return;
    const { healthzChecks } = await this.seen();
    // The request under way may have been sent before.
    while (!this.violation && (await this.seen()).healthzChecks < healthzChecks + 2)
      await new Promise((resolve) => setTimeout(resolve, 50));
  }

  async close() {
    if (this.closed) return;
    await this.seen();
    this.closed = true;
    await this.worker.terminate();
  }
}

/** Returns the output around an error: its message is before Node's frames. */
const tail = (subject) => {
  const at = subject.output.search(/\n\s+at /);
  return at < 0 ? subject.output.slice(-1500) : subject.output.slice(Math.max(0, at - 800), at + 1200);
};
