import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mkdirAll, mkdirAllSync } from './mkdir-all.js';

describe.each([
  ['mkdirAll', mkdirAll],
  ['mkdirAllSync', async (path: string, mode: number) => mkdirAllSync(path, mode)],
] as const)('%s', (_name, mkdirAll) => {
  let root = '';
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'syncloop-mkdir-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('makes all that is missing, and does nothing when all is there', async () => {
    const path = join(root, 'a', 'b', 'c');
    await mkdirAll(path, 0o750);
    await mkdirAll(path, 0o700);
    expect((await stat(path)).mode & 0o777).toBe(0o750);
  });

  it('lets two make the same folder at once', async () => {
    const path = join(root, 'a', 'b', 'c');
    await Promise.all([mkdirAll(path, 0o750), mkdirAll(path, 0o750), mkdirAll(join(path, 'd'), 0o750)]);
    expect((await stat(join(path, 'd'))).isDirectory()).toBe(true);
  });

  it('fails where a file is in the way', async () => {
    await writeFile(join(root, 'file'), '');
    const file = join(root, 'file');
    for (const path of [file, join(file, 'x'), join(file, 'x', 'y')])
      await expect(mkdirAll(path, 0o750)).rejects.toMatchObject({ code: 'ENOTDIR', path: file });
  });

  it('fails, and does not hang, where a file system takes no folders', async () => {
    await expect(mkdirAll('/proc/syncloop/x', 0o750)).rejects.toThrow(/E(NOENT|ACCES|PERM)/);
  });
});
