import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRounds, reasonIn, runRounds } from './rounds.mjs';

describe('the reason of a failure', () => {
  it('is the error above its first place in the code', () => {
    const thrown = `file:///bench/x.mjs:3
throw new Error('boom');
      ^

Error: boom: it is not there
    at run (file:///bench/x.mjs:3:7)
    at async file:///job.mjs:12:16

Node.js v20.20.2
`;
    expect(reasonIn(thrown, 1)).toBe('Error: boom: it is not there');
  });
  it('is the first line of an error with several', () => {
    const log = `node:internal/modules/run_main:123
    triggerUncaughtException(
    ^

page.waitForEvent: Timeout 30000ms exceeded
=========================== logs ===========================
waiting for event "filechooser"
    at measure (/bench/log-page.mjs:112:26) {
  name: 'TimeoutError'
}
`;
    expect(reasonIn(log, 1)).toBe('page.waitForEvent: Timeout 30000ms exceeded');
  });
  it('is the last line, or the code, if there is no such place', () => {
    expect(reasonIn('one\nKilled\n\n', 137)).toBe('Killed');
    expect(reasonIn('\n', 'SIGKILL')).toBe('it ended with SIGKILL and printed nothing');
    expect(reasonIn('x'.repeat(1000), 1)).toHaveLength(400);
  });
});

describe('kept results', () => {
  let folder;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'syncloop-rounds-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const keep = (path, value) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), typeof value === 'string' ? value : JSON.stringify(value));
  };

  it('are read in the order of rounds, whatever else lies there', () => {
    keep('about.json', { rounds: 11 });
    for (const round of [10, 2, 1]) keep(`round-${round}/tap.json`, { job: 'tap', round });
    keep('round-1/tap.log', 'nothing');
    keep('kept/x.json', {});
    const { about, runs } = readRounds(folder);
    expect(about).toEqual({ rounds: 11 });
    expect(runs.map(({ round }) => round)).toEqual([1, 2, 10]);
  });
  it('are refused with the place and the remedy', () => {
    expect(() => readRounds(folder)).toThrow(`${folder} has no about.json: --from needs a folder that --results`);
    keep('about.json', {});
    expect(() => readRounds(folder)).toThrow(`${folder} has no results`);
    keep('round-1/tap.json', '{');
    expect(() => readRounds(folder)).toThrow(/round-1\/tap\.json is not JSON \(.*\): remove it, or run its job again/);
  });
  it('are not overwritten', async () => {
    keep('about.json', {});
    await expect(runRounds({ rounds: 1, names: [], folder, tell() {} })).rejects.toThrow(
      /is not empty: give --results/,
    );
  });
});

/** A program in place of job.mjs: by the job's name it writes a result, throws, or never ends. */
const PROGRAM = `import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
const [name, file, kept] = process.argv.slice(2);
if (name === 'throws') {
  const left = spawn('sleep', ['600'], { stdio: 'ignore' });
  writeFileSync(kept + '/../../left', String(left.pid));
  throw new Error('boom');
}
if (name === 'silent') process.exit(3);
if (name === 'empty') writeFileSync(file, '{');
if (name === 'hangs') {
  process.on('SIGTERM', () => process.exit(0));
  setInterval(() => {}, 1000);
}
if (name === 'works') {
  const again = existsSync(kept + '/mine');
  appendFileSync(kept + '/mine', 'x');
  console.log('it works');
  writeFileSync(file, JSON.stringify({ again }));
}
`;

/** Returns whether a process runs: one that ended and was not waited for does not. */
function isRunning(pid) {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('rounds', () => {
  it('go on after jobs that throw, hang, or leave no result, with the reason of each', async () => {
    const home = mkdtempSync(join(tmpdir(), 'syncloop-rounds-'));
    try {
      const program = join(home, 'job.mjs');
      writeFileSync(program, PROGRAM);
      const names = ['throws', 'hangs', 'silent', 'empty', 'works'];
      const lines = [];
      const whole = await runRounds({
        ...{ rounds: 2, names, program, folder: join(home, 'results'), tell: (line) => lines.push(line) },
        ...{ limits: { throws: 60, hangs: 0.5, silent: 60, empty: 60, works: 60 }, others: async () => 0.02 },
      });
      expect(whole).toBe(true);
      const { about, runs } = readRounds(join(home, 'results'));
      expect(about).toMatchObject({ rounds: 2, machine: { node: process.version } });
      expect(runs).toHaveLength(10);
      const of = (name) => runs.filter(({ job }) => job === name);
      for (const [name, error] of [
        ['throws', 'Error: boom'],
        ['hangs', 'it did not end within 0.5 s'],
        ['silent', 'it ended with 3 and printed nothing'],
        ['empty', expect.stringMatching(/^its result cannot be read: /)],
      ])
        expect(of(name)).toMatchObject([
          { round: 1, error, othersBefore: 0.02 },
          { round: 2, error, othersBefore: 0.02 },
        ]);
      // The second round finds what the first one kept, and nothing of it stays.
      expect(of('works').map(({ result }) => result)).toEqual([{ again: false }, { again: true }]);
      expect(readdirSync(join(home, 'results')).sort()).toEqual(['about.json', 'round-1', 'round-2']);
      expect(readFileSync(join(home, 'results/round-2/works.log'), 'utf8')).toBe('it works\n');
      expect(lines).toHaveLength(10);
      const left = Number(readFileSync(join(home, 'left'), 'utf8'));
      await expect.poll(() => isRunning(left)).toBe(false);
      expect(lines[0]).toMatch(/^round 1 of 2: throws, [\d.]+ s, failed: Error: boom$/);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});
