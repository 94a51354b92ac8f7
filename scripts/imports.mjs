/** The import graph of our own files: which file loads which, and the files that a module names in its texts. */
import fs from 'node:fs';
import path from 'node:path';
import { top } from './lib.mjs';

/** The folders with code of ours. */
export const CODE_FOLDERS = ['packages', 'apps', 'scripts', 'attack', 'bench'];
const CODE = /\.(tsx?|mjs)$/;

/** All files below the folders, as paths from the root with slashes, in order. */
export function filesBelow(folders, wanted = CODE) {
  const found = [];
  const walk = (dir) => {
    for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
      const file = path.join(dir, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules' && entry.name !== 'dist') walk(file);
      } else if (wanted.test(entry.name)) found.push(path.relative(top, file).split(path.sep).join('/'));
    }
  };
  for (const folder of folders) if (fs.existsSync(path.join(top, folder))) walk(path.join(top, folder));
  return found.sort();
}

/**
 * Blanks comments, strings and template text, keeping line numbers; `keepStrings` keeps string contents for import
 * paths.
 */
export function strip(source, keepStrings = false) {
  let out = '';
  for (let i = 0; i < source.length; ) {
    const two = source.slice(i, i + 2);
    if (two === '//') {
      while (i < source.length && source[i] !== '\n') i++;
    } else if (two === '/*') {
      const end = source.indexOf('*/', i + 2);
      const stop = end < 0 ? source.length : end + 2;
      out += source.slice(i, stop).replace(/[^\n]/g, ' ');
      i = stop;
    } else if (source[i] === "'" || source[i] === '"' || source[i] === '`') {
      const quote = source[i];
      let j = i + 1;
      while (j < source.length && source[j] !== quote && !(quote !== '`' && source[j] === '\n'))
        j += source[j] === '\\' ? 2 : 1;
      const text = source.slice(i, j + 1);
      out += keepStrings ? text : quote + text.slice(1, -1).replace(/[^\n]/g, ' ') + quote;
      i = j + 1;
    } else out += source[i++];
  }
  return out;
}

const IMPORT =
  /(?:^|\n)\s*(import|export)\s([^;'"]*?)from\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

/**
 * Returns the imports of a module's text, in order: `spec` as written, `line` from 1, and `kind`, which is `type` for
 * one that the compiler removes, `dynamic` for one that is loaded later, else `value`.
 */
export function importsOf(source) {
  const code = strip(source, true);
  return [...code.matchAll(IMPORT)].map((m) => ({
    spec: m[3] ?? m[4] ?? m[5],
    line: code.slice(0, m.index + m[0].length).split('\n').length,
    kind: m[5] !== undefined ? 'dynamic' : m[3] !== undefined && /^type\b(?!\s*,)/.test(m[2].trim()) ? 'type' : 'value',
  }));
}

/**
 * The exports of packages under names of their own: `@syncloop/core/debug/live` -> its source, a path from the root.
 */
const EXPORTED = new Map(
  fs.readdirSync(path.join(top, 'packages')).flatMap((name) => {
    const about = JSON.parse(fs.readFileSync(path.join(top, 'packages', name, 'package.json'), 'utf8'));
    return Object.entries(about.exports)
      .filter(([entry]) => !entry.includes('*'))
      .map(([entry, { source }]) => [path.posix.join(about.name, entry), path.posix.join('packages', name, source)]);
  }),
);

/**
 * Returns the source that an import by the name of one of our packages refers to: a path from the root, of a file or,
 * for a folder, without its index; null for other packages.
 */
export function sourceOfPackage(spec) {
  const [, name, rest = ''] = /^@syncloop\/(\w+)(?:\/(.*))?$/.exec(spec) ?? [];
  if (!name) return null;
  return EXPORTED.get(spec) ?? path.posix.join('packages', name, 'src', rest);
}

/**
 * Returns the file of ours that `spec` refers to in `from`, or null: a package's, or one that does not exist. `known`:
 * whether a path is a file.
 */
export function resolveImport(from, spec, known) {
  let base;
  if (spec.startsWith('.')) base = path.posix.join(path.posix.dirname(from), spec.replace(/\?.*$/, ''));
  else base = sourceOfPackage(spec);
  if (base === null) return null;
  // A script that runs a built file refers to its source.
  base = base.replace(/^((?:packages|apps)\/[^/]+)\/dist\//, '$1/src/');
  const stem = base.replace(/\.js$/, '');
  for (const file of [base, `${stem}.ts`, `${stem}.tsx`, `${base}/index.ts`]) if (known(file)) return file;
  return null;
}

/**
 * Graph of all code below CODE_FOLDERS: path -> `{ source, imports: { to, kind, line }[] }`, where `to` is a path of
 * the graph.
 */
export function importGraph(folders = CODE_FOLDERS) {
  const files = filesBelow(folders);
  const there = new Set(files);
  return new Map(
    files.map((file) => {
      const source = fs.readFileSync(path.join(top, file), 'utf8');
      const imports = importsOf(source).flatMap(({ spec, kind, line }) => {
        const to = resolveImport(file, spec, (p) => there.has(p));
        return to ? [{ to, kind, line }] : [];
      });
      return [file, { source, imports }];
    }),
  );
}
