/** The page without a network: loaded once, it opens and steps; a new version is taken when it is asked for. */
import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ahead, idle, open, press, start } from './browser.mjs';
import { DIST, serve } from './serve.mjs';

const QUERY = '?testing=1&offline=1';
let stage;
before(async () => {
  stage = await start();
});
after(async () => {
  await stage?.close();
});

const inForce = (page) =>
  page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    if (active.state !== 'activated')
      await new Promise((resolve) => active.addEventListener('statechange', resolve, { once: true }));
    return (await caches.keys()).length;
  });

describe('offline', () => {
  it('the page opens and steps, and its lazy parts are there', async () => {
    const server = await serve();
    const { page, problems, close } = await open({ ...stage, url: server.url }, { query: QUERY });
    try {
      assert.equal(await inForce(page), 1);
      // No network, and no server either.
      await page.context().setOffline(true);
      await server.close();
      await page.reload();
      await page.waitForFunction(() => window.__syncloop?.idle());
      await press(page, 'ArrowRight');
      await page.keyboard.press('Shift+R');
      await page.getByTestId('recording-keep').click();
      await page.getByTestId('recording').waitFor();
      await idle(page);
      assert.deepEqual(
        problems.filter((p) => !/ERR_INTERNET_DISCONNECTED|ERR_CONNECTION_REFUSED/.test(p)),
        [],
      );
    } finally {
      await close();
    }
  });

  it('only files of the build are answered', async () => {
    const server = await serve();
    const { page, close } = await open({ ...stage, url: server.url }, { query: QUERY });
    try {
      await inForce(page);
      const statuses = await page.evaluate(() =>
        Promise.all(['icon.svg', 'socket.io/?EIO=4', 'api/sessions'].map(async (path) => (await fetch(path)).status)),
      );
      assert.deepEqual(statuses, [200, 404, 404]);
      await server.close();
      const after = await page.evaluate(() =>
        Promise.all(
          ['icon.svg', 'socket.io/?EIO=4', 'api/sessions'].map((path) =>
            fetch(path).then(
              (r) => r.status,
              () => 'none',
            ),
          ),
        ),
      );
      assert.deepEqual(after, [200, 'none', 'none']);
    } finally {
      await close();
    }
  });

  it('a worker of before is taken out by the page of a host that has none, such as an agent', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'syncloop-page-'));
    await cp(DIST, folder, { recursive: true });
    const server = await serve(undefined, { dist: folder });
    const { page, close } = await open({ ...stage, url: server.url }, { query: QUERY });
    try {
      assert.equal(await inForce(page), 1);
      await rm(join(folder, 'service-worker.js'));
      await page.reload();
      await page.waitForFunction(() => window.__syncloop?.idle());
      await page.waitForFunction(async () => (await navigator.serviceWorker.getRegistrations()).length === 0);
    } finally {
      await close();
      await server.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('a new version says that it is ready, and is taken by a reload', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'syncloop-page-'));
    await cp(DIST, folder, { recursive: true });
    const server = await serve(undefined, { dist: folder });
    const { page, close } = await open({ ...stage, url: server.url }, { query: QUERY });
    try {
      await inForce(page);
      // Another build: the entry has another name, the list another version.
      const assets = await readdir(join(folder, 'assets'));
      const html = await readFile(join(folder, 'index.html'), 'utf8');
      const [, entry] = /src="\.\/assets\/(index-[\w-]+\.js)"/.exec(html) ?? [];
      assert.ok(assets.includes(entry), 'the entry is named in the page');
      const next = 'index-newbuild.js';
      const text = await readFile(join(folder, 'assets', entry), 'utf8');
      await writeFile(join(folder, 'assets', next), text);
      await writeFile(join(folder, 'index.html'), html.replaceAll(entry, next));
      const worker = join(folder, 'service-worker.js');
      const code = await readFile(worker, 'utf8');
      const version = /"version":"([0-9a-f]{16})"/.exec(code)?.[1];
      assert.ok(version);
      await writeFile(worker, code.replaceAll(version, '0123456789abcdef').replaceAll(entry, next));
      await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
      await page.getByText('A new version of syncloop is ready.').waitFor();
      await Promise.all([page.waitForEvent('load'), page.getByTestId('notice-action').click()]);
      await page.waitForFunction(() => window.__syncloop?.idle());
      const script = await page.evaluate(() => document.querySelector('script[type=module]').src);
      assert.match(script, /index-newbuild\.js$/);
      assert.equal(await ahead(page), 0);
    } finally {
      await close();
      await server.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
