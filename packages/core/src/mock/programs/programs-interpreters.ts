/** Interpreters, as far as programs of one line go, and stress. */
import type { Go } from '../../kernel/index.js';
import type { Proc } from '../process/process.js';
import type { Program, World } from '../process/world.js';
import { holdMemory } from './memory.js';
import { codeOf, fileServerOf, type Language, readOneLiner } from './one-liners.js';
import { serveFiles } from './programs-net.js';

const second = 1_000_000;

/** Runs `-c` and `-e` programs of one line, and python's file server; anything else is not simulated, and says so. */
function interpreter(language: Language): Program {
  return function* (proc, world, args) {
    const rest = args.slice(1);
    const server = language === 'python' ? fileServerOf(rest) : null;
    if (server) {
      const root = world.fs.resolve(server.folder, proc.cwd);
      proc.write(`Serving HTTP on 0.0.0.0 port ${server.port} (http://0.0.0.0:${server.port}/) ...\n`);
      return yield* serveFiles(proc, world, server.port, root, language);
    }
    const code = codeOf(language, rest);
    const steps = code === null ? null : readOneLiner(language, code);
    if (steps === null) {
      proc.warn(`${args[0]}: this program is not simulated: say what the container does instead\n`);
      return 127;
    }
    for (const step of steps) {
      if (step.does === 'write') proc.write(step.text);
      else if (step.does === 'sleep') yield* proc.sleep(step.micros);
      else if (step.does === 'hold') holdMemory(proc, world, step.bytes);
      else if (step.does === 'stay') yield* proc.sleep(Number.POSITIVE_INFINITY);
      else {
        if (step.error !== undefined) proc.warn(step.error);
        return step.code;
      }
    }
    return 0;
  };
}

/** The bytes of stress's sizes, which count in binary: 250M, 1G. */
function bytesOf(text: string): number {
  const m = /^(\d+)([bkmg]?)$/i.exec(text);
  return m ? Number(m[1]) * 1024 ** 'bkmg'.indexOf((m[2] || 'b').toLowerCase()) : Number.NaN;
}
const secondsOf = (text: string): number => {
  const m = /^(\d+)([smhd]?)$/.exec(text);
  return m ? Number(m[1]) * ({ m: 60, h: 3600, d: 86_400 }[m[2] ?? ''] ?? 1) : Number.NaN;
};

/** stress and stress-ng: memory of `--vm`, the time of `--timeout`; loads of the processor only take their time. */
function* stress(proc: Proc, world: World, args: readonly string[]): Go<number> {
  const option = (...names: string[]): string | undefined => {
    for (const [i, a] of args.entries()) {
      if (names.includes(a)) return args[i + 1];
      const long = names.find((n) => n.startsWith('--') && a.startsWith(`${n}=`));
      if (long) return a.slice(long.length + 1);
    }
    return undefined;
  };
  const tool = (args[0] ?? 'stress').replace(/^.*\//, '');
  const workers = Number(option('-m', '--vm') ?? 0);
  const each = bytesOf(option('--vm-bytes') ?? '256M');
  const timeout = option('-t', '--timeout');
  const seconds = timeout === undefined ? Number.POSITIVE_INFINITY : secondsOf(timeout);
  if (Number.isNaN(workers) || Number.isNaN(each) || Number.isNaN(seconds)) {
    proc.warn(`${tool}: unrecognised option\n`);
    return 1;
  }
  proc.write(`${tool}: info: [${proc.pid}] dispatching hogs: ${option('-c', '--cpu') ?? 0} cpu, ${workers} vm\n`);
  if (workers > 0) {
    // The pages are touched one after the other.
    yield* proc.sleep(second / 2);
    holdMemory(proc, world, workers * each);
  }
  yield* proc.sleep(seconds * second);
  proc.write(`${tool}: info: [${proc.pid}] successful run completed in ${seconds}s\n`);
  return 0;
}

const python = interpreter('python');
const node = interpreter('node');

export const interpreterPrograms: Readonly<Record<string, Program>> = {
  python,
  python3: python,
  node,
  nodejs: node,
  perl: interpreter('perl'),
  stress,
  'stress-ng': stress,
};
