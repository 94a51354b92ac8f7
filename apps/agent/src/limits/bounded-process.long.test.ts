import { execFile, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../testing/harness.js';
import { type BoundedOptions, runBounded } from './bounded-process.js';

const program = fileURLToPath(new URL('../../bin/syncloop.mjs', import.meta.url));

/** Runs a program in place of a command. */
async function bounded(text: string, argv: readonly string[], options: Partial<BoundedOptions> = {}) {
  const file = join(await tempFolder(), 'program.mjs');
  writeFileSync(file, text);
  let err = '';
  const io = {
    out() {},
    err: (more: string) => {
      err += more;
    },
    untilSignal: () => new Promise<string>(() => {}),
  };
  const done = runBounded('twin', argv, io, { code: 2, program: pathToFileURL(file), ...options });
  return { done, err: () => err };
}
/** Removes the progress, which is printed only on a busy machine. */
const withoutProgress = (text: string) => text.replace(/^syncloop: (reading .*: \d+ MiB of \d+ MiB|serving)\n/gm, '');
const says = "process.send({ doing: 'reading a.log', far: '3 MiB of 5 MiB' });";

describe('a process that reads what strangers made', () => {
  it.each([
    ['its heap', 'const all = []; for (;;) all.push({ a: [Math.random()] });'],
    ['buffers', 'const all = []; for (;;) all.push(Buffer.alloc(16 * 1024 * 1024, 1));'],
  ])('is ended when it fills %s, and it is said what was met, how far it was and what helps', async (_, fills) => {
    const { done, err } = await bounded(`${says} console.error('a line'); setTimeout(() => { ${fills} }, 50);`, [
      'a.log',
      '--memory-limit',
      '256Mi',
    ]);
    expect(await done).toBe(2);
    // V8's own output is left out.
    expect(withoutProgress(err())).toBe(
      'a line\nsyncloop: twin a.log: it was ended while it was reading a.log (3 MiB of 5 MiB), because the limit of memory (256 MiB; --memory-limit) was met; read a smaller part of it, for example with journalctl --since and --until, or raise --memory-limit\n',
    );
  });

  it('is ended when it computes without end', async () => {
    const { done, err } = await bounded(`${says} for (;;);`, ['a.log', '--time-limit=10ms']);
    expect(await done).toBe(2);
    expect(err()).toContain('because the limit of time (0.01 s; --time-limit) was met');
  });

  it('is ended at once by a signal, whatever it computes, and leaves nothing half written', async () => {
    const out = join(await tempFolder(), 'out');
    const before = new Set(process.listeners('SIGINT'));
    const { done, err } = await bounded(`${says} for (;;);`, ['a.log', '-o', out]);
    writeFileSync(`${out}.part`, 'half');
    for (const take of process.listeners('SIGINT')) if (!before.has(take)) take('SIGINT');
    expect(await done).toBe(130);
    expect(err()).toBe('');
    expect(existsSync(`${out}.part`)).toBe(false);
  });

  it('has no limit of time once it serves, and closes what it serves on a signal', async () => {
    const before = new Set(process.listeners('SIGTERM'));
    const { done, err } = await bounded(
      `process.send({ doing: 'serving', serving: true });
      process.on('SIGTERM', () => { console.error('closed'); process.exit(0); });
      setTimeout(() => console.error('still here'), 2200);
      setInterval(() => {}, 1000);`,
      ['a.log', '--time-limit=1ms'],
    );
    await eventually(async () => {
      await pause();
      return err().includes('still here') ? [true] : [];
    });
    for (const take of process.listeners('SIGTERM')) if (!before.has(take)) take('SIGTERM');
    expect(await done).toBe(0);
    expect(withoutProgress(err())).toBe('still here\nclosed\n');
  });

  it('ends with its own exit code and its own words', async () => {
    const { done, err } = await bounded("console.error('no'); process.exitCode = 7;", []);
    expect(await done).toBe(7);
    expect(err()).toBe('no\n');
  });

  it.each([
    ['import', ['-o', 'out.syncloop']],
    ['twin', []],
    ['open', ['--port', '0']],
  ] as const)('is that of %s, and Ctrl-C ends it while it waits for standard input', async (name, flags) => {
    const cwd = await tempFolder();
    const child = spawn(process.execPath, [program, name, '-', ...flags], { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    // Input that it has not read when it ends breaks the pipe.
    child.stdin.on('error', () => {});
    child.stdin.write(
      'I1122 10:00:00.000000    1432 server.go:1] "Kubelet version" kubeletVersion="v1.33.1"\n'.repeat(20_000),
    );
    const children = await eventually(() => childrenOf(child.pid as number));
    expect(children).toHaveLength(1);
    child.kill('SIGINT');
    const code = await new Promise((resolve) => child.once('exit', (status, signal) => resolve(status ?? signal)));
    expect([130, 0]).toContain(code);
    // The process that reads is gone as well.
    expect(await childrenOf(child.pid as number)).toEqual([]);
  });
});

/** Process numbers of the children of a process. */
const childrenOf = (pid: number): Promise<string[]> =>
  new Promise((resolve) => {
    execFile('pgrep', ['-P', String(pid)], (_, out) => resolve(out.split('\n').filter(Boolean)));
  });

const pause = () => new Promise((then) => setTimeout(then, 20));

async function eventually<T>(look: () => Promise<readonly T[]>): Promise<readonly T[]> {
  for (;;) {
    const found = await look();
    if (found.length > 0) return found;
  }
}
