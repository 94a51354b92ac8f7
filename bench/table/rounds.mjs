/**
 * Runs the table's jobs, round after round, each in a process of its own, and keeps each result as a file:
 * `FOLDER/about.json`, and `FOLDER/round-1/JOB.json` with what JOB printed in `JOB.log`. A job that fails or hangs
 * leaves its reason, and the others go on.
 */
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { top } from '../../scripts/lib.mjs';
import { chromium } from '../../scripts/system.mjs';
import { machine } from '../measure.mjs';
import { quiet } from '../node/watch.mjs';
import { jobs } from './jobs.mjs';
import { REAL } from './rows.mjs';

const PROGRAM = fileURLToPath(new URL('./job.mjs', import.meta.url));
/** The longest wait, s, before each job for others to leave the processors alone. */
const WAIT = 15;
/** How long a job may take to clean up after the signal to end, ms. */
const CLEANING = 60_000;
const LONGEST_REASON = 400;
const LIMITS = Object.fromEntries(Object.entries(jobs).map(([name, { limit }]) => [name, limit]));
const waited = () => quiet(WAIT);

const output = (program, ...args) => {
  try {
    return execFileSync(program, args, { cwd: top, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
};

function programs() {
  const containerd = /\d+\.\d+\.\d+/.exec(output('containerd', '--version'))?.[0];
  const runc = /\d+\.\d+\.\d+/.exec(output('runc', '--version'))?.[0];
  const browser = /\d+[\d.]*/.exec(output(chromium() ?? 'chromium', '--version'))?.[0];
  const named = { containerd, runc, Chromium: browser };
  return Object.entries(named).flatMap(([name, version]) => (version ? [`${name} ${version}`] : []));
}

function about(rounds) {
  const changed = output('git', 'status', '--porcelain', '--untracked-files=no') !== '';
  return {
    machine: { ...machine(), programs: programs() },
    rounds,
    begun: new Date().toISOString().slice(0, 16).replace('T', ' '),
    commit: `${output('git', 'rev-parse', '--short', 'HEAD')}${changed ? ' with changes' : ''}`,
    real: REAL,
  };
}

/** Returns why a job failed: the line before the first place in its code, which is its error, or else its last line. */
export function reasonIn(log, code) {
  const lines = log.split('\n').filter((line) => line.trim() !== '');
  const place = lines.findIndex((line) => /^\s+at .+:\d+:\d+\)?/.test(line));
  // Node names an error that nobody caught below the line that threw it, and a long message goes over several lines.
  const from = lines.slice(0, Math.max(0, place)).findLastIndex((line) => /^\s*\^+\s*$/.test(line)) + 1;
  const error = place > 0 ? lines[from] : lines.at(-1);
  return (error ?? `it ended with ${code} and printed nothing`).trim().slice(0, LONGEST_REASON);
}

/** The job that runs, for a signal to end. */
let running = null;

function endGroup(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nothing of it runs any more.
  }
}

/** Runs one job to its end or its limit; resolves with `{ result }` or `{ error }`. */
async function runJob({ name, limit, folder, kept, program }) {
  const [result, log] = [join(folder, `${name}.result`), join(folder, `${name}.log`)];
  const to = openSync(log, 'w');
  const child = spawn(process.execPath, [program, name, result, kept], {
    cwd: top,
    stdio: ['ignore', to, to],
    // A group of its own, so that what a failed job leaves running can be ended with it.
    detached: true,
  });
  closeSync(to);
  running = child;
  let late = false;
  let kill;
  const timer = setTimeout(() => {
    late = true;
    child.kill('SIGTERM');
    kill = setTimeout(() => child.kill('SIGKILL'), CLEANING);
  }, limit * 1000);
  const code = await new Promise((resolve) => {
    child.once('error', (err) => resolve(err.message));
    child.once('exit', (number, signal) => resolve(number ?? signal));
  });
  clearTimeout(timer);
  clearTimeout(kill);
  running = null;
  endGroup(child);
  try {
    if (late) return { error: `it did not end within ${limit} s` };
    if (code !== 0) return { error: reasonIn(readFileSync(log, 'utf8'), code) };
    return { result: JSON.parse(readFileSync(result, 'utf8')) };
  } catch (err) {
    return { error: `its result cannot be read: ${err.message}` };
  } finally {
    rmSync(result, { force: true });
  }
}

/**
 * Runs all; `tell` is called with a line for each job. `program` runs one job, `limits` are their seconds by name, and
 * `others` resolves with the share of the processors that others use. Resolves with false if a signal ended it before
 * the last.
 */
export async function runRounds({ rounds, names, folder, tell, program = PROGRAM, limits = LIMITS, others = waited }) {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`${folder} is not empty: give --results a new folder, or make the table from this one with --from`);
  const kept = join(folder, 'kept');
  mkdirSync(kept, { recursive: true });
  writeFileSync(join(folder, 'about.json'), `${JSON.stringify(about(rounds), null, 2)}\n`);
  let stopped = false;
  const stop = () => {
    stopped = true;
    running?.kill('SIGTERM');
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop);
  try {
    for (let round = 1; round <= rounds; round++)
      for (const name of names) {
        const inside = join(folder, `round-${round}`);
        mkdirSync(inside, { recursive: true });
        const othersBefore = await others();
        if (stopped) return false;
        const begun = performance.now();
        const outcome = await runJob({ name, limit: limits[name], folder: inside, kept, program });
        if (stopped) return false;
        const seconds = Math.round((performance.now() - begun) / 100) / 10;
        const run = { job: name, round, seconds, othersBefore, ...outcome };
        writeFileSync(join(inside, `${name}.json`), `${JSON.stringify(run, null, 2)}\n`);
        tell(`round ${round} of ${rounds}: ${name}, ${seconds} s${outcome.error ? `, failed: ${outcome.error}` : ''}`);
      }
    return true;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, stop);
    rmSync(kept, { recursive: true, force: true });
  }
}

/** Reads what `runRounds` kept: `{ about, runs }`. */
export function readRounds(folder) {
  const file = join(folder, 'about.json');
  if (!existsSync(file)) throw new Error(`${folder} has no about.json: --from needs a folder that --results has made`);
  const runs = [];
  for (const inside of readdirSync(folder).filter((name) => /^round-\d+$/.test(name)))
    for (const name of readdirSync(join(folder, inside)).filter((one) => one.endsWith('.json')))
      runs.push(read(join(folder, inside, name)));
  if (runs.length === 0) throw new Error(`${folder} has no results: no job finished`);
  return { about: read(file), runs: runs.sort((a, b) => a.round - b.round) };
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (err) {
    throw new Error(`${file} is not JSON (${err.message}): remove it, or run its job again`);
  }
}
