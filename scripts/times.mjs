/**
 * Keeps how long suites and files of tests take between runs, in node_modules/.cache/test-times.json: whoever starts
 * them begins with the longest, and `npm test` names the slowest.
 */
import fs from 'node:fs';
import path from 'node:path';
import { top } from './lib.mjs';

const FILE = path.join(top, 'node_modules', '.cache', 'test-times.json');

/**
 * Returns the last times: suites of `npm test` by name, files of unit tests by their path from the root. `seconds` are
 * of the clock, `cpuSeconds` of a processor, which a busy machine does not make more; null if nobody knows them. Empty
 * if nothing was measured or the file cannot be read.
 */
export function readTimes(file = FILE) {
  try {
    const { suites = {}, files = {} } = JSON.parse(fs.readFileSync(file, 'utf8'));
    return { suites, files };
  } catch {
    return { suites: {}, files: {} };
  }
}

/** Adds measurements to the kept ones; those of the same name are replaced. */
export function bookTimes({ suites = {}, files = {} }, file = FILE) {
  const before = readTimes(file);
  const text = JSON.stringify(
    { suites: { ...before.suites, ...suites }, files: { ...before.files, ...files } },
    null,
    1,
  );
  fs.mkdirSync(path.dirname(file), { recursive: true });
  // Two runs may write at once: each leaves a whole file.
  fs.writeFileSync(`${file}.${process.pid}`, text);
  fs.renameSync(`${file}.${process.pid}`, file);
}

/** Returns the names of the slowest, the slowest first. */
export const slowest = (times, n) =>
  Object.entries(times)
    .sort(([, a], [, b]) => Math.max(b.seconds, b.cpuSeconds ?? 0) - Math.max(a.seconds, a.cpuSeconds ?? 0))
    .slice(0, n);

/** Seconds of a processor that a file of unit tests is taken to need before it was ever measured. */
const USUAL = 1;
const USUAL_LONG = 10;
export const expectedSeconds = (file, files) =>
  files[file]?.cpuSeconds ?? (/\.long\.test\.\w+$/.test(file) ? USUAL_LONG : USUAL);
