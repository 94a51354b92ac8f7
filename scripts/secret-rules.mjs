#!/usr/bin/env node
/**
 * Makes the rules of packages/core/src/redaction/rules/gitleaks.ts from gitleaks' own, which its authors keep up to
 * date: `node scripts/secret-rules.mjs GITLEAKS_DIR [--write]`, with a checkout of github.com/gitleaks/gitleaks. Says
 * which rules are left out and why.
 *
 * JavaScript's expressions try one way after the other, so a rule is taken only if there is but one way: no part of
 * varying length is followed by something that it could have taken itself. Lengths without end get one.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const OUT = path.resolve(
  path.dirname(fileURLToPath(import.meta.url)),
  '../packages/core/src/redaction/rules/gitleaks.ts',
);
/** Characters that a part without an end may have. */
const LONGEST = 400;
/**
 * The part before the value in a rule that goes by a service's name, between name and value, and behind the value in
 * any rule.
 */
const SERVICE = /^(?:\[\\w\.-\]\{0,50\}\?)?\(\?i(?:\)|:)\[\\w\.-\]\{0,50\}\?\(\?:/;
const BETWEEN =
  /\)\(\?:\[ \\t\\w\.-\]\{0,20\}\)\[\\s'"\]\{0,3\}\)?\(\?:=\|>\|:\{1,3\}=\|\\\|\\\|\|:\|=>\|\\\?=\|,\)\[\\x60'"\\s=\]\{0,5\}/;
const BEHIND = /\(\?:\[\\x60'"\\s;\]\|\\\\\[nr\]\|\$(?:\|\\b)?\)$|\(\?:\[\^[^\]]+\]\|\\z\)$|\\b$/;
/** Names in Kubernetes that look like values of some services: UIDs, hashes, and the ids of containers. */
const IDS = [
  '0f3d8e5c-7a41-4c9b-8d26-51e0b7a9c3f4',
  '9b2d6c81f0a34e57b8c19d20e6f5a743',
  '4f1c9a7be2d04853a6c1b97e05d8f32c6a9b4e17d0c83f52a1b6e9d47c20f835',
];

/** Rules of a gitleaks.toml: `id`, `regex`, `entropy`, `keywords`. */
export function readRules(toml) {
  return toml
    .split(/^\[\[rules\]\]$/m)
    .slice(1)
    .map((text) => ({
      id: /^id = "(.*)"$/m.exec(text)?.[1] ?? '',
      regex: /^regex = '''(.*)'''$/m.exec(text)?.[1] ?? '',
      entropy: Number(/^entropy = ([\d.]+)$/m.exec(text)?.[1] ?? 0),
      keywords: [...(/^keywords = \[([^\]]*)\]/m.exec(text)?.[1] ?? '').matchAll(/"([^"]*)"/g)].map(([, word]) => word),
      path: /^path = /m.test(text),
    }));
}

const ASCII = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));
const named = { d: /\d/, w: /\w/, s: /\s/ };

/** Reads an expression in the syntax of RE2. Throws an Error for parts that these rules do not allow. */
class Parser {
  at = 0;
  fold = false;
  constructor(text) {
    this.text = text;
  }
  whole() {
    const node = this.either();
    if (this.at < this.text.length) throw new Error(`unread: ${this.text.slice(this.at)}`);
    return node;
  }
  either() {
    const fold = this.fold;
    const ways = [this.row()];
    while (this.text[this.at] === '|') {
      this.at++;
      ways.push(this.row());
    }
    this.fold = fold;
    return ways.length === 1 ? ways[0] : { ways };
  }
  row() {
    const row = [];
    while (this.at < this.text.length && !'|)'.includes(this.text[this.at])) {
      const part = this.part();
      if (part) row.push(this.repeated(part));
    }
    return { row };
  }
  repeated(part) {
    const found = /^(?:\{(\d+)(,?)(\d*)\}|([+*?]))\??/.exec(this.text.slice(this.at));
    if (!found) return part;
    this.at += found[0].length;
    const [, from, comma, to, sign] = found;
    const min = sign ? (sign === '+' ? 1 : 0) : Number(from);
    const max = sign ? (sign === '?' ? 1 : LONGEST) : comma ? (to ? Number(to) : Math.max(LONGEST, min * 2)) : min;
    return { part, min, max };
  }
  part() {
    const char = this.text[this.at++];
    if (char === '(') {
      const flag = /^\?(-?)i([:)])/.exec(this.text.slice(this.at));
      const before = this.fold;
      if (flag) {
        this.at += flag[0].length;
        this.fold = flag[1] === '';
        if (flag[2] === ')') return null;
      } else if (this.text.startsWith('?:', this.at)) this.at += 2;
      else if (this.text[this.at] === '?') throw new Error('a named group');
      const node = this.either();
      this.at++;
      this.fold = before;
      return node;
    }
    if (char === '[') return this.set();
    if (char === '\\') return this.escape();
    if (char === '.' || char === '^' || char === '$') throw new Error(`${char} in the middle`);
    return this.chars([char]);
  }
  escape() {
    const char = this.text[this.at++];
    if (char === 'b') return { edge: true };
    if (named[char]) return this.chars(ASCII.filter((c) => named[char].test(c)));
    if (/[A-Za-z0-9]/.test(char)) throw new Error(`\\${char}`);
    return this.chars([char]);
  }
  set() {
    const end = this.text.indexOf(
      ']',
      this.text.startsWith('[:', this.at) ? this.text.indexOf(':]', this.at) + 2 : this.at + 1,
    );
    const inside = this.text.slice(this.at, end).replaceAll('[:alnum:]', 'a-zA-Z0-9');
    if (inside.startsWith('^')) throw new Error('all but some');
    this.at = end + 1;
    const js = new RegExp(`[${inside}]`);
    return this.chars(ASCII.filter((c) => js.test(c)));
  }
  chars(list) {
    const all = this.fold ? list.flatMap((c) => [c.toLowerCase(), c.toUpperCase()]) : list;
    return { chars: new Set(all) };
  }
}

