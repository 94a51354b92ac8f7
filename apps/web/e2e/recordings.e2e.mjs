/** Recordings in a real browser: a run is saved, and opened again; old ones open; what is none is refused. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { command, idle, onStage, open, run } from './browser.mjs';

const fixture = (name) => fileURLToPath(new URL(`../../../packages/core/testdata/recordings/${name}`, import.meta.url));

const visit = onStage();
/** As a user chooses it in the file dialog. */
async function choose(page, file) {
  const chooser = page.waitForEvent('filechooser');
  const done = command(page, 'recording.open');
  await (await chooser).setFiles(file);
  return done;
}
const info = (page) => page.evaluate(() => window.__syncloop.info);

describe('recordings', () => {
  it('of a run are saved, and open again', async () => {
    const page = await visit();
    for (let i = 0; i < 5; i++) await page.keyboard.press('Shift+ArrowRight');
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.iterations === 5);
    const { seq } = await run(page);
    const [download] = await Promise.all([page.waitForEvent('download'), command(page, 'recording.save')]);
    assert.match(download.suggestedFilename(), /\.syncloop$/);
    const file = await download.path();
    assert.ok((await readFile(file)).subarray(1, 4).equals(Buffer.from('SLR')));

    await choose(page, file);
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.info.capabilities.apply === false);
    assert.equal((await run(page)).end.seq, seq);
    await command(page, 'transport.toggle');
    await page.waitForFunction((n) => window.__syncloop.idle() && window.__syncloop.state.seq === n, seq);
    assert.equal((await run(page)).iterations, 5);
  });

  for (const name of ['v1.hello.syncloop', 'v2.hello.syncloop', 'v2.cut-off.syncloop'])
    it(`${name} opens and plays`, async () => {
      const page = await visit();
      await choose(page, fixture(name));
      await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.info.title === 'Hello, pod');
      assert.equal((await info(page)).seed, 7);
      if (name.includes('cut-off'))
        await page.getByText(/cut off in block \d+ at byte \d+; it ends with record 300/).waitFor();
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.state.seq > 0);
    });

  it('that are none are refused, and the session goes on', async () => {
    const page = await visit();
    const before = await info(page);
    await assert.rejects(choose(page, fileURLToPath(import.meta.url)), /line 1 is not a header/);
    assert.deepEqual(await info(page), before);
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => window.__syncloop.run.steps === 1 && window.__syncloop.idle());
    await idle(page);
  });
});
