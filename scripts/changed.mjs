/**
 * Finds out what a change can break: the files that differ from a commit, and the tests that they reach by the import
 * graph.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { importGraph } from './imports.mjs';
import { top } from './lib.mjs';
import { expectedSeconds } from './times.mjs';

const TEST = /\.test\.(tsx?|mjs)$/;
const LONG = /\.long\.test\.(ts|mjs)$/;

/**
 * Most processor time (seconds) of the tests of a change, the nearest first. On two processors that are otherwise busy,
 * that is about half a minute by the clock. All of them are for `npm run check`.
 */
export const MOST_SECONDS = 30;

/** Files that every test depends on: a change of one of them is checked whole. */
export const ALL =
  /^(package(-lock)?\.json|vitest\.config\.ts|tsconfig[^/]*\.json|scripts\/(fresh-modules|times-setup)\.mjs)$/;

/** Files that differ between the work tree and `rev`, new ones and removed ones among them. */
export function changedFiles(rev) {
  const git = (...args) => execFileSync('git', ['-c', 'core.quotePath=false', ...args], { cwd: top, encoding: 'utf8' });
  const list = (text) => text.split('\n').filter(Boolean);
  return [
    ...new Set([
      ...list(git('diff', '--name-only', '--no-renames', rev)),
      ...list(git('ls-files', '--others', '--exclude-standard')),
    ]),
  ].sort();
}

/**
 * The files and folders that a module reads by name: arguments of `new URL(..., import.meta.url)`, patterns of
 * `import.meta.glob`, and texts that are paths from the module or from the root. A pattern counts as the folder before
 * its first star. `exists`: whether a path from the root is there.
 */
export function namedPaths(file, source, exists) {
  const dir = path.posix.dirname(file);
  const found = new Set();
  const add = (base, text) => {
    const resolved = path.posix.normalize(path.posix.join(base, text.replace(/\?.*$/, '').replace(/[^/]*\*.*$/, '')));
    const clean = resolved.replace(/\/$/, '');
    // The root or a folder such as packages/ is in every text that goes through everything: it does not count.
    if (clean.includes('/') && !clean.startsWith('..') && exists(clean)) found.add(clean);
  };
  for (const [, text] of source.matchAll(/new URL\(\s*['"`]([^'"`$]+)['"`],\s*import\.meta\.url/g)) add(dir, text);
  for (const [, text] of source.matchAll(/['"`]([^'"`\s$]*\/[^'"`\s$]*)['"`]/g))
    add(/^\.{1,2}\//.test(text) ? dir : '.', text);
  return [...found];
}

const existsInTree = (file) => fs.existsSync(path.join(top, file));

/**
 * Returns the tests that a change reaches, the nearest first: `{ file, distance }[]`, where a changed test has the
 * distance 0. Long tests are among them only if they were changed themselves.
 */
export function relatedTests(changed, imports = importGraph(), exists = existsInTree) {
  const importers = new Map();
  const link = (to, from) => importers.set(to, [...(importers.get(to) ?? []), from]);
  for (const [file, node] of imports) {
    for (const { to, kind } of node.imports) if (kind !== 'type') link(to, file);
    const named = namedPaths(file, node.source, exists);
    for (const c of changed) if (c !== file && named.some((n) => c === n || c.startsWith(`${n}/`))) link(c, file);
  }
  const distances = new Map(changed.map((file) => [file, 0]));
  const queue = [...distances.keys()];
  for (const file of queue)
    for (const from of importers.get(file) ?? [])
      if (!distances.has(from)) {
        distances.set(from, distances.get(file) + 1);
        queue.push(from);
      }
  return [...distances]
    .filter(([file, distance]) => TEST.test(file) && imports.has(file) && (distance === 0 || !LONG.test(file)))
    .map(([file, distance]) => ({ file, distance }))
    .sort((a, b) => a.distance - b.distance || (a.file < b.file ? -1 : 1));
}

/**
 * Returns the first of `tests` that together take at most `most` seconds of a processor by their known `times`; at
 * least one, and all that were changed themselves.
 */
export function within(tests, times, most = MOST_SECONDS) {
  let sum = 0;
  const end = tests.findIndex(({ file, distance }, i) => {
    sum += expectedSeconds(file, times);
    return i > 0 && distance > 0 && sum > most;
  });
  return end < 0 ? tests : tests.slice(0, end);
}
