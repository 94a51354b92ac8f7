import type { Go } from '../../kernel/index.js';
import type { Spend } from '../patterns/pattern.js';
import { BadRegex, Regex } from '../patterns/regex.js';
import { budget } from '../process/budget.js';
import { type Proc, ProcessDied } from '../process/process.js';
import type { Program, World } from '../process/world.js';
import { outOfMemory } from './memory.js';
import { procFile } from './procfs.js';
import { options, strerror } from './programs-files.js';
import { SedError, SedScript } from './sed.js';

/** The text of the files named, or of standard input; null once a message was written about one that is missing. */
function* inputs(
  proc: Proc,
  world: World,
  tool: string,
  paths: readonly string[],
): Go<{ texts: { name: string; text: string }[]; status: number }> {
  const texts: { name: string; text: string }[] = [];
  let status = 0;
  for (const path of paths.length > 0 ? paths : ['-']) {
    if (path === '-' || path === '/dev/stdin') {
      let text = '';
      let line = 0;
      for (let t = yield* proc.streams.in.read(proc); t !== null; t = yield* proc.streams.in.read(proc)) {
        proc.hold(t.length);
        proc.spend(t.length >> 4);
        text += t;
        const end = t.lastIndexOf('\n');
        line = end < 0 ? line + t.length : t.length - 1 - end;
        // tail keeps the last lines only, sort keeps all.
        const kept = tool === 'sort' ? text.length : tool === 'tail' ? line : 0;
        if (kept > (world.memoryLimit ?? Number.POSITIVE_INFINITY)) outOfMemory(proc, world);
      }
      texts.push({ name: '(standard input)', text });
      continue;
    }
    try {
      texts.push({ name: path, text: read(proc, world, path) });
    } catch (error) {
      const why = strerror(error);
      proc.warn(
        why === 'Is a directory'
          ? `${tool}: read error: ${why}\n`
          : tool === 'grep' || tool === 'sed' || tool === 'head'
            ? `${tool}: ${path}: ${why}\n`
            : `${tool}: can't open '${path}': ${why}\n`,
      );
      status = 1;
    }
  }
  return { texts, status };
}

function read(proc: Proc, world: World, path: string): string {
  const full = world.fs.resolve(path, proc.cwd);
  if (full === '/dev/null') return '';
  return procFile(proc, world, full) ?? world.fs.read(full);
}

