import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../testing/harness.js';
import { lockRootDir } from './lock.js';

describe('lockRootDir', () => {
  it('lets one in, and the next after it', async () => {
    const root = join(await tempFolder(), 'deep/root');
    const unlock = await lockRootDir(root);
    await expect(lockRootDir(root)).rejects.toThrow(
      `a syncloop kubelet (pid ${process.pid}) runs already on ${root}: stop it, or give this one a directory of its own with --root-dir`,
    );
    await unlock();
    await (await lockRootDir(root))();
    expect(existsSync(join(root, 'syncloop.lock'))).toBe(false);
  });

  it('does not mind what a dead one left, even if its number lives again', async () => {
    const root = await tempFolder();
    const file = join(root, 'syncloop.lock');
    const other = spawn('sleep', ['60']);
    onTestFinished(() => void other.kill());
    for (const stale of ['999999 1\n', '', 'nonsense', `${other.pid} 1\n`]) {
      await writeFile(file, stale);
      const unlock = await lockRootDir(root);
      expect(await readFile(file, 'utf8')).toMatch(new RegExp(`^${process.pid} \\d+\\n$`));
      await unlock();
    }
  });

  it('says what to do where it may not write', async () => {
    const file = join(await tempFolder(), 'file');
    await writeFile(file, '');
    await expect(lockRootDir(join(file, 'root'))).rejects.toThrow(/choose another with --root-dir$/);
  });
});
