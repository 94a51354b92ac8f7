import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../testing/harness.js';
import { checkFolder, checkTarget } from './target.js';

const isRoot = process.getuid?.() === 0;

describe('what a tap may stand before', () => {
  it('takes a socket of its own, and one that is not there yet', async () => {
    const folder = await tempFolder();
    const server = createServer();
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(`${folder}/s`, resolve));
    await expect(checkTarget(`${folder}/s`)).resolves.toBeUndefined();
    await expect(checkTarget(`${folder}/none`)).resolves.toBeUndefined();
    await writeFile(`${folder}/file`, '');
    await expect(checkTarget(`${folder}/file`)).rejects.toThrow(/is not a socket/);
  });

  it.runIf(isRoot)('refuses a socket of another user, who would hear everything', async () => {
    const folder = await tempFolder();
    const server = createServer();
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(`${folder}/s`, resolve));
    await chown(`${folder}/s`, 65_534, 65_534);
    await expect(checkTarget(`${folder}/s`)).rejects.toThrow(/belongs to user 65534/);
  });

  it('refuses a folder in which others may put another socket', async () => {
    const folder = await tempFolder();
    await expect(checkFolder(`${folder}/new/s`)).resolves.toBeUndefined();
    await mkdir(`${folder}/open`);
    await chmod(`${folder}/open`, 0o777);
    await expect(checkFolder(`${folder}/open/s`)).rejects.toThrow(/others may change the folder/);
  });
});
