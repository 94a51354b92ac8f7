#!/usr/bin/env node
/**
 * Checks SECURITY.md: each row of the threat model is there, and names tests that exist: a file in backticks, and after
 * it titles of its tests, with semicolons between them. A row that concerns nothing here says "does not apply". Prints
 * each problem; exits 1 on any.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const top = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
export const ROWS = 45;

/** The tests that a cell names. A title without a file belongs to the file before it. */
function testsOf(cell) {
  const files = cell.matchAll(/`([^`]+\.(?:test\.tsx?|test\.mjs|e2e\.mjs))`: ([^`|]+)/g);
  return [...files].flatMap(([, file, titles]) =>
    titles.split(';').flatMap((title) => (title.trim() ? [{ file, title: title.trim() }] : [])),
  );
}

/**
 * Returns what is wrong with the text, as sentences. `read`: a file's text by its path from the top, null if there is
 * none.
 */
export function problems(text, read) {
  const rows = new Map();
  for (const line of text.split('\n')) {
    const number = /^\| (\d+) \|/.exec(line)?.[1];
    if (number === undefined) continue;
    if (rows.has(Number(number))) return [`row ${number} is there twice`];
    rows.set(Number(number), line);
  }
  const found = [];
  for (let n = 1; n <= ROWS; n++) {
    const line = rows.get(n);
    if (line === undefined) {
      found.push(`row ${n} is missing`);
      continue;
    }
    const cells = line.split(/(?<!\\)\|/).slice(1, -1);
    if (cells.length !== 4) {
      found.push(`row ${n} has ${cells.length} cells: number, threat, what holds and tests are wanted`);
      continue;
    }
    const tests = testsOf(cells[3]);
    if (tests.length === 0 && !/does not apply/i.test(line)) found.push(`row ${n} names no test`);
    for (const { file, title } of tests) {
      const source = read(file);
      if (source === null) found.push(`row ${n}: there is no ${file}`);
      else if (!source.includes(title)) found.push(`row ${n}: ${file} has no test with the words "${title}"`);
    }
  }
  return found;
}

const readFile = (file) => {
  try {
    return fs.readFileSync(path.join(top, file), 'utf8');
  } catch {
    return null;
  }
};

export const ofRepository = () => problems(readFile('SECURITY.md') ?? '', readFile);

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const found = ofRepository();
  for (const one of found) console.error(`SECURITY.md: ${one}`);
  console.log(`security: ${ROWS} rows, ${found.length} problems`);
  process.exit(found.length ? 1 : 0);
}
