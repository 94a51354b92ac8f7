#!/usr/bin/env node
/**
 * The source lines of an older kubelet's log messages: `node scripts/klog-words.mjs VERSION DIR TODAY_DIR` reads the Go
 * sources below DIR (a checkout of kubernetes of that version, with its client-go) and below TODAY_DIR (one of v1.36),
 * and writes packages/core/src/kubelet/eras/VERSION/gen/klog-places.ts: line, verbosity and fields of each text that
 * our kubelet logs, in v1.36's words or in those of the version's klog-words.ts; and today's texts that it lacks.
 */
import fs from 'node:fs';
import path from 'node:path';
import { top } from './lib.mjs';

const KUBELET = path.join(top, 'packages/core/src/kubelet');
const [version, checkout, today] = process.argv.slice(2);
const there = (dir) => dir !== undefined && fs.existsSync(dir);
if (!/^v1\.\d+$/.test(version ?? '') || !there(checkout) || !there(today)) {
  console.error('node scripts/klog-words.mjs VERSION DIR TODAY_DIR: want a version and two folders with Go sources');
  process.exit(2);
}

function* files(dir, wanted) {
  for (const e of fs.readdirSync(dir, { withFileTypes: true })) {
    const at = path.join(dir, e.name);
    if (e.isDirectory()) yield* files(at, wanted);
    else if (wanted.test(at)) yield at;
  }
}

