/**
 * Traps among the files that the kubelet reads: none of them may keep a thread of the process, or those who read at the
 * same time, waiting.
 */
import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, readFile, rename, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileEvent } from '@syncloop/core/host';
import { background, type Chan, receive, withCancel } from '@syncloop/core/kernel';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FileTimeouts } from '../base/file-timeouts.js';
import { readRegular, readRegularSync, readSettings } from '../base/read-file.js';
import { parseYAML } from '../base/yaml.js';
import { realKernel, run, tempFolder } from '../testing/harness.js';
import { nodeOS } from './os.js';

/** Makes traps, with the error text of each. */
async function traps(folder: string): Promise<[string, RegExp][]> {
  const at = (name: string) => join(folder, name);
  execFileSync('mkfifo', [at('pipe')]);
  await symlink(at('pipe'), at('to-pipe'));
  await symlink('/dev/zero', at('zero'));
  await symlink('/dev/tty', at('tty'));
  await symlink(at('loop'), at('loop'));
  await mkdir(at('folder.yaml'));
  const server = createServer().listen(at('socket'));
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return [
    [at('pipe'), /it is a named pipe, not a file/],
    [at('to-pipe'), /it is a named pipe, not a file/],
    [at('zero'), /it is a device, not a file/],
    [at('tty'), /it is a device, not a file/],
    [at('socket'), /it is a socket, not a file/],
    [at('folder.yaml'), /it is a directory, not a file/],
    [at('loop'), /ELOOP|too many symbolic links/],
    [at('none'), /no such file/],
  ];
}

describe.each([
  ['anywhere', nodeOS()],
  ['on a local disk', nodeOS({ folders: [tmpdir()] })],
])('what is no file, %s', (_where, os) => {
  it('is told, not waited for, and files beside it are read', async () => {
    const kernel = realKernel();
    const folder = await tempFolder();
    await writeFile(join(folder, 'good'), 'good');
    // More than there are threads, many times over.
    for (const [path, why] of await traps(folder))
      await run(kernel, function* () {
        for (let i = 0; i < 8; i++) {
          for (const limit of [undefined, 100]) {
            let said = '';
            try {
              yield* os.readFile(path, limit === undefined ? {} : { limit });
            } catch (err) {
              said = (err as Error).message;
            }
            expect(said, path).toMatch(why);
          }
        }
      });
    expect(await run(kernel, () => os.readFile(join(folder, 'good')))).toBe('good');
    expect(String(await run(kernel, () => os.readBytes?.(join(folder, 'good')) as never))).toBe('good');
  });

  it('is not waited for by those who write either', async () => {
    const kernel = realKernel();
    const folder = await tempFolder();
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (let i = 0; i < 8; i++)
      await expect(run(kernel, () => os.writeFile(join(folder, 'pipe'), 'x', 0o600))).rejects.toThrow(
        /ENXIO|no such device/,
      );
    await run(kernel, () => os.writeFile(join(folder, 'file'), 'longer', 0o640));
    await run(kernel, () => os.writeFile(join(folder, 'file'), 'short', 0o640));
    expect(await readFile(join(folder, 'file'), 'utf8')).toBe('short');
  });

  it('what is larger than anything meant to be read is refused before it is in memory', async () => {
    const kernel = realKernel();
    const folder = await tempFolder();
    const huge = join(folder, 'huge');
    await writeFile(huge, 'start');
    await truncate(huge, 1024 ** 4);
    await expect(run(kernel, () => os.readFile(huge))).rejects.toThrow(/it is larger than \d+ bytes/);
    expect(await run(kernel, () => os.readFile(huge, { limit: 5 }))).toBe('start');
  });
});

