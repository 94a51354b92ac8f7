import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { background, current, range, receive, withCancel } from '@syncloop/core/kernel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errorOf, realKernel, run, tempFolder } from '../testing/harness.js';
import { nodePluginHost } from './host.js';

async function socket(path: string): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  return server;
}

/** Watches a folder and collects its events, as `add NAME`. */
async function watched(folder: string) {
  const kernel = realKernel();
  const host = nodePluginHost();
  onTestFinished(() => host.close());
  const told: string[] = [];
  let over = false;
  let cancel = () => {};
  await run(kernel, function* () {
    const [ctx, end] = withCancel(current().kernel, background);
    cancel = () => kernel.post(end);
    const chan = yield* host.watchSockets(ctx, folder);
    kernel.go('told', function* () {
      yield* range(chan, function* ({ op, path }) {
        told.push(`${op} ${path.slice(folder.length + 1)}`);
      });
      over = true;
    });
  });
  return { kernel, told, cancel: () => cancel(), isOver: () => over };
}

describe('sockets below a folder', () => {
  it('[3:PLUG-03] are told: those that are there, then as they come and go', async () => {
    const folder = join(await tempFolder(), 'plugins_registry');
    await mkdir(join(folder, 'driver'), { recursive: true });
    await socket(join(folder, 'old.sock'));
    await socket(join(folder, 'driver', 'reg.sock'));
    await writeFile(join(folder, 'file'), '');
    await socket(join(folder, '.hidden'));
    const { told } = await watched(folder);
    await expect.poll(() => told).toEqual(['add old.sock', 'add driver/reg.sock']);
    await socket(join(folder, 'new.sock'));
    await expect.poll(() => told.slice(2)).toEqual(['add new.sock']);
    await rm(join(folder, 'old.sock'));
    await expect.poll(() => told.slice(3)).toEqual(['delete old.sock']);
    await symlink(join(folder, 'new.sock'), join(folder, 'link.sock'));
    await expect.poll(() => told.slice(4)).toEqual(['add link.sock']);
  });

  it('are told when a folder comes with them, and when it goes', async () => {
    const folder = await tempFolder();
    const { told } = await watched(folder);
    await mkdir(join(folder, 'a', 'b'), { recursive: true });
    await socket(join(folder, 'a', 'b', 'reg.sock'));
    await expect.poll(() => told).toEqual(['add a/b/reg.sock']);
    await rename(join(folder, 'a'), join(folder, 'c'));
    await expect.poll(() => [...told.slice(1)].sort()).toEqual(['add c/b/reg.sock', 'delete a/b/reg.sock']);
    await rm(join(folder, 'c'), { recursive: true });
    await expect.poll(() => told.slice(3)).toEqual(['delete c/b/reg.sock']);
  });

  it('[3:PLUG-03] that are deleted and made again at once are told as both', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'reg.sock');
    await socket(path);
    const { told } = await watched(folder);
    await expect.poll(() => told).toEqual(['add reg.sock']);
    await rm(path);
    await socket(path);
    await expect.poll(() => told).toEqual(['add reg.sock', 'delete reg.sock', 'add reg.sock']);
  });

  it('are watched until the context ends; the folder is made where it is missing', async () => {
    const folder = join(await tempFolder(), 'made');
    const { told, cancel, isOver } = await watched(folder);
    expect(await readdir(folder)).toEqual([]);
    cancel();
    await expect.poll(isOver).toBe(true);
    await socket(join(folder, 'late.sock'));
    expect(told).toEqual([]);
  });

  it('cannot be watched where a file is in the way', async () => {
    const folder = join(await tempFolder(), 'file');
    await writeFile(folder, '');
    const kernel = realKernel();
    const host = nodePluginHost();
    const error = await errorOf(
      run(kernel, function* () {
        return yield* receive(yield* host.watchSockets(background, folder));
      }),
    );
    expect(error.message).toMatch(/not a directory/);
  });
});