/** All text literals of our kubelet; those of another version's tables are not its words. */
const ours = new Set();
for (const file of files(KUBELET, /\.ts$/)) {
  if (/\.test\.ts$|klog-places\.ts$/.test(file)) continue;
  const other = /eras\/(v1\.\d+)\/klog-words\.ts$/.exec(file)?.[1];
  if (other !== undefined && other !== version && !(other === 'v1.25' && version === 'v1.21')) continue;
  const text = fs.readFileSync(file, 'utf8');
  for (const m of text.matchAll(/(['"`])((?:\\.|(?!\1)[^\\\n])+)\1/g)) ours.add(m[2].replace(/\\(['"\\])/g, '$1'));
  for (const m of text.matchAll(/^ {2}(\w+): [['"]/gm)) ours.add(m[1]);
  for (const m of text.matchAll(/\bop\('(\w+)'/g)) ours.add(`SyncLoop (${m[1]}, %q): %q`);
  for (const m of text.matchAll(/\bofID\('([\w ]+)'/g)) ours.add(`${m[1]} %q from runtime service failed: %v`);
}

/** Returns the arguments of a call, whose opening parenthesis is before `at`. */
function argumentsAt(text, at) {
  const args = [];
  let depth = 0;
  let current = '';
  let quote = null;
  for (let i = at; i < text.length; i++) {
    const c = text[i];
    if (quote) {
      current += c;
      if (c === '\\' && quote !== '`') current += text[++i];
      else if (c === quote) quote = null;
    } else if ('"`\''.includes(c)) {
      quote = c;
      current += c;
    } else if (c === ',' && depth === 0) {
      args.push(current.trim());
      current = '';
    } else if (')]}'.includes(c) && depth === 0) {
      if (current.trim()) args.push(current.trim());
      return args;
    } else {
      depth += '([{'.includes(c) ? 1 : ')]}'.includes(c) ? -1 : 0;
      current += c;
    }
  }
  return args;
}

const literal = (arg) => (/^"(?:\\.|[^"\\])*"$/.test(arg ?? '') ? JSON.parse(arg.replaceAll("\\'", "'")) : null);

/** The line that klog names: that at which the call begins, or of the end of the function that defers it. */
function lineOfCall(text, index) {
  const line = text.slice(0, index).split('\n').length;
  const lines = text.split('\n');
  const deferred = /^(\t*)\tdefer\s/.exec(lines[line - 1]);
  if (!deferred) return line;
  const end = lines.findIndex((l, i) => i >= line && l.startsWith(`${deferred[1]}}`));
  return end < 0 ? line : end + 1;
}

const CALL =
  /\b(?:klog|glog|logger|log|\w+[lL]ogger|[mg]\.logger|klog\.FromContext\([^)\n]*\))((?:\.V\([^)]*\))?)((?:\.With\w+\([^)\n]*\))*)\.(InfoS|ErrorS|Info|Error|Infof|Errorf|Warningf|Warning)\(|\bklog(ErrorS)\(|\butilruntime\.(HandleErrorWithContext|HandleErrorWithLogger)\(/g;

/** Returns the `V(...)` with which the function before a call has made its logger; '' if there is none. */
function verbosityOf(text, { 0: call, index }) {
  const before = text.slice(text.lastIndexOf('\nfunc ', index), index);
  return new RegExp(`\\b${/^\w+/.exec(call)?.[0]} :?= .*(\\.V\\([^\\n]*\\))`).exec(before)?.[1] ?? '';
}

/** Each text that is logged below `dir`: `file text` -> places. */
function textsBelow(dir) {
  const found = new Map();
  for (const file of files(dir, /(?<!_test|_windows|_others)\.go$/)) {
    const text = fs.readFileSync(file, 'utf8');
    for (const m of text.matchAll(CALL)) {
      const args = argumentsAt(text, m.index + m[0].length);
      const at = args.findIndex((arg) => literal(arg) !== null);
      if (at < 0 || at > 2) continue;
      const msg = literal(args[at]);
      if (!ours.has(msg)) continue;
      const name = m[3] ?? m[4] ?? m[5];
      const v = /V\((\D*)(\d*)\)/.exec(m[1] || verbosityOf(text, m));
      const level = /Error/.test(name) ? 'E' : /Warning/.test(name) ? 'W' : !v ? '0' : v[2] === '' ? '?' : v[2];
      const printed = /f$|^Warning$/.test(name) || (m[0].startsWith('klog.') && /^(Info|Error)$/.test(name));
      const keys = printed ? [] : args.slice(at + 1).filter((_, i) => i % 2 === 0);
      const names = keys.map(literal);
      const place = [lineOfCall(text, m.index), level, ...(names.includes(null) ? [] : names)].join(' ');
      const key = `${path.basename(file)} ${msg}`;
      found.set(key, [...(found.get(key) ?? []), place]);
    }
  }
  return found;
}

const then = textsBelow(checkout);
const now = textsBelow(today);
const textOf = (key) => key.slice(key.indexOf(' ') + 1);
const known = new Set([...then.keys()].map(textOf));
const absent = [...new Set([...now.keys()].map(textOf))].filter((text) => !known.has(text)).sort();

const quote = (text) =>
  text.includes("'") && !text.includes('"') ? `"${text}"` : `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const byFile = new Map();
for (const [key, places] of [...then].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const file = key.slice(0, key.indexOf(' '));
  byFile.set(file, [...(byFile.get(file) ?? []), [textOf(key), places]]);
}
const name = (text) => (/^[A-Za-z]\w*$/.test(text) ? text : quote(text));
const body = [...byFile].map(([file, list]) => {
  const lines = list.map(([text, places]) => {
    const unique = [...new Set(places)];
    return `    ${name(text)}: ${unique.length === 1 ? quote(unique[0]) : `[${unique.map(quote).join(', ')}]`},`;
  });
  return `  ${quote(file)}: {\n${lines.join('\n')}\n  },`;
});
fs.writeFileSync(
  path.join(KUBELET, 'eras', version, 'gen', 'klog-places.ts'),
  `// Written by scripts/klog-words.mjs from the sources of that version.
import type { KlogPlaces } from '../../klog.js';

export const places: KlogPlaces = {
${body.join('\n')}
};

/** Messages of v1.36 that are not in those sources. */
export const absent: readonly string[] = [
${absent.map((text) => `  ${quote(text)},`).join('\n')}
];
`,
);
console.log(`${version}: ${then.size} texts, ${absent.length} of today's are absent`);
