/** Values that programs do not expect, and changes to values that they do. */

/** Keys and words that mean something to a program although they came from outside. */
export const ODD_WORDS = [
  '',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'length',
  'then',
  'toJSON',
  '\u0000',
  '\u202e',
  '\ud800',
  '\r\n',
  '../../etc/passwd',
  '%00',
  '$(HOME)',
  '*',
  '-1',
  'null',
  'NaN',
];

export const ODD_NUMBERS = [
  0,
  -0,
  -1,
  1,
  0.5,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  Number.MAX_SAFE_INTEGER,
  2 ** 53,
  -(2 ** 53),
  1e21,
  1e308,
  5e-324,
];

/**
 * Returns a long text in few characters: operations are written to files, and shrunk one by one. `long('ab', 3)` means
 * `ababab`.
 */
export const long = (text, times) => ({ $long: text, times });

/** Lists in lists, `depth` deep, in few characters. */
export const deep = (depth, kind = 'list') => ({ $deep: kind, depth });

/** A text that is JSON of that value: `{"a":1}` in a string. Kept as a value, so that it can be made smaller as one. */
export const jsonText = (value) => ({ $json: value });

/** A list of this many values like this one; `#` in its texts becomes the place in the list. */
export const many = (value, times) => ({ $many: value, times });

/** Texts are written out up to this: a changed input may ask for more than there is memory. */
const MOST = 16 * 1024 * 1024;
/** Repeats a text as often as it says, as far as there is room. */
const repeated = (text, times) =>
  text.repeat(Math.max(0, Math.min(Number.isFinite(times) ? times : 0, MOST / Math.max(1, text.length))));

/** Returns the text of an operation: unchanged, or a `long` one written out. */
export const textOf = (value) =>
  typeof value === 'string' ? value : repeated(String(value?.$long ?? ''), value?.times);

/**
 * Returns the JSON of a value with each `long` and `deep` written out. JSON.stringify would fail on values that are
 * nested that deep.
 */
export function jsonOf(value) {
  try {
    return written(value);
  } catch (error) {
    // The whole is longer than a text can be: nobody could send it.
    if (error instanceof RangeError) return '"too long"';
    throw error;
  }
}

function written(value) {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(written).join()}]`;
  if (typeof value.$long === 'string') return JSON.stringify(textOf(value));
  if (value.$many !== undefined) {
    const text = written(value.$many);
    const length = Math.max(0, Math.min(Number.isFinite(value.times) ? value.times : 0, MOST / text.length));
    return `[${Array.from({ length }, (_, i) => text.replaceAll('#', String(i))).join()}]`;
  }
  if (value.$json !== undefined) return JSON.stringify(written(value.$json));
  if (typeof value.$deep === 'string') {
    const [open, close] = value.$deep === 'list' ? ['[', ']'] : ['{"a":', '}'];
    return `${repeated(open, value.depth)}1${repeated(close, value.depth)}`;
  }
  const fields = Object.keys(value).filter((key) => value[key] !== undefined);
  return `{${fields.map((key) => `${JSON.stringify(key)}:${written(value[key])}`).join()}}`;
}

/** Any JSON value, mostly small. */
export function anyValue(random, depth = 0) {
  return random.weighted([
    [3, () => random.pick(ODD_NUMBERS)],
    [3, () => random.pick(ODD_WORDS)],
    [2, () => random.pick([null, true, false])],
    [1, () => long(random.pick(['x', 'é', '𝒳', '[', '"', '\\']), random.pick([100, 5_000, 40_000]))],
    [0.5, () => deep(random.pick([40, 500, 5_000]), random.pick(['list', 'map']))],
    [depth > 3 ? 0 : 2, () => random.list(0, 4, () => anyValue(random, depth + 1))],
    [
      depth > 3 ? 0 : 2,
      () =>
        Object.fromEntries(
          random.list(0, 4, () => [random.pick([...ODD_WORDS.slice(0, 8), 'a']), anyValue(random, depth + 1)]),
        ),
    ],
  ]);
}

/** Returns the value with some changes: another value, a key removed or doubled, a longer list. */
export function mutated(random, value, rate = 0.15) {
  if (random.chance(rate * 0.5)) return anyValue(random);
  if (Array.isArray(value)) {
    const items = value.map((v) => mutated(random, v, rate));
    if (random.chance(rate) && items.length > 0) items.push(items[random.int(items.length)]);
    if (random.chance(rate)) items.splice(random.int(items.length + 1), 1);
    return items;
  }
  if (typeof value === 'object' && value !== null) {
    const out = {};
    for (const key of Object.keys(value)) {
      if (random.chance(rate * 0.3)) continue;
      const name = random.chance(rate * 0.1) ? random.pick(ODD_WORDS) : key;
      // An own property, even if its name is __proto__.
      Object.defineProperty(out, name, {
        value: mutated(random, value[key], rate),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    if (random.chance(rate * 0.3)) out[random.pick(ODD_WORDS.slice(3))] = anyValue(random);
    return out;
  }
  if (random.chance(rate)) return anyValue(random);
  if (typeof value === 'string' && random.chance(rate)) return mutatedText(random, value);
  return value;
}

/** Returns a text with characters changed, removed, doubled or from elsewhere. */
export function mutatedText(random, text, changes = random.between(1, 4)) {
  let out = text;
  for (let i = 0; i < changes; i++) {
    const at = random.int(out.length + 1);
    const length = random.int(Math.min(20, out.length - at + 1));
    out = random.weighted([
      [3, () => out.slice(0, at) + out.slice(at + length)],
      [2, () => out.slice(0, at + length) + out.slice(at)],
      [3, () => out.slice(0, at) + random.pick(ODD_WORDS) + out.slice(at)],
      [2, () => out.slice(0, at) + String(random.pick(ODD_NUMBERS)) + out.slice(at + length)],
      [1, () => out.slice(0, at)],
      [2, () => out.slice(0, at) + String.fromCharCode(random.int(128)) + out.slice(at + 1)],
    ]);
    // Doubling must not go on for ever.
    if (out.length > 200_000) out = out.slice(0, 200_000);
  }
  return out;
}

/** Returns bytes with bits flipped, parts removed, doubled or overwritten. */
export function mutatedBytes(random, bytes, changes = random.between(1, 6)) {
  let out = Buffer.from(bytes);
  for (let i = 0; i < changes && out.length > 0; i++) {
    const at = random.int(out.length);
    const length = 1 + random.int(Math.min(64, out.length - at));
    out = random.weighted([
      [4, () => out.fill(out[at] ^ (1 << random.int(8)), at, at + 1)],
      [3, () => out.fill(random.pick([0, 1, 0x7f, 0x80, 0xff]), at, at + 1)],
      [2, () => out.fill(random.pick([0, 0xff]), at, at + Math.min(length, 8))],
      [1, () => Buffer.concat([out.subarray(0, at), out.subarray(at + length)])],
      [1, () => Buffer.concat([out.subarray(0, at + length), out.subarray(at)])],
      [1, () => Buffer.concat([out.subarray(0, at), random.bytes(length), out.subarray(at)])],
      [0.5, () => out.subarray(0, at)],
    ]);
  }
  return out;
}
