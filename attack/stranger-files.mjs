/**
 * Files that somebody sent: an operation for each file or part of one, and one for each command that reads them. Used
 * by the fuzzers of logs, captures, folders and floods of pods.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { linesOf } from './kubelet-lines.mjs';
import { Random } from './random.mjs';
import { WrongAnswer } from './replay.mjs';
import { jsonOf, mutatedBytes, mutatedText, textOf } from './values.mjs';

const captures = new URL('../packages/core/testdata/attach/', import.meta.url);
/** Bytes of text that one file gets at most, before it is packed. */
const MOST = 256 * 1024 * 1024;

/**
 * The operations, and what each makes. A file is written from its `file` on to the next one, or to the first command.
 */
export const OPERATIONS = `
  {op: 'file', name, framing, ending, encoding, pack, times}   begins a file; what follows is in it
  {op: 'lines', form, lines, times, every}                     lines of a kubelet; see kubelet-lines.mjs
  {op: 'text', text, times}                                    text as it stands
  {op: 'json', value}                                          a value as JSON, in a line
  {op: 'bytes', base64}                                        bytes as they stand
  {op: 'capture', from, seed, changes}                         a file of the captures in testdata, spoiled
  {op: 'special', name, kind, to}                              what is no regular file
  {op: 'many', name, text, times}                              many files
  {op: 'command', argv, alone}                                 a command; @ is the folder, @NAME a file in it;
                                                               alone: in a process of its own, as users have it
`;

/** A file that is being made: its parts, and what to do with them. */
class Made {
  parts = [];
  size = 0;
  constructor(operation) {
    Object.assign(this, { name: 'kubelet.log', ...operation });
  }
  add(part) {
    if (this.size > MOST) return;
    const bytes = this.encode(part);
    this.parts.push(bytes);
    this.size += bytes.length;
  }
  encode(part) {
    if (typeof part !== 'string') return part;
    if (this.encoding === 'utf16le') return Buffer.from(part, 'utf16le');
    if (this.encoding === 'utf16be') return Buffer.from(part, 'utf16le').swap16();
    return Buffer.from(part, this.encoding === 'latin1' ? 'latin1' : 'utf8');
  }
  bytes() {
    const mark = { utf16le: [0xff, 0xfe], utf16be: [0xfe, 0xff], bom: [0xef, 0xbb, 0xbf] }[this.encoding] ?? [];
    return packed(Buffer.concat([Buffer.from(mark), ...this.parts]), this);
  }
}

/** Packs bytes, as people and rotations do, and as nobody should. */
function packed(bytes, { pack, times = 1 }) {
  if (!pack) return bytes;
  const zipped = gzipSync(bytes, { level: 6 });
  switch (pack) {
    case 'cut':
      return zipped.subarray(0, Math.max(11, zipped.length >> 1));
    case 'twice':
      return gzipSync(zipped);
    case 'garbage':
      return Buffer.concat([zipped, Buffer.from('not gzip'.repeat(50))]);
    case 'spoiled':
      return mutatedBytes(new Random('spoiled', zipped.length), zipped, 3);
    // Inflated it is this many times as much: a bomb.
    case 'members':
      return Buffer.concat(Array.from({ length: Math.max(1, Math.min(times, 20_000)) }, () => zipped));
    default:
      return zipped;
  }
}

function spoiled({ from, seed = 0, changes = 1 }) {
  const whole = gunzipped(readFileSync(new URL(from, captures)));
  const random = new Random('capture', seed);
  // Few of them are long, and a change does the same to a short one.
  const bytes = whole.subarray(0, 400_000);
  const made = random.chance(0.5) ? mutatedBytes(random, bytes, changes) : spoiledLines(random, bytes, changes);
  return made;
}
const gunzipped = (bytes) => (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes);

/** Returns some of the lines changed, swapped, doubled or removed: bytes as a whole make no interesting text. */
function spoiledLines(random, bytes, changes) {
  const lines = bytes.toString('utf8').split('\n');
  for (let i = 0; i < changes; i++) {
    const at = random.int(lines.length);
    const line = lines[at].slice(0, 100_000);
    random.pick([
      () => lines.splice(at, 1, mutatedText(random, line)),
      () => lines.splice(at, 1),
      () => lines.splice(at, 0, line),
      () => lines.splice(random.int(lines.length), 0, line),
      () => lines.splice(at, 1, changedNumber(random, line)),
    ])();
    if (lines.length === 0) break;
  }
  return Buffer.from(lines.join('\n'));
}
const changedNumber = (random, line) => {
  const numbers = [...line.matchAll(/\d+/g)];
  if (numbers.length === 0) return line;
  const { 0: text, index } = random.pick(numbers);
  const odd = random.pick(['9'.repeat(20), '-1', '0', '1e308', '9999-12-31T23:59:59', String(2 ** 53)]);
  return line.slice(0, index) + odd + line.slice(index + text.length);
};

/** Files that are not regular, or hard to come by. Refused operations are left out. */
async function special({ kind, to = '' }, path, servers) {
  const make = {
    fifo: () => execFileSync('mkfifo', [path], { stdio: 'ignore' }),
    link: () => symlink(to, path),
    folder: () => mkdir(path, { recursive: true }),
    device: () => execFileSync('mknod', [path, 'c', '1', '5'], { stdio: 'ignore' }),
    socket: () =>
      new Promise((resolve) => {
        servers.push(net.createServer().on('error', resolve).listen(path, resolve));
      }),
    // Folders in folders.
    deep: () => mkdir(join(path, ...Array.from({ length: 200 }, () => 'a')), { recursive: true }),
    // A file that is larger than any disk, without any bytes of it.
    hole: () => execFileSync('truncate', ['-s', to || '3G', path], { stdio: 'ignore' }),
  }[kind];
  await Promise.resolve()
    .then(make)
    .catch(() => {});
}