/** Returns the characters that it may begin with. `null`: it may be empty. */
function first(node) {
  if (node.chars) return node.chars;
  if (node.edge) return new Set([null]);
  if (node.ways) return new Set(node.ways.flatMap((way) => [...first(way)]));
  if (node.part) return node.min > 0 ? first(node.part) : new Set([...first(node.part), null]);
  const all = new Set();
  for (const part of node.row) {
    const own = first(part);
    for (const char of own) if (char !== null) all.add(char);
    if (!own.has(null)) return all;
  }
  return all.add(null);
}

/** Throws if there is more than one way. */
function oneWay(node, after = new Set()) {
  const overlap = (a, b) => [...a].some((char) => char !== null && b.has(char));
  if (node.ways) for (const way of node.ways) oneWay(way, after);
  if (node.part) {
    oneWay(node.part, after);
    if (!node.part.chars && node.max > 4) throw new Error('a group that is repeated');
    if (node.min !== node.max && overlap(first(node.part), after)) throw new Error('more than one way to match');
  }
  if (node.row)
    node.row.forEach((part, i) => {
      const rest = first({ row: node.row.slice(i + 1) });
      oneWay(part, rest.has(null) ? new Set([...rest, ...after]) : rest);
    });
}

/** The least and most characters that it takes. */
function length(node) {
  if (node.chars) return [1, 1];
  if (node.edge) return [0, 0];
  const all = (node.ways ?? node.row ?? []).map(length);
  if (node.ways) return [Math.min(...all.map(([a]) => a)), Math.max(...all.map(([, b]) => b))];
  if (node.row) return all.reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
  const [a, b] = length(node.part);
  return [a * node.min, b * node.max];
}

const quoted = (char) => (/[\\\]^-]/.test(char) ? `\\${char}` : char);
function asClass(chars) {
  const list = [...chars].sort();
  if (list.length === 1) return /[\\^$.*+?()[\]{}|/]/.test(list[0]) ? `\\${list[0]}` : list[0];
  let out = '';
  for (let i = 0; i < list.length; ) {
    let j = i;
    while (j + 1 < list.length && list[j + 1].charCodeAt(0) === list[j].charCodeAt(0) + 1) j++;
    out +=
      j - i > 1
        ? `${quoted(list[i])}-${quoted(list[j])}`
        : list
            .slice(i, j + 1)
            .map(quoted)
            .join('');
    i = j + 1;
  }
  return `[${out}]`.replaceAll('0-9A-Z_a-z', '\\w');
}
function source(node) {
  if (node.chars) return asClass(node.chars);
  if (node.edge) return '\\b';
  if (node.ways) return `(?:${node.ways.map(source).join('|')})`;
  if (node.row) return node.row.map(source).join('');
  const inside = node.part.row && node.part.row.length !== 1 ? `(?:${source(node.part)})` : source(node.part);
  if (node.min === 0 && node.max === 1) return `${inside}?`;
  return `${inside}{${node.min}${node.max === node.min ? '' : `,${node.max}`}}`;
}

