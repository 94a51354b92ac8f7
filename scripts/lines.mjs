#!/usr/bin/env node
/** Comments end by column 120, as code does by the formatter: prints each line that is longer; exits 1 on any. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CODE_FOLDERS, filesBelow, strip } from './imports.mjs';
import { top } from './lib.mjs';

export const COLUMNS = 120;

/** Beginnings of paths whose comments are not yet wrapped. */
export const ALLOWED = [];

const URL_IN_TEXT = /https?:\/\//;

/**
 * The numbers, from 1, of the lines with a comment that are too long. A line with an address may be: that cannot be
 * broken.
 */
export function longComments(file, source) {
  // In a style sheet only /* */ is a comment.
  const code = (
    file.endsWith('.css') ? source.replace(/\/\*[\s\S]*?\*\//g, (c) => c.replace(/[^\n]/g, ' ')) : strip(source, true)
  ).split('\n');
  return source.split('\n').flatMap((line, i) => {
    const commented = line.trimEnd() !== (code[i] ?? '').trimEnd();
    return commented && [...line].length > COLUMNS && !URL_IN_TEXT.test(line) ? [i + 1] : [];
  });
}

/** All long comments as sentences; `allowed` are beginnings of paths that are passed over. */
export function lineViolations(allowed = ALLOWED) {
  return filesBelow(CODE_FOLDERS, /\.(tsx?|mjs|css)$/)
    .filter((file) => !file.includes('/gen/') && !allowed.some((a) => file.startsWith(a)))
    .flatMap((file) =>
      longComments(file, fs.readFileSync(path.join(top, file), 'utf8')).map(
        (line) => `${file}:${line}: a comment goes beyond column ${COLUMNS}: wrap it`,
      ),
    );
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const found = lineViolations(process.argv.includes('--all') ? [] : ALLOWED);
  for (const text of found) console.error(text);
  console.log(`lines: ${found.length} comments are too long`);
  process.exit(found.length ? 1 : 0);
}