/** Nobody wrote this file: an error that names it helps nobody. */
const NOBODYS = /twin\.yaml:\d+/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u009b]/;

/** Throws for an answer with text that no command may print. */
function examine(name, answer) {
  if (!answer) return;
  const found = NOBODYS.exec(answer.output);
  if (found) throw new WrongAnswer(`it names a file that nobody wrote: ${lineAt(answer.output, found.index)}`, name);
  const control = CONTROL.exec(answer.output);
  if (control)
    throw new WrongAnswer(
      `it prints control characters to the terminal: ${JSON.stringify(lineAt(answer.output, control.index))}`,
      name,
    );
}
const lineAt = (text, at) =>
  text
    .slice(text.lastIndexOf('\n', at) + 1)
    .split('\n', 1)[0]
    .slice(0, 300);

/** The limits that commands get when they read strangers' files. */
const limits = (readSeconds) => ['--memory-limit', '512Mi', '--time-limit', `${readSeconds}s`];

/** Makes the files of an input and performs its commands; the folder is new for each input. */
export async function performFiles({ work, run, alone, readSeconds }, operations) {
  const folder = join(work, 'in');
  const servers = [];
  let made = null;
  let packets = 0;
  let imported = false;
  const begin = (operation) => {
    made = new Made(operation);
    return made;
  };
  const close = async () => {
    if (made) await write(join(folder, String(made.name).replaceAll('/', '_') || 'a'), made.bytes());
    made = null;
  };
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  try {
    for (const operation of operations) {
      const { op } = operation;
      const file = () => made ?? begin({});
      if (op === 'file') {
        await close();
        begin(operation);
      } else if (op === 'lines') for (const text of linesOf(operation, file())) file().add(text);
      else if (op === 'text') {
        for (let i = 0; i < Math.min(operation.times ?? 1, 1e6); i++) file().add(textOf(operation.text));
      } else if (op === 'json') file().add(`${jsonOf(operation.value)}\n`);
      else if (op === 'bytes') file().add(Buffer.from(operation.base64 ?? '', 'base64'));
      else if (op === 'capture') file().add(spoiled(operation));
      else if (op === 'special') await special(operation, join(folder, operation.name ?? 'a'), servers);
      else if (op === 'many') {
        for (let i = 0; i < Math.min(operation.times ?? 1, 5000); i++)
          await writeFile(join(folder, String(operation.name).replaceAll('#', i)), textOf(operation.text));
      } else if (op === 'command') {
        await close();
        const answer = await command({ run, alone, readSeconds }, operation, folder, work);
        packets++;
        const [name] = operation.argv;
        examine(name, answer);
        if (name === 'import') imported = answer?.code === 0;
        else if (name === 'info' && operation.argv[1] === '@out' && imported && answer?.code !== 0 && answer)
          throw new WrongAnswer(`what import wrote cannot be read: ${answer.output.slice(0, 300)}`, 'info');
      }
    }
  } finally {
    for (const server of servers) server.close();
    await rm(folder, { recursive: true, force: true });
  }
  return packets;
}

/** Makes a command. Those that write get a file for it; one that serves ends when it has read. */
async function command(target, { argv, alone = false }, folder, work) {
  const out = join(work, 'out.syncloop');
  const words = argv.map((word) =>
    word === '@' ? folder : word === '@out' ? out : word.startsWith('@') ? join(folder, word.slice(1)) : word,
  );
  if (['import', 'export'].includes(words[0])) words.push('-o', words[0] === 'import' ? out : join(work, 'exported'));
  if (words[0] === 'open') words.push('--port', '0');
  if (['import', 'open', 'twin'].includes(words[0])) words.push(...limits(target.readSeconds));
  const until = words[0] === 'open' ? { until: ' is read: ' } : {};
  return alone ? await target.alone(words, until) : await target.run('main', { argv: words, ...until });
}

async function write(path, bytes) {
  const stream = createWriteStream(path);
  stream.on('error', () => {});
  stream.end(bytes);
  await Promise.race([once(stream, 'close'), once(stream, 'error')]);
}

/** Returns the commands that read a kubelet's evidence, on that file or folder. */
export const readers = (random, path) =>
  random.weighted([
    [
      5,
      () => [
        ['import', path],
        ['info', '@out', '--kinds'],
      ],
    ],
    [4, () => [['twin', path, '--tries', '3']]],
    [2, () => [['open', path]]],
    [
      1,
      () => [
        ['import', path, '--pseudonyms'],
        ['info', '@out'],
        ['export', '@out', '--format', random.pick(['chrome', 'otlp', 'klog', 'ndjson'])],
      ],
    ],
    [1, () => [['info', path]]],
    [0.7, () => [['why', path, '--pod', 'default/web-0', '--field', 'phase']]],
    [0.7, () => [['export', path, '--format', random.pick(['chrome', 'otlp', 'klog', 'ndjson'])]]],
    [0.5, () => [['conformance', '--attach', '@']]],
    [0.5, () => [['conformance', path]]],
  ]);
export const commandsOf = (lists, alone = false) =>
  lists.flat().map((argv) => ({ op: 'command', argv, ...(alone && { alone }) }));
