/** Damages files as disks, copies and people do. Used for programs that must notice it when they start. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const kinds = {
  flip: (bytes, { at, bit }) => {
    const out = Buffer.from(bytes);
    if (out.length > 0) out[at] ^= 1 << bit;
    return out;
  },
  cut: (bytes, { at }) => bytes.subarray(0, at),
  zero: (bytes, { at, length }) => Buffer.from(bytes).fill(0, at, Math.min(bytes.length, at + length)),
  fill: (bytes, { at, length }) => Buffer.from(bytes).fill(0xff, at, Math.min(bytes.length, at + length)),
  empty: () => Buffer.alloc(0),
  remove: (bytes, { at, length }) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]),
  repeat: (bytes, { at, length }) => Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]),
  double: (bytes) => Buffer.concat([bytes, bytes]),
  append: (bytes, { length }) => Buffer.concat([bytes, Buffer.alloc(length, 'x')]),
};
/** Things that can take the file's place. */
const places = {
  delete: () => {},
  folder: (path) => mkdirSync(path),
  fifo: (path) => execFileSync('mkfifo', [path]),
  loop: (path, name) => symlinkSync(name, path),
  dangling: (path) => symlinkSync('nowhere', path),
  zeros: (path) => symlinkSync('/dev/zero', path),
  text: (path) => writeFileSync(path, 'this is no file of ours\n'),
};
export const DAMAGES = [...Object.keys(kinds), ...Object.keys(places), 'older', 'swap', 'copy'];

/** Returns a damage for a fuzzer's input. `at`, `to`: parts of the whole, from 0 up to 1. */
export const anyDamage = (random, files) => ({
  op: 'damage',
  file: random.pick(files),
  kind: random.weighted([
    [6, () => 'flip'],
    [4, () => random.pick(Object.keys(kinds))],
    [1, () => random.pick(Object.keys(places))],
    [2, () => random.pick(['delete', 'older', 'swap', 'copy'])],
  ]),
  at: random.pick([0, random.next(), random.next(), random.next() * 0.01, 0.999]),
  bit: random.int(8),
  length: random.pick([1, 4, 100, 4096]),
  other: random.pick(files),
});

/** Does that to a file of the folder; if there is no such file, nothing. `older` has the files of before. */
export function inflict(folder, { file = '', kind, at = 0, bit = 0, length = 1, other = '' }, older) {
  const path = join(folder, file);
  const neighbour = join(folder, other);
  const isFile = (one) => lstatSync(one, { throwIfNoEntry: false })?.isFile() ?? false;
  if (!isFile(path)) return;
  if (kinds[kind]) {
    const bytes = readFileSync(path);
    const place = Math.min(Math.floor(at * bytes.length), Math.max(0, bytes.length - 1));
    writeFileSync(path, kinds[kind](bytes, { at: place, bit: bit & 7, length: Math.max(1, length) }));
  } else if (kind === 'older') {
    if (older && isFile(join(older, file))) copyFileSync(join(older, file), path);
  } else if ((kind === 'swap' || kind === 'copy') && other !== file && isFile(neighbour)) {
    const [own, its] = [readFileSync(path), readFileSync(neighbour)];
    writeFileSync(path, its);
    if (kind === 'swap') writeFileSync(neighbour, own);
  } else if (places[kind]) {
    rmSync(path, { force: true });
    places[kind](path, file);
  }
}

/** Returns true if both folders have the same files with the same bytes, but for those that `but` takes. */
export function same(folder, other, but = () => false) {
  const names = (one) =>
    readdirSync(one)
      .filter((name) => !but(name))
      .sort();
  const [a, b] = [names(folder), names(other)];
  return (
    a.join('\0') === b.join('\0') &&
    a.every((name) => {
      const [one, two] = [join(folder, name), join(other, name)];
      return lstatSync(one).isFile() && lstatSync(two).isFile() && readFileSync(one).equals(readFileSync(two));
    })
  );
}