describe('files of settings', () => {
  it('are regular files of at most 1 MiB', async () => {
    const folder = await tempFolder();
    for (const [path, why] of await traps(folder)) {
      await expect(readSettings(path), path).rejects.toThrow(why);
      expect(() => readRegularSync(path), path).toThrow(why);
    }
    const file = join(folder, 'file');
    await writeFile(file, 'x'.repeat(1024 * 1024));
    expect(await readSettings(file)).toHaveLength(1024 * 1024);
    await appendFile(file, 'y');
    await expect(readSettings(file)).rejects.toThrow(/it is larger than 1048576 bytes/);
    expect(() => readRegularSync(file, { limit: 10 })).toThrow(/it is larger than 10 bytes/);
    expect(String(await readRegular(file, { limit: 2, longer: 'end' }))).toBe('xy');
    expect(String(readRegularSync(file, { limit: 2, longer: 'start' }))).toBe('xx');
    // It claims to be empty.
    expect(await readSettings('/proc/self/status')).toMatch(/^Name:/);
  });

  it('whose aliases multiply are refused with the place, not with a stack', () => {
    const lines = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (let i = 1; i < 9; i++) {
      const before = 'abcdefghi'[i - 1];
      lines.push(`${'abcdefghi'[i]}: &${'abcdefghi'[i]} [${Array.from({ length: 9 }, () => `*${before}`).join(',')}]`);
    }
    expect(() => parseYAML('/etc/k.yaml', lines.join('\n'))).toThrow(
      expect.objectContaining({ name: 'UsageError', message: expect.stringMatching(/^\/etc\/k\.yaml: .*alias/i) }),
    );
  });
});

describe('a file system that does not answer', () => {
  it('is given up, and holds two threads at most; all else goes on, and so does it once it answers', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const patience = new FileTimeouts(10_000);
    const waiting: (() => void)[] = [];
    const never = () => new Promise<string>((resolve) => waiting.push(() => resolve('late')));
    const outcome = (path: string, work: () => Promise<string>) =>
      patience.wait(path, work).catch((err: NodeJS.ErrnoException) => `${err.code} ${err.message}`);

    const first = outcome('/net/a', never);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(waiting).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await first).toBe('ETIMEDOUT /net/a: the file system does not answer within 10 s');
    // Nobody waits there again, however often it is tried; another file may still answer.
    for (let i = 0; i < 100; i++)
      expect(await outcome('/net/a', never)).toBe('ETIMEDOUT /net/a: the file system does not answer');
    expect(await outcome('/net/a/below', async () => 'read')).toBe('read');
    expect(await outcome('/net/b', async () => 'read')).toBe('read');
    const second = outcome('/net/b', never);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await second).toMatch(/^ETIMEDOUT/);
    for (const name of ['c', 'd', 'e']) expect(await outcome(`/net/${name}`, never)).toMatch(/^ETIMEDOUT/);
    expect(waiting).toHaveLength(2);
    expect(await outcome('/disk/a', async () => 'read')).toBe('read');
    for (const answer of waiting.splice(0)) answer();
    await vi.advanceTimersByTimeAsync(0);
    expect(await outcome('/net/a', async () => 'back')).toBe('back');
    expect(await outcome('/net/c', async () => 'back')).toBe('back');
  });
});

describe('a file that is replaced again and again', () => {
  it('is looked at by one at a time, and seen as it is in the end', async () => {
    const kernel = realKernel();
    const folder = await tempFolder();
    const os = nodeOS();
    const [ctx, cancel] = withCancel(kernel, background);
    const seen: string[] = [];
    const chan = (await run(kernel, () => os.watch(ctx, folder))) as Chan<FileEvent>;
    const read = run(kernel, function* () {
      for (;;) {
        const [event, ok] = yield* receive(chan);
        if (!ok) return;
        seen.push(`${event.op} ${event.path.slice(folder.length + 1)}`);
        if (event.path.endsWith('last.yaml')) return;
      }
    });
    for (let i = 0; i < 1000; i++) {
      await writeFile(join(folder, '.new'), `${i}`);
      await rename(join(folder, '.new'), join(folder, 'a.yaml'));
    }
    await writeFile(join(folder, 'last.yaml'), '');
    await read;
    kernel.post(cancel);
    expect(seen.filter((e) => e.endsWith(' a.yaml')).at(-1)).toMatch(/^(add|modify)/);
  });
});
