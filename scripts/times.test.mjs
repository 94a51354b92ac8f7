import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run, TIMED_OUT } from './lib.mjs';
import { bookTimes, expectedSeconds, readTimes, slowest } from './times.mjs';

describe('times of tests', () => {
  const folder = () => {
    const made = fs.mkdtempSync(path.join(os.tmpdir(), 'syncloop-times-'));
    onTestFinished(() => fs.rmSync(made, { recursive: true }));
    return made;
  };

  it('are kept by name; what is measured again replaces what was', () => {
    const file = path.join(folder(), 'cache', 'times.json');
    expect(readTimes(file)).toEqual({ suites: {}, files: {} });
    bookTimes({ suites: { types: { seconds: 9, cpuSeconds: 8 } }, files: { 'a.test.ts': { seconds: 1 } } }, file);
    bookTimes({ suites: { lint: { seconds: 2, cpuSeconds: null } }, files: { 'a.test.ts': { seconds: 3 } } }, file);
    expect(readTimes(file)).toEqual({
      suites: { types: { seconds: 9, cpuSeconds: 8 }, lint: { seconds: 2, cpuSeconds: null } },
      files: { 'a.test.ts': { seconds: 3 } },
    });
    expect(fs.readdirSync(path.dirname(file))).toEqual(['times.json']);
  });

  it('that cannot be read are none', () => {
    const file = path.join(folder(), 'times.json');
    fs.writeFileSync(file, '{"suites": {');
    expect(readTimes(file)).toEqual({ suites: {}, files: {} });
  });

  it('name the slowest, by the clock or by a processor', () => {
    const times = {
      waits: { seconds: 50, cpuSeconds: 1 },
      quick: { seconds: 2, cpuSeconds: null },
      works: { seconds: 40, cpuSeconds: 80 },
    };
    expect(slowest(times, 2).map(([name]) => name)).toEqual(['works', 'waits']);
  });

  it('are expected by kind where nothing was measured', () => {
    const files = { 'a.test.ts': { seconds: 9, cpuSeconds: 4 } };
    expect(expectedSeconds('a.test.ts', files)).toBe(4);
    expect(expectedSeconds('b.long.test.ts', files)).toBeGreaterThan(expectedSeconds('b.test.ts', files));
  });
});

describe('a command that is metered', () => {
  const node = (script) => run(process.execPath, ['-e', script], { capture: true, quiet: true, metered: true });

  it('has its exit code, what it printed and its processor time, that of its own children among it', async () => {
    const works = 'while (process.cpuUsage().user < 2e5) for (let i = 0; i < 1e6; i++);';
    const { code, output, cpuSeconds } = await node(
      `require('node:child_process').execFileSync(process.execPath, ['-e', ${JSON.stringify(works)}]);
       console.log('done'); process.exitCode = 3`,
    );
    expect({ code, output }).toEqual({ code: 3, output: 'done\n' });
    expect(cpuSeconds).toBeGreaterThan(0.2);
  });
});

describe('a command with a time limit', () => {
  it('is killed with what it started, and says so', async () => {
    const { code, output } = await run('sh', ['-c', 'echo $$; sleep 600 & wait'], {
      capture: true,
      quiet: true,
      limit: 0.5,
    });
    expect(code).toBe(TIMED_OUT);
    const [group, sentence] = output.split('\n').filter(Boolean);
    expect(sentence).toBe('sh did not end within 0.5 s and was killed');
    // No process of the group is left to be signalled; those just killed may still wait to be buried.
    const living = execFileSync('ps', ['-eo', 'pgid=,stat='], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/ +/))
      .filter(([id, state]) => id === group && !state.startsWith('Z'));
    expect(living).toEqual([]);
  });
});
