import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kernel } from '@syncloop/core/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LogsOnDisk } from './logs-on-disk.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syncloop-logs-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('logs of the mock runtime', () => {
  it('are on the disk where their folder is, and go on in a new file after a rotation', async () => {
    const fs = new LogsOnDisk(new Kernel());
    await mkdir(join(folder, 'pod/app'), { recursive: true });
    const path = join(folder, 'pod/app/0.log');
    fs.mkdirAllSync(join(folder, 'pod/app'));
    const node = fs.openSync(path, 0o640);
    expect(await readFile(path, 'utf8')).toBe('');
    fs.append(node, 'one\n', path);
    await rename(path, `${path}.1`);
    fs.openSync(path, 0o640);
    fs.append(node, 'two\n', path);
    expect([await readFile(`${path}.1`, 'utf8'), await readFile(path, 'utf8')]).toEqual(['one\n', 'two\n']);
    expect(fs.readFileSync(path)).toBe('one\ntwo\n');
  });

  it('stay in memory without a folder, and other files always', async () => {
    const fs = new LogsOnDisk(new Kernel());
    fs.mkdirAllSync(join(folder, 'none'));
    const log = join(folder, 'none/0.log');
    fs.append(fs.openSync(log), 'x', log);
    expect(fs.readFileSync(log)).toBe('x');
    fs.mkdirAllSync(folder);
    fs.writeFileSync(join(folder, 'hosts'), 'y');
    await expect(readFile(log)).rejects.toThrow('ENOENT');
    await expect(readFile(join(folder, 'hosts'))).rejects.toThrow('ENOENT');
  });
});
