/** Recordings in a real browser: a run is saved, and opened again; old ones open; other files are refused. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { command, idle, onStage, press, run, savedFile } from './browser.mjs';

const fixture = (name) => fileURLToPath(new URL(`../../../packages/core/testdata/recordings/${name}`, import.meta.url));

const visit = onStage();
/** Chooses a file in the file dialog, as a user does. */
async function choose(page, file) {
  const chooser = page.waitForEvent('filechooser');
  const done = command(page, 'files.choose');
  await (await chooser).setFiles(file);
  return done;
}
const info = (page) => page.evaluate(() => window.__syncloop.info);

describe('recordings', () => {
  it('of a run are saved, and open again', async () => {
    const page = await visit();
    for (let i = 0; i < 5; i++) await page.keyboard.press('Shift+ArrowRight');
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.iterations === 6);
    const { seq } = await run(page);
    const [download] = await Promise.all([page.waitForEvent('download'), command(page, 'recording.save')]);
    assert.match(download.suggestedFilename(), /\.syncloop$/);
    const file = await savedFile(download);
    assert.ok((await readFile(file)).subarray(1, 4).equals(Buffer.from('SLR')));

    await choose(page, file);
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.info.capabilities.apply === false);
    assert.equal((await run(page)).end.seq, seq);
    await command(page, 'transport.toggle');
    await page.waitForFunction((n) => window.__syncloop.idle() && window.__syncloop.state.seq === n, seq);
    assert.equal((await run(page)).iterations, 6);

    // It looks like one, and there is a way back.
    const bar = page.getByTestId('recording-bar');
    assert.match(await bar.innerText(), /read only\s+-?\d+\.\d+ s to \d+\.\d+ s/);
    await page.keyboard.press('Control+k');
    await page.getByTestId('palette-input').fill('copy a link');
    await page.getByRole('option', { name: 'a recording has no links: share its file instead' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByTestId('recording-leave').click();
    await bar.waitFor({ state: 'detached' });
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.info.capabilities.apply);
  });

  it('are saved without names, and open with what happened', async () => {
    const page = await visit();
    for (let i = 0; i < 5; i++) await page.keyboard.press('Shift+ArrowRight');
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.iterations === 6);
    const { seq } = await run(page);
    await page.getByTestId('menu-session').click();
    const item = page.getByTestId('item-recording.saveWithoutNames');
    assert.equal(await item.innerText(), 'Save a recording with names replaced');
    const [download] = await Promise.all([page.waitForEvent('download'), item.click()]);
    await page.getByText('look at the file before you share it').waitFor();
    await choose(page, await savedFile(download));
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.info.capabilities.apply === false);
    assert.equal((await run(page)).end.seq, seq);
    assert.equal((await info(page)).node, 'node-1');
    await command(page, 'transport.toggle');
    await page.waitForFunction((n) => window.__syncloop.idle() && window.__syncloop.state.seq === n, seq);
    const pods = await page.evaluate(() => Object.values(window.__syncloop.state.pods).map(({ pod }) => pod));
    assert.deepEqual(pods, ['default/pod-1-node-1']);
    assert.doesNotMatch(await page.locator('body').innerText(), /hello-node1/);
  });

  it('are saved where they are listed', async () => {
    const page = await visit();
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.steps > 0);
    await page.getByTestId('open-recordings').click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('recording-save').click()]);
    assert.match(download.suggestedFilename(), /\.syncloop$/);
    await page.getByTestId('menu-share').click();
    await page.getByTestId('item-link.copy').waitFor();
    assert.equal(await page.getByTestId('item-recording.save').count(), 0);
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
    await assert.rejects(
      choose(page, fileURLToPath(import.meta.url)),
      /recordings\.long\.e2e\.mjs is text, but no line of it comes from a kubelet\. The page opens a kubelet's log, a support bundle, a Kubernetes manifest, a scenario/,
    );
    assert.deepEqual(await info(page), before);
    await press(page, 'ArrowRight');
    await idle(page);
  });

  it('are kept in the browser: listed after a reload, opened, renamed, deleted and put back', async () => {
    const page = await visit();
    await choose(page, fixture('v2.hello.syncloop'));
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.info.title === 'Hello, pod');
    const { end } = await run(page);
    await page.getByTestId('notice-action').click();
    await page.getByText('“v2.hello” is kept in this browser.').waitFor();
    // The session's run besides.
    await page.reload();
    await page.waitForFunction(() => window.__syncloop?.idle());
    await page.keyboard.press('Shift+ArrowRight');
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.iterations === 2);
    const { seq } = await run(page);
    await page.keyboard.press('Shift+R');
    await page.getByTestId('recording-keep').click();
    const rows = page.getByTestId('recording');
    await rows.nth(1).waitFor();
    assert.match(await rows.nth(0).innerText(), new RegExp(`${seq.toLocaleString('en')} records`));
    assert.match(await rows.nth(1).innerText(), /v2\.hello.*node/s);
    await page.getByText(/Kept: 2, [\d.]+ kB in all/).waitFor();

    await rows.nth(1).getByRole('button', { name: 'Rename v2.hello' }).click();
    await page.getByTestId('recording-name').fill('first pod');
    await page.keyboard.press('Enter');
    await rows.nth(1).getByRole('heading', { name: 'first pod' }).waitFor();

    await rows.nth(1).getByTestId('recording-open-kept').click();
    await page.waitForFunction((n) => window.__syncloop.idle() && window.__syncloop.run.end?.seq === n, end.seq);
    await page.locator('.sl-recording[data-current]').getByText('first pod').waitFor();

    await rows.nth(1).getByTestId('recording-remove').click();
    await page.getByText('“first pod” deleted.').waitFor();
    assert.equal(await rows.count(), 1);
    await page.getByTestId('notice-action').click();
    await rows.nth(1).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      rows.nth(1).getByRole('button', { name: 'Download first pod' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'first-pod.syncloop');
    assert.deepEqual(await readFile(await savedFile(download)), await readFile(fixture('v2.hello.syncloop')));
  });

  it('are dropped onto the page; what is none is named', async () => {
    const page = await visit();
    const dropped = async (name, text) => {
      const data = await page.evaluateHandle(
        ([n, body]) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([body], n));
          return transfer;
        },
        [name, text],
      );
      await page.dispatchEvent('#root', 'dragover', { dataTransfer: data });
      await page.getByTestId('drop-zone').waitFor();
      await page.dispatchEvent('#root', 'drop', { dataTransfer: data });
      await page.getByTestId('drop-zone').waitFor({ state: 'detached' });
    };
    await dropped('notes.txt', 'remember the milk');
    await page
      .getByText(/notes\.txt is .*The page opens a kubelet's log, a support bundle, a Kubernetes manifest, a scenario/)
      .waitFor();
    // A manifest is one's own to apply.
    await dropped('web.yaml', 'apiVersion: v1\nkind: Pod\n');
    await page.getByTestId('files').getByText('web.yaml').waitFor();
    await dropped('old.ndjson', await readFile(fixture('v1.hello.syncloop'), 'utf8'));
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.info.title === 'Hello, pod');
    await page.getByText('“old.ndjson” is open.').waitFor();
  });

  it('cannot be kept where the browser refuses, and the page says so', async () => {
    const page = await visit({
      init: () => {
        indexedDB.open = () => {
          throw new DOMException('The operation is insecure.', 'SecurityError');
        };
      },
    });
    await press(page, 'ArrowRight');
    await page.keyboard.press('Shift+R');
    await page
      .getByTestId('recordings-failed')
      .getByText(/does not let the page keep anything/)
      .waitFor();
    await assert.rejects(command(page, 'recording.keep'), /Save recordings as files instead/);
  });
});
