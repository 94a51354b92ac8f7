import { execFileSync } from 'node:child_process';
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileEvent } from '@syncloop/core/host';
import { background, type Chan, receive, withCancel } from '@syncloop/core/kernel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { realKernel, run, tempFolder } from '../testing/harness.js';
import { nodeOS } from './os.js';

describe.each([
  ['anywhere', nodeOS()],
  ['on a local disk', nodeOS({ folders: [tmpdir(), '/no/such/folder', ''] })],
])('nodeOS %s', (_where, os) => {
  it('writes, reads, renames, removes', async () => {
    const kernel = realKernel();
    const folder = await tempFolder();
    await run(kernel, function* () {
      yield* os.mkdirAll(`${folder}/a/b`, 0o755);
      yield* os.writeFile(`${folder}/a/x`, 'héllo', 0o600);
      expect(yield* os.readFile(`${folder}/a/x`)).toBe('héllo');
      expect(yield* os.readFile(`${folder}/a/x`, { limit: 3 })).toBe('hé');
      expect(yield* os.readFile(`${folder}/a/x`, { limit: 2, tail: true })).toBe('lo');
      expect(yield* os.readFile('/proc/self/comm', { limit: 100 })).not.toBe('');
      const long = 'x'.repeat(100_000);
      yield* os.writeFile(`${folder}/a/long`, `${long}!`, 0o600);
      expect(yield* os.readFile(`${folder}/a/long`)).toBe(`${long}!`);
      expect(yield* os.readFile(`${folder}/a/long`, { limit: 2, tail: true })).toBe('x!');
      expect(yield* os.readFile(`${folder}/a/long`, { limit: 90_000, tail: true })).toBe(`${'x'.repeat(89_999)}!`);
      yield* os.remove(`${folder}/a/long`);
      yield* os.writeFile(`${folder}/a/empty`, '', 0o600);
      expect(yield* os.readFile(`${folder}/a/empty`, { limit: 10 })).toBe('');
      yield* os.remove(`${folder}/a/empty`);
      expect(yield* os.readDir(`${folder}/a`)).toEqual([
        { name: 'b', dir: true },
        { name: 'x', dir: false },
      ]);
      expect(yield* os.stat(`${folder}/a/x`)).toMatchObject({ dir: false, size: 6 });
      expect(yield* os.stat(`${folder}/none/x`)).toBeNull();
      yield* os.symlink('x', `${folder}/a/link`);
      yield* os.rename(`${folder}/a/x`, `${folder}/a/y`);
      expect(yield* os.stat(`${folder}/a/link`)).toBeNull();
      yield* os.remove(`${folder}/a/link`);
      yield* os.remove(`${folder}/a/b`);
      yield* os.removeAll(`${folder}/a`);
      yield* os.removeAll(`${folder}/a`);
      expect(yield* os.readDir(folder)).toEqual([]);
    });
  });

  it('says in Node’s codes and Go’s words what is wrong', async () => {
    const kernel = realKernel();
    const folder = await tempFolder();
    await expect(run(kernel, () => os.readFile(`${folder}/none`))).rejects.toMatchObject({
      code: 'ENOENT',
      message: `open ${folder}/none: no such file or directory`,
    });
    await writeFile(join(folder, 'file'), '');
    await expect(run(kernel, () => os.mkdirAll(`${folder}/file/x`, 0o755))).rejects.toMatchObject({
      code: 'ENOTDIR',
      message: `mkdir ${folder}/file: not a directory`,
    });
    expect(await run(kernel, () => os.stat(`${folder}/file/x`))).toBeNull();
    await expect(run(kernel, () => os.readDir(`${folder}/none`))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(run(kernel, () => os.watch(background, `${folder}/none`))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('does not stand still with a file that makes one wait', async () => {
    const kernel = realKernel();
    const folder = await tempFolder();
    await mkdir(join(folder, 'pods/u/volumes/v'), { recursive: true });
    for (const pipe of [join(folder, 'pipe'), join(folder, 'pods/u/volumes/v/pipe')]) {
      execFileSync('mkfifo', [pipe]);
      await expect(run(kernel, () => os.readFile(pipe))).rejects.toThrow(`${pipe}: it is a named pipe, not a file`);
      expect(await run(kernel, () => os.stat(folder))).toMatchObject({ dir: true });
    }
  });

  describe('watch', () => {
    async function watched(path: (folder: string) => string) {
      const kernel = realKernel();
      const folder = await tempFolder();
      await mkdir(join(folder, 'm'));
      await writeFile(join(folder, 'm/old.yaml'), '1');
      const [ctx, cancel] = withCancel(kernel, background);
      onTestFinished(() => kernel.post(cancel));
      const chan = (await run(kernel, () => os.watch(ctx, path(folder)))) as Chan<FileEvent>;
      const next = () => run(kernel, () => receive(chan));
      /** The first event about a name and op, past repetitions. */
      const until = async (name: string, op: FileEvent['op']) => {
        for (;;) {
          const [event, ok] = await next();
          if (!ok) throw new Error('the watch ended');
          if (event.path === join(folder, 'm', name) && event.op === op) return;
        }
      };
      return { kernel, folder, cancel, next, until };
    }

    it('sees renames into the folder, changes and removals', async () => {
      const { folder, until } = await watched((f) => join(f, 'm'));
      await writeFile(join(folder, 'tmp'), 'x');
      await rename(join(folder, 'tmp'), join(folder, 'm/new.yaml'));
      await until('new.yaml', 'add');
      await writeFile(join(folder, 'm/old.yaml'), '22');
      await until('old.yaml', 'modify');
      await rename(join(folder, 'm/new.yaml'), join(folder, 'gone'));
      await until('new.yaml', 'delete');
    });

    it('watches the folder of a file, and goes on after the file was replaced', async () => {
      const { folder, until } = await watched((f) => join(f, 'm/old.yaml'));
      for (let i = 0; i < 3; i++) {
        await writeFile(join(folder, 'tmp'), `${i}`);
        await rename(join(folder, 'tmp'), join(folder, 'm/old.yaml'));
        await until('old.yaml', 'modify');
      }
    });

    it('sees the links of a mounted ConfigMap swap', async () => {
      const { folder, until } = await watched((f) => join(f, 'm'));
      await mkdir(join(folder, 'm/..2'));
      await symlink('..2', join(folder, 'm/..data_tmp'));
      await rename(join(folder, 'm/..data_tmp'), join(folder, 'm/..data'));
      await until('..data', 'add');
    });

    it('ends with its context', async () => {
      const { kernel, cancel, next } = await watched((f) => join(f, 'm'));
      kernel.post(cancel);
      expect(await next()).toEqual([undefined, false]);
    });
  });
});