const lines = (text: string): string[] =>
  text === '' ? [] : (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');

/** Counts what reading texts whole takes: once through all characters, so often as said. */
const readAll = (proc: Proc, texts: readonly { text: string }[], times = 1): void => {
  for (const { text } of texts) proc.spend((text.length * times) >> 2);
};

/** Programs that read all and write all. */
function filter(
  tool: string,
  act: (
    texts: { name: string; text: string }[],
    flags: Map<string, string>,
    rest: string[],
    spend: Spend,
  ) => { out: string; status?: number },
  valued = '',
  leading = 0,
): Program {
  return function* (proc, world, args) {
    const { flags, rest } = options(args, valued);
    const { texts, status } = yield* inputs(proc, world, tool, rest.slice(leading));
    readAll(proc, texts, tool === 'sort' ? 4 : 2);
    const r = act(texts, flags, rest, proc.spender);
    yield* proc.rest();
    if (r.out && !proc.write(r.out)) {
      proc.signal('PIPE');
      throw new ProcessDied();
    }
    yield* proc.charge(50);
    return status || (r.status ?? 0);
  };
}

function* cat(proc: Proc, world: World, args: readonly string[]): Go<number> {
  const { rest } = options(args);
  let status = 0;
  for (const path of rest.length > 0 ? rest : ['-']) {
    if (path === '-') {
      for (let t = yield* proc.streams.in.read(proc); t !== null; t = yield* proc.streams.in.read(proc)) {
        proc.write(t);
        yield* proc.rest();
      }
      continue;
    }
    const full = world.fs.resolve(path, proc.cwd);
    if (full === '/dev/zero' || full === '/dev/urandom' || full === '/dev/random')
      yield* proc.sleep(Number.POSITIVE_INFINITY);
    let text = '';
    try {
      text = read(proc, world, path);
    } catch (error) {
      const why = strerror(error);
      proc.warn(why === 'Is a directory' ? `cat: read error: ${why}\n` : `cat: can't open '${path}': ${why}\n`);
      status = 1;
    }
    if (text && !proc.write(text)) {
      proc.signal('PIPE');
      throw new ProcessDied();
    }
    yield* proc.rest();
  }
  yield* proc.charge(50);
  return status;
}

function* tail(proc: Proc, world: World, args: readonly string[]): Go<number> {
  const { flags, rest } = options(
    args.map((a) => (/^-\d+$/.test(a) ? `-n${a.slice(1)}` : a)),
    'nc',
  );
  const full = world.fs.resolve(rest[0] ?? '', proc.cwd);
  // It keeps the last line in memory, and /dev/zero has only one.
  if (full === '/dev/zero' && rest.length > 0) {
    yield* proc.sleep(Math.ceil((world.memoryLimit ?? 8e9) / 2000));
    outOfMemory(proc, world);
  }
  const follow = flags.has('f') || flags.has('F');
  const { texts, status } = yield* inputs(proc, world, 'tail', rest);
  readAll(proc, texts);
  for (const { name, text } of texts) {
    if (texts.length > 1) proc.write(`==> ${name} <==\n`);
    if (flags.has('c')) proc.write(text.slice(-Number(flags.get('c'))));
    else {
      const n = flags.get('n') ?? '10';
      const all = lines(text);
      const some = n.startsWith('+') ? all.slice(Number(n) - 1) : Number(n) === 0 ? [] : all.slice(-Number(n));
      if (some.length > 0) proc.write(`${some.join('\n')}\n`);
    }
  }
  if (!follow) return status;
  if (texts.length === 0 && !flags.has('F')) {
    proc.warn('tail: no files\n');
    return 1;
  }
  const sizes = new Map(texts.map((t) => [t.name, t.text.length]));
  // A path that is not a file, and /dev/null, never grow.
  const files = rest.filter((p) => world.fs.resolve(p, proc.cwd) !== '/dev/null');
  if (files.length === 0) yield* proc.sleep(Number.POSITIVE_INFINITY);
  for (;;) {
    yield* proc.sleep(1_000_000);
    for (const path of files) {
      const node = world.fs.lookup(world.fs.resolve(path, proc.cwd));
      if (node?.kind !== 'file') continue;
      const seen = Math.min(sizes.get(path) ?? 0, node.data.length);
      if (node.data.length > seen) proc.write(node.data.slice(seen));
      sizes.set(path, node.data.length);
    }
  }
}

const piece = 1 << 20;

function* head(proc: Proc, world: World, args: readonly string[]): Go<number> {
  const { flags, rest } = options(
    args.map((a) => (/^-\d+$/.test(a) ? `-n${a.slice(1)}` : a)),
    'nc',
  );
  const [path] = rest;
  const bytes = flags.has('c') ? size(flags.get('c') as string) : null;
  const full = path === undefined ? '' : world.fs.resolve(path, proc.cwd);
  if (bytes !== null && (full === '/dev/zero' || full === '/dev/urandom' || full === '/dev/random')) {
    // In pieces, so that a reader may run out of memory on the way. More than this is of no use to anyone here.
    for (let left = Math.min(bytes, 64 << 20); left > 0; left -= piece) {
      if (!proc.write('\0'.repeat(Math.min(left, piece)))) {
        proc.signal('PIPE');
        throw new ProcessDied();
      }
      if (left > piece) yield* proc.sleep(500);
      yield* proc.rest();
    }
    return 0;
  }
  let left = Number(flags.get('n') ?? 10);
  if (path === undefined && bytes === null) {
    // From a pipe it stops as soon as it has enough, so that a writer without end is stopped too.
    while (left-- > 0) {
      const line = yield* proc.streams.in.readLine(proc);
      if (!line) break;
      proc.write(line.ended ? `${line.text}\n` : line.text);
      yield* proc.rest();
    }
    return 0;
  }
  const { texts, status } = yield* inputs(proc, world, 'head', rest);
  readAll(proc, texts);
  for (const { text } of texts) {
    if (bytes !== null) proc.write(text.slice(0, bytes));
    else {
      const some = lines(text).slice(0, left);
      if (some.length > 0) proc.write(`${some.join('\n')}\n`);
    }
  }
  return status;
}

/** Reads a size such as `10`, `4k`, `1m`, `1M`, `1G`; `b` is a block. */
export function size(text: string): number {
  const m = /^(\d+)([bkKmMG]?)/.exec(text);
  return m
    ? Number(m[1]) * ({ '': 1, b: 512, k: 1024, K: 1024, m: 1 << 20, M: 1 << 20, G: 1 << 30 }[m[2] as ''] as number)
    : 0;
}

function* grep(proc: Proc, world: World, args: readonly string[]): Go<number> {
  const { flags, rest } = options(args, 'emABC');
  const pattern = flags.get('e') ?? rest.shift() ?? '';
  const { texts, status } = yield* inputs(proc, world, 'grep', rest);
  let regex: Regex;
  try {
    proc.spend(pattern.length * 4);
    regex = new Regex(pattern, {
      literal: flags.has('F'),
      extended: flags.has('E'),
      ignoreCase: flags.has('i'),
      whole: flags.has('x'),
      word: flags.has('w'),
    });
  } catch (error) {
    if (!(error instanceof BadRegex)) throw error;
    proc.warn(`grep: bad regex '${pattern.slice(0, 80)}': ${error.message}\n`);
    return 2;
  }
  readAll(proc, texts);
  let found = 0;
  for (const { name, text } of texts) {
    let count = 0;
    for (const [i, line] of lines(text).entries()) {
      yield* proc.rest();
      if (regex.test(line, proc.spender) === flags.has('v')) continue;
      count++;
      if (flags.has('q')) return 0;
      if (flags.has('c') || flags.has('l')) continue;
      const match = flags.has('o') ? regex.exec(line, 0, proc.spender) : null;
      const shown = match ? line.slice(match[0], match[1]) : line;
      proc.write(
        `${texts.length > 1 && !flags.has('h') ? `${name}:` : ''}${flags.has('n') ? `${i + 1}:` : ''}${shown}\n`,
      );
      if (flags.has('m') && count >= Number(flags.get('m'))) break;
    }
    if (flags.has('c')) proc.write(`${count}\n`);
    if (flags.has('l') && count > 0) proc.write(`${name}\n`);
    found += count;
  }
  yield* proc.charge(50);
  return found > 0 ? 0 : status ? 2 : 1;
}

function* sed(proc: Proc, world: World, args: readonly string[]): Go<number> {
  const { flags, rest } = options(args, 'e');
  const text = flags.get('e') ?? rest.shift() ?? '';
  const { texts, status } = yield* inputs(proc, world, 'sed', rest);
  let script: SedScript;
  try {
    proc.spend(text.length * 4);
    script = new SedScript(text, flags.has('E') || flags.has('r'));
  } catch (error) {
    if (!(error instanceof SedError || error instanceof BadRegex)) throw error;
    proc.warn(`sed: ${error.message}\n`);
    return 1;
  }
  readAll(proc, texts);
  for (const { name, text } of texts) {
    const all = lines(text);
    let out = '';
    for (const [i, line] of all.entries()) {
      yield* proc.rest();
      const now = script.edit(line, i + 1, i === all.length - 1, proc);
      if (now === null) continue;
      if (out.length + now.length > budget.output) proc.exceed('output');
      out += `${now}\n`;
    }
    if (flags.has('i')) {
      const o = world.fs.open(world.fs.resolve(name, proc.cwd), 'truncate');
      o.fs.append(o.node, out, o.path);
    } else proc.write(out);
  }
  return status;
}

function* dd(proc: Proc, world: World, args: readonly string[]): Go<number> {
  const set = new Map(args.slice(1).map((a) => [a.slice(0, a.indexOf('=')), a.slice(a.indexOf('=') + 1)]));
  const count = set.has('count') ? Number(set.get('count')) : Number.POSITIVE_INFINITY;
  const bytes = Math.max(size(set.get('bs') ?? '512') * count, 0);
  const input = set.get('if');
  const output = set.get('of');
  // One block of the whole size is held in memory.
  if (size(set.get('bs') ?? '512') > (world.memoryLimit ?? 1e12)) {
    yield* proc.sleep(200_000);
    outOfMemory(proc, world);
  }
  proc.memory = size(set.get('bs') ?? '512');
  if (!Number.isFinite(bytes)) yield* proc.sleep(Number.POSITIVE_INFINITY);
  yield* proc.sleep(Math.ceil(bytes / 500));
  const zeros = !input || /^\/dev\/(zero|u?random)$/.test(input);
  // A text that nobody reads need not be there: a file has this many bytes more.
  let text = zeros && output ? '' : '\0'.repeat(Math.min(bytes, 1 << 20));
  if (input && !/^\/dev\/(zero|u?random)$/.test(input)) {
    try {
      text = read(proc, world, input).slice(0, bytes);
    } catch (error) {
      proc.warn(`dd: can't open '${input}': ${strerror(error)}\n`);
      return 1;
    }
  }
  if (output && output !== '/dev/null') {
    const o = world.fs.open(world.fs.resolve(output, proc.cwd), 'truncate');
    if (zeros && bytes > 0) o.node.extra = bytes;
    o.fs.append(o.node, text, o.path);
  } else if (!output) proc.write(text);
  proc.warn(`${count}+0 records in\n${count}+0 records out\n`);
  return 0;
}

export const textPrograms: Readonly<Record<string, Program>> = {
  cat,
  head,
  tail,
  grep,
  egrep: (proc, world, args) => grep(proc, world, ['grep', '-E', ...args.slice(1)]),
  fgrep: (proc, world, args) => grep(proc, world, ['grep', '-F', ...args.slice(1)]),
  sed,
  dd,
  wc: filter('wc', (texts, flags) => ({
    out: texts
      .map(({ name, text }) => {
        const n: number[] = [];
        const all = !flags.has('l') && !flags.has('w') && !flags.has('c');
        if (all || flags.has('l')) n.push((text.match(/\n/g) ?? []).length);
        if (all || flags.has('w')) n.push(text.split(/\s+/).filter(Boolean).length);
        if (all || flags.has('c')) n.push(text.length);
        return `${n.length > 1 ? n.map((x) => String(x).padStart(9)).join(' ') : n[0]}${name.startsWith('(') ? '' : ` ${name}`}\n`;
      })
      .join(''),
  })),
  sort: filter(
    'sort',
    (texts, flags) => {
      let all = texts.flatMap((t) => lines(t.text));
      all.sort(
        flags.has('n') ? (a, b) => Number.parseFloat(a) - Number.parseFloat(b) : (a, b) => (a < b ? -1 : a > b ? 1 : 0),
      );
      if (flags.has('r')) all.reverse();
      if (flags.has('u')) all = all.filter((l, i) => l !== all[i - 1]);
      return { out: all.map((l) => `${l}\n`).join('') };
    },
    'kt',
  ),
  uniq: filter('uniq', (texts, flags) => {
    const out: { line: string; n: number }[] = [];
    for (const line of texts.flatMap((t) => lines(t.text))) {
      const last = out[out.length - 1];
      if (last?.line === line) last.n++;
      else out.push({ line, n: 1 });
    }
    return { out: out.map((o) => `${flags.has('c') ? `${String(o.n).padStart(7)} ` : ''}${o.line}\n`).join('') };
  }),
  tac: filter('tac', (texts) => ({
    out: texts
      .flatMap((t) => lines(t.text))
      .reverse()
      .map((l) => `${l}\n`)
      .join(''),
  })),
  rev: filter('rev', (texts) => ({
    out: texts
      .flatMap((t) => lines(t.text))
      .map((l) => `${[...l].reverse().join('')}\n`)
      .join(''),
  })),
  cut: filter(
    'cut',
    (texts, flags, _rest, spend) => {
      const delimiter = flags.get('d') ?? '\t';
      const wanted = (flags.get('f') ?? flags.get('c') ?? '1').split(',').map((r) => r.split('-'));
      const pick = <T>(items: readonly T[]): T[] => {
        spend(items.length * wanted.length);
        return items.filter((_, i) =>
          wanted.some(([a, b]) =>
            b === undefined ? i + 1 === Number(a) : i + 1 >= Number(a || 1) && i + 1 <= Number(b || 1e9),
          ),
        );
      };
      return {
        out: texts
          .flatMap((t) => lines(t.text))
          .map(
            (l) =>
              `${flags.has('c') ? pick([...l]).join('') : l.includes(delimiter) ? pick(l.split(delimiter)).join(delimiter) : l}\n`,
          )
          .join(''),
      };
    },
    'dfc',
  ),
  tr: function* (proc, _w, args) {
    const { flags, rest } = options(args);
    const expand = (s: string): string[] => [
      ...s
        .replace(/\[:upper:\]/g, 'A-Z')
        .replace(/\[:lower:\]/g, 'a-z')
        .replace(/\[:digit:\]/g, '0-9')
        .replace(/\[:space:\]/g, ' \t\n')
        .replace(/\\n/g, '\n')
        .replace(/\\t/g, '\t')
        .replace(/\\([0-7]{1,3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
        .replace(/(.)-(.)/g, (_, a: string, b: string) =>
          Array.from({ length: b.charCodeAt(0) - a.charCodeAt(0) + 1 }, (_x, i) =>
            String.fromCharCode(a.charCodeAt(0) + i),
          ).join(''),
        ),
    ];
    const from = expand(rest[0] ?? '');
    const to = expand(rest[1] ?? '');
    proc.spend(from.length + to.length);
    const places = new Map(from.map((c, i) => [c, i] as const).reverse());
    for (let t = yield* proc.streams.in.read(proc); t !== null; t = yield* proc.streams.in.read(proc)) {
      let out = '';
      proc.spend(t.length << 1);
      for (const c of t) {
        const i = places.get(c) ?? -1;
        const hit = flags.has('c') ? i < 0 : i >= 0;
        if (!hit) out += c;
        else if (!flags.has('d')) out += to[Math.min(i < 0 ? to.length - 1 : i, to.length - 1)] ?? c;
      }
      proc.write(out);
      yield* proc.rest();
    }
    return 0;
  },
};
