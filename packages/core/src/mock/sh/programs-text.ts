import type { Go } from '../../kernel/index.js';
import { type Proc, ProcessDied } from '../process.js';
import type { World } from '../world.js';
import type { Program } from './find.js';
import { options, strerror } from './programs-files.js';

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
      proc.streams.err.write(
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

/** It asked for more than its container may have. */
function outOfMemory(proc: Proc, world: World): never {
  world.oom(proc);
  throw new ProcessDied();
}

function read(proc: Proc, world: World, path: string): string {
  const full = world.fs.resolve(path, proc.cwd);
  switch (full) {
    case '/dev/null':
      return '';
    case '/proc/self/cmdline':
      return `${proc.argv.join('\0')}\0`;
    case '/proc/1/cmdline':
      return `${proc.group.init?.argv.join('\0') ?? ''}\0`;
    case '/proc/uptime':
      return `${(proc.kernel.now() / 1e6).toFixed(2)} 0.00\n`;
  }
  return world.fs.read(full);
}

const lines = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** Programs that read all and write all. */
function filter(
  tool: string,
  act: (
    texts: { name: string; text: string }[],
    flags: Map<string, string>,
    rest: string[],
  ) => { out: string; status?: number },
  valued = '',
  leading = 0,
): Program {
  return function* (proc, world, args) {
    const { flags, rest } = options(args, valued);
    const { texts, status } = yield* inputs(proc, world, tool, rest.slice(leading));
    const r = act(texts, flags, rest);
    if (r.out && !proc.streams.out.write(r.out)) {
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
      for (let t = yield* proc.streams.in.read(proc); t !== null; t = yield* proc.streams.in.read(proc))
        proc.streams.out.write(t);
      continue;
    }
    const full = world.fs.resolve(path, proc.cwd);
    if (full === '/dev/zero' || full === '/dev/urandom' || full === '/dev/random')
      yield* proc.sleep(Number.POSITIVE_INFINITY);
    try {
      const text = read(proc, world, path);
      if (text && !proc.streams.out.write(text)) {
        proc.signal('PIPE');
        throw new ProcessDied();
      }
    } catch (error) {
      const why = strerror(error);
      proc.streams.err.write(
        why === 'Is a directory' ? `cat: read error: ${why}\n` : `cat: can't open '${path}': ${why}\n`,
      );
      status = 1;
    }
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
  for (const { name, text } of texts) {
    if (texts.length > 1) proc.streams.out.write(`==> ${name} <==\n`);
    if (flags.has('c')) proc.streams.out.write(text.slice(-Number(flags.get('c'))));
    else {
      const n = flags.get('n') ?? '10';
      const all = lines(text);
      const some = n.startsWith('+') ? all.slice(Number(n) - 1) : Number(n) === 0 ? [] : all.slice(-Number(n));
      if (some.length > 0) proc.streams.out.write(`${some.join('\n')}\n`);
    }
  }
  if (!follow) return status;
  if (texts.length === 0 && !flags.has('F')) {
    proc.streams.err.write('tail: no files\n');
    return 1;
  }
  const sizes = new Map(texts.map((t) => [t.name, t.text.length]));
  // What is not a file, or is nothing, never grows.
  const files = rest.filter((p) => world.fs.resolve(p, proc.cwd) !== '/dev/null');
  if (files.length === 0) yield* proc.sleep(Number.POSITIVE_INFINITY);
  for (;;) {
    yield* proc.sleep(1_000_000);
    for (const path of files) {
      const node = world.fs.lookup(world.fs.resolve(path, proc.cwd));
      if (node?.kind !== 'file') continue;
      const seen = Math.min(sizes.get(path) ?? 0, node.data.length);
      if (node.data.length > seen) proc.streams.out.write(node.data.slice(seen));
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
      if (!proc.streams.out.write('\0'.repeat(Math.min(left, piece)))) {
        proc.signal('PIPE');
        throw new ProcessDied();
      }
      if (left > piece) yield* proc.sleep(500);
    }
    return 0;
  }
  let left = Number(flags.get('n') ?? 10);
  if (path === undefined && bytes === null) {
    // From a pipe it stops as soon as it has enough, so that a writer without end is stopped too.
    while (left-- > 0) {
      const line = yield* proc.streams.in.readLine(proc);
      if (!line) break;
      proc.streams.out.write(line.ended ? `${line.text}\n` : line.text);
    }
    return 0;
  }
  const { texts, status } = yield* inputs(proc, world, 'head', rest);
  for (const { text } of texts) {
    if (bytes !== null) proc.streams.out.write(text.slice(0, bytes));
    else {
      const some = lines(text).slice(0, left);
      if (some.length > 0) proc.streams.out.write(`${some.join('\n')}\n`);
    }
  }
  return status;
}

/** `10`, `4k`, `1m`, `1M`, `1G`; `b` is a block. */
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
  const source = flags.has('F')
    ? pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    : flags.has('E')
      ? pattern
      : basicRegex(pattern);
  let regex: RegExp;
  try {
    regex = new RegExp(
      flags.has('x') ? `^(?:${source})$` : flags.has('w') ? `\\b(?:${source})\\b` : source,
      flags.has('i') ? 'i' : '',
    );
  } catch {
    proc.streams.err.write(`grep: bad regex '${pattern}'\n`);
    return 2;
  }
  let found = 0;
  for (const { name, text } of texts) {
    let count = 0;
    for (const [i, line] of lines(text).entries()) {
      if (regex.test(line) === flags.has('v')) continue;
      count++;
      if (flags.has('q')) return 0;
      if (flags.has('c') || flags.has('l')) continue;
      const shown = flags.has('o') ? (regex.exec(line)?.[0] ?? line) : line;
      proc.streams.out.write(
        `${texts.length > 1 && !flags.has('h') ? `${name}:` : ''}${flags.has('n') ? `${i + 1}:` : ''}${shown}\n`,
      );
      if (flags.has('m') && count >= Number(flags.get('m'))) break;
    }
    if (flags.has('c')) proc.streams.out.write(`${count}\n`);
    if (flags.has('l') && count > 0) proc.streams.out.write(`${name}\n`);
    found += count;
  }
  yield* proc.charge(50);
  return found > 0 ? 0 : status ? 2 : 1;
}

/** A basic regular expression as JavaScript's. */
const basicRegex = (p: string): string =>
  p.replace(
    /\\([(){}|+?])|([(){}|+?])/g,
    (_, escaped: string | undefined, plain: string | undefined) => escaped ?? `\\${plain}`,
  );

function sed(proc: Proc, world: World, args: readonly string[]): Go<number> {
  const { flags, rest } = options(args, 'e');
  const script = flags.get('e') ?? rest.shift() ?? '';
  return (function* () {
    const { texts, status } = yield* inputs(proc, world, 'sed', rest);
    const edits: ((line: string, n: number, last: boolean) => string | null)[] = [];
    for (const one of script.split(/;(?![^/]*\/[gip]*$)|\n/)) {
      const s = /^s(.)((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1([gip]*)$/.exec(one.trim());
      const d = /^(?:(\d+|\$)|\/(.*)\/)?([dp])$/.exec(one.trim());
      if (s) {
        const regex = new RegExp(
          flags.has('E') || flags.has('r') ? (s[2] as string) : basicRegex(s[2] as string),
          s[4]?.replace('p', ''),
        );
        const to = (s[3] as string)
          .replace(/\$/g, '$$$$')
          .replace(/\\(\d)/g, '$$$1')
          .replace(/(^|[^\\])&/g, '$1$$&')
          .replace(/\\([/&])/g, '$1');
        edits.push((line) => line.replace(regex, to));
      } else if (d) {
        const hit = (line: string, n: number, last: boolean) =>
          d[1] === '$'
            ? last
            : d[1]
              ? n === Number(d[1])
              : d[2] !== undefined
                ? new RegExp(basicRegex(d[2])).test(line)
                : true;
        const drop = d[3] === 'd';
        edits.push((line, n, last) => (hit(line, n, last) === drop ? null : line));
      } else if (one.trim()) {
        proc.streams.err.write('sed: unsupported command\n');
        return 1;
      }
    }
    for (const { name, text } of texts) {
      const all = lines(text);
      const out: string[] = [];
      for (const [i, line] of all.entries()) {
        let now: string | null = line;
        for (const edit of edits) if (now !== null) now = edit(now, i + 1, i === all.length - 1);
        if (now !== null) out.push(`${now}\n`);
      }
      if (flags.has('i')) {
        const o = world.fs.open(world.fs.resolve(name, proc.cwd), 'truncate');
        o.fs.append(o.node, out.join(''), o.path);
      } else proc.streams.out.write(out.join(''));
    }
    return status;
  })();
}

function* dd(proc: Proc, world: World, args: readonly string[]): Go<number> {
  const set = new Map(args.slice(1).map((a) => [a.slice(0, a.indexOf('=')), a.slice(a.indexOf('=') + 1)]));
  const count = set.has('count') ? Number(set.get('count')) : Number.POSITIVE_INFINITY;
  const bytes = size(set.get('bs') ?? '512') * count;
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
  // What nobody reads need not be there: a file has so many bytes more.
  let text = zeros && output ? '' : '\0'.repeat(Math.min(bytes, 1 << 20));
  if (input && !/^\/dev\/(zero|u?random)$/.test(input)) {
    try {
      text = read(proc, world, input).slice(0, bytes);
    } catch (error) {
      proc.streams.err.write(`dd: can't open '${input}': ${strerror(error)}\n`);
      return 1;
    }
  }
  if (output && output !== '/dev/null') {
    const o = world.fs.open(world.fs.resolve(output, proc.cwd), 'truncate');
    if (zeros && bytes > 0) o.node.extra = bytes;
    o.fs.append(o.node, text, o.path);
  } else if (!output) proc.streams.out.write(text);
  proc.streams.err.write(`${count}+0 records in\n${count}+0 records out\n`);
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
    (texts, flags) => {
      const delimiter = flags.get('d') ?? '\t';
      const wanted = (flags.get('f') ?? flags.get('c') ?? '1').split(',').map((r) => r.split('-'));
      const pick = <T>(items: readonly T[]): T[] =>
        items.filter((_, i) =>
          wanted.some(([a, b]) =>
            b === undefined ? i + 1 === Number(a) : i + 1 >= Number(a || 1) && i + 1 <= Number(b || 1e9),
          ),
        );
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
        .replace(/(.)-(.)/g, (_, a: string, b: string) =>
          Array.from({ length: b.charCodeAt(0) - a.charCodeAt(0) + 1 }, (_x, i) =>
            String.fromCharCode(a.charCodeAt(0) + i),
          ).join(''),
        ),
    ];
    const from = expand(rest[0] ?? '');
    const to = expand(rest[1] ?? '');
    for (let t = yield* proc.streams.in.read(proc); t !== null; t = yield* proc.streams.in.read(proc)) {
      let out = '';
      for (const c of t) {
        const i = from.indexOf(c);
        const hit = flags.has('c') ? i < 0 : i >= 0;
        if (!hit) out += c;
        else if (!flags.has('d')) out += to[Math.min(i < 0 ? to.length - 1 : i, to.length - 1)] ?? c;
      }
      proc.streams.out.write(out);
    }
    return 0;
  },
};