/** Returns the number of characters of each match before the keyword; null if that is not always the same. */
function placeOf(node, word) {
  let before = 0;
  for (const part of node.row) {
    const rest = { row: node.row.slice(node.row.indexOf(part)) };
    if (begins(rest, word.toLowerCase())) return before;
    const [min, max] = length(part);
    if (min !== max) return null;
    before += min;
  }
  return null;
}
/** True if something that it matches begins with the word, in any case. */
function begins(node, word) {
  const text = source(node).replace(/^\\b/, '');
  // A word matches at its own letters, not at a pattern for any letter.
  const letters = text.replace(/\\(.)/g, '$1');
  if (letters.toLowerCase().startsWith(word)) return true;
  const ways = expand(node, word.length);
  return ways?.some((way) => way.toLowerCase() === word) === true;
}
/** Returns the texts of this many letters that it may begin with; null for too many. */
function expand(node, count) {
  if (node.edge) return [''];
  if (node.chars) return node.chars.size > 12 ? null : [...node.chars];
  if (node.ways) {
    const all = node.ways.flatMap((way) => expand(way, count) ?? []);
    return all.length > 0 ? all : null;
  }
  if (node.part) return null;
  let out = [''];
  for (const part of node.row) {
    if (out.every((one) => one.length >= count)) break;
    const next = expand(part, count);
    if (!next) return null;
    out = out.flatMap((one) => (one.length >= count ? [one] : next.map((more) => (one + more).slice(0, count))));
    if (out.length > 4096) return null;
  }
  return out;
}

/** Converts a rule; throws an Error with the reason if it cannot be converted. */
export function convert({ id, regex, entropy, keywords, path: file }) {
  if (regex === '' || file) throw new Error('goes by the name of a file');
  const service = SERVICE.exec(regex);
  if (id === 'generic-api-key') throw new Error('our rules for names and values stand in its place');
  if (service) {
    const between = BETWEEN.exec(regex);
    if (!between) throw new Error('no form that is known');
    const parser = new Parser(
      regex
        .slice(between.index + between[0].length)
        .replace(/\|\\b\(ATATT.*$/, '')
        .replace(BEHIND, ''),
    );
    parser.fold = true;
    const form = parser.whole();
    oneWay(form);
    const js = new RegExp(`^(?:${source(form)})$`);
    if (IDS.some((own) => js.test(own))) throw new Error('its values look like ids of Kubernetes');
    const own = keywords.filter((word) => begins(form, word));
    if (own.length > 0) return { id, words: own, form: source(form), ...(entropy > 0 && { entropy }) };
    if (length(form)[0] < 20) throw new Error('its values are short words');
    return { id, after: keywords, form: source(form), ...(entropy > 0 && { entropy }) };
  }
  const form = new Parser(regex.replace(BEHIND, '')).whole();
  oneWay(form);
  if (form.ways) throw new Error('forms that begin in several ways');
  const places = keywords.map((word) => placeOf(form, word));
  const used = keywords.filter((_, i) => places[i] !== null);
  const before = places.find((one) => one !== null);
  if (before === undefined || places.some((one) => one !== null && one !== before))
    throw new Error('its keyword has no fixed place');
  if (Math.min(...used.map((word) => word.length)) < 3 && before === 0) throw new Error('its keyword is in every line');
  return { id, words: used, ...(before > 0 && { before }), form: source(form), ...(entropy > 0 && { entropy }) };
}

/** The notice is at a value: a comment at a type is removed with it when the file is built. */
const HEAD = `import type { IssuedRule, ServiceRule } from './types.js';

/*!
 * Secrets by their form, as services issue them. Made by scripts/secret-rules.mjs of the rules of gitleaks
 * (https://github.com/gitleaks/gitleaks, config/gitleaks.toml, COMMIT), which are under this licence:
 *
LICENSE
 */
`;

function main([dir, write]) {
  if (!dir) throw new Error('give the folder of a checkout of github.com/gitleaks/gitleaks');
  const rules = readRules(fs.readFileSync(path.join(dir, 'config/gitleaks.toml'), 'utf8'));
  const made = [];
  for (const rule of rules)
    try {
      made.push(convert(rule));
    } catch (err) {
      console.log(`left out: ${rule.id}: ${err.message}`);
    }
  const issued = made.filter((rule) => rule.words);
  const services = made.filter((rule) => rule.after);
  console.log(`${issued.length} by their form, ${services.length} by a service's name, of ${rules.length}`);
  if (write !== '--write') return;
  const licence = fs.readFileSync(path.join(dir, 'LICENSE'), 'utf8').trim();
  const commit = execFileSync('git', ['-C', dir, 'rev-parse', '--short=12', 'HEAD'], { encoding: 'utf8' }).trim();
  const head = HEAD.replace('COMMIT', commit).replace(
    'LICENSE',
    licence
      .split('\n')
      .map((line) => ` * ${line}`.trimEnd())
      .join('\n'),
  );
  const list = (rows) => rows.map((row) => `  ${JSON.stringify(row)},\n`).join('');
  const text = `${head}export const issued: readonly IssuedRule[] = [\n${list(issued)}];\n\nexport const services: readonly ServiceRule[] = [\n${list(services)}];\n`;
  fs.writeFileSync(OUT, text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
