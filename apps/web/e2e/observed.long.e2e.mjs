/** Somebody else's kubelet in a real browser: its log is dropped, pasted, read while it is looked at, and explained. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { writeLog } from '../../../bench/log-page.mjs';
import { command, idle, onStage, savedFile } from './browser.mjs';
import { ask, capture, drop, read, V2, V4 } from './dropped.mjs';

const XZ = fileURLToPath(new URL('../../../packages/core/testdata/bundle/artifacts.tar.xz', import.meta.url));

// A test reads the clipboard, which all contexts of a browser share.
const visit = onStage({ own: true });

describe("somebody else's kubelet", () => {
  it('tells what each source adds, what more would add, and which lines nothing was made of', async () => {
    const page = await visit();
    await drop(page, ['kubelet.log', gunzipSync(await readFile(V2))]);
    await read(page);
    await page.getByTestId('observed-details').click();
    const dialog = page.getByTestId('observed-dialog');
    await dialog.getByText(/This log seems to be of -v=2\. With -v=4/).waitFor();
    await dialog.getByTestId('known-legend').getByText('concluded', { exact: true }).waitFor();
    const { unread, unreadLines } = await ask(page, { do: 'overview' });
    assert.equal(
      unreadLines.reduce((n, one) => n + one.count, 0),
      unread,
    );
    const rare = unreadLines.find((one) => /^[\w ]{12,}$/.test(one.msg));
    await dialog.getByTestId('lines-left-filter').fill(rare.msg);
    await dialog.getByTestId('lines-left').getByRole('button', { name: rare.msg }).first().click();
    await page.waitForFunction((n) => window.__syncloop.idle() && window.__syncloop.run.seq === n, rare.first.seq);
    await page.getByTestId('log').locator('button[aria-pressed=true]').getByText(rare.msg).waitFor();
  });

  it('is one story out of several files, whatever order they come in; what is none of its is named', async () => {
    const page = await visit();
    const lines = gunzipSync(await readFile(V2))
      .toString()
      .split('\n');
    const half = Math.floor(lines.length / 2);
    await drop(
      page,
      ['kubelet.log', lines.slice(half).join('\n')],
      ['kubelet.log.1.gz', gzipSync(`${lines.slice(0, half).join('\n')}\n`)],
      ['shopping.txt', 'milk\n'],
    );
    await read(page);
    await page.getByText('Files left out: 1').waitFor();
    const { sources, starts, lines: n } = await ask(page, { do: 'overview' });
    assert.deepEqual(
      sources.map((s) => s.name),
      ['kubelet.log', 'kubelet.log.1.gz'],
    );
    assert.equal(n, lines.filter((line) => line !== '').length);
    assert.equal(starts, 1);
    await page.getByTestId('observed-details').click();
    await page.getByText('shopping.txt: nothing in it comes from a kubelet.').waitFor();
  });

  it('is one story out of a whole capture: calls, spans and pods stand beside the log, with their clocks', async () => {
    const page = await visit();
    const folder = capture('v1.29-v4/liveness-failure/');
    const names = (await readdir(folder)).filter((name) => !name.startsWith('truth'));
    await drop(page, ...(await Promise.all(names.map(async (name) => [name, await readFile(folder + name)]))));
    await read(page);
    const { sources, offsets, gaps } = await ask(page, { do: 'overview' });
    const kinds = [...new Set(sources.map((s) => s.kind))].sort();
    assert.deepEqual(kinds, ['cri', 'events', 'log', 'metrics', 'pods', 'spans']);
    for (const source of sources) assert.ok(source.pieces > 0, source.name);
    assert.ok(offsets.length > 0);
    assert.equal(gaps, 0);
    const { findings } = await ask(page, { do: 'findings' });
    const restart = findings.find((f) => f.code === 'restart');
    assert.deepEqual([restart.pod, restart.container, restart.count], ['default/live-node1', 'app', 1]);
    // A selection shows its last evidence: a line, a call or a span.
    await command(page, 'view.select', { kind: 'part', part: 'pleg' });
    await page.getByTestId('evidence').getByTestId('evidence-place').first().waitFor();
  });

  it("comes pasted, too; what is pasted into a field is the field's", async () => {
    const page = await visit();
    const text = gunzipSync(await readFile(V2))
      .toString()
      .slice(0, 40_000);
    const paste = (where) =>
      page.evaluate(
        ([pasted, selector]) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData('text/plain', pasted);
          const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
          document.querySelector(selector).dispatchEvent(event);
        },
        [text, where],
      );
    await command(page, 'view.log');
    await page.locator('#sl-filter').waitFor();
    await paste('#sl-filter');
    await idle(page);
    assert.equal(await page.evaluate(() => window.__syncloop.info.capabilities.scenarios), true);
    await paste('body');
    await read(page);
    await page.getByTestId('menu-session').getByText('pasted log').waitFor();
  });

  it('shows what lines hold as text: no terminal escape, no markup of theirs does anything', async () => {
    const page = await visit();
    const lines = [
      'I1122 10:00:00.000000       7 server.go:1] "Kubelet version" kubeletVersion="v1.36.2"',
      'E1122 10:00:01.000000       7 a.go:1] "<img src=x onerror=window.hit=1>\u001b[2J" err="<b>bold</b>"',
      'panic: \u001b[31mred\u202ednuora',
      'I1122 10:00:09.000000       7 a.go:1] "The end"',
    ];
    await drop(page, ['kubelet.log', lines.join('\n')]);
    await read(page);
    await page.getByTestId('findings').getByText('<img src=x').filter({ visible: true }).first().waitFor();
    await command(page, 'transport.toEnd');
    await command(page, 'view.log');
    // Colours are taken out of a line; klog quotes anything else of a terminal's.
    await page.getByTestId('log').getByText('panic: red�dnuora').waitFor();
    await page.getByTestId('log').getByText('\\x1b[2J').first().waitFor();
    assert.equal(await page.evaluate(() => window.hit), undefined);
    assert.equal(await page.locator('.sl-findings img, .sl-findings b, .sl-rows img').count(), 0);
  });

  it('of several nodes in an archive is one node at a time, which is chosen at the top', async () => {
    const page = await visit();
    await drop(page, ['artifacts.tar.xz', await readFile(XZ)]);
    await read(page);
    await page.getByTestId('fleet-lane').nth(1).waitFor();
    await page.keyboard.press('Escape');
    const choice = page.getByTestId('observed-nodes-choice');
    await choice.waitFor();
    assert.deepEqual(await choice.locator('option').allInnerTexts(), ['n1', 'n2']);
    const pods = () => page.evaluate(() => Object.values(window.__syncloop.state.pods).map(({ pod }) => pod));
    await choice.selectOption('n2');
    await page.waitForFunction(() => window.__syncloop.run.reading?.ended);
    await command(page, 'transport.toEnd');
    await page.waitForFunction(() =>
      Object.values(window.__syncloop.state.pods).some(({ pod }) => pod === 'default/on-n2'),
    );
    assert.deepEqual(await pods(), ['default/on-n2']);
  });

  it('with a big log is on screen while it is read, and can be gone through meanwhile', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'observed-'));
    try {
      const path = join(folder, 'big.log');
      const { lines } = writeLog(path, 24 * 1024 * 1024);
      const page = await visit();
      const chooser = page.waitForEvent('filechooser');
      const opened = command(page, 'files.choose');
      await (await chooser).setFiles(path);
      await opened;
      // There is a picture, and it is not the end yet.
      await page.getByTestId('observed-reading').waitFor();
      await page.getByTestId('finding').first().waitFor();
      assert.equal(await page.evaluate(() => window.__syncloop.run.reading.ended), false);
      await page.getByTestId('finding-go').first().click();
      await page.getByTestId('evidence').waitFor();
      await page.waitForFunction(() => window.__syncloop.run.reading.ended, null, { timeout: 300_000 });
      const { lines: n, oldest } = await ask(page, { do: 'overview' });
      assert.equal(n, lines);
      assert.equal(oldest, 1);
      // Its end is as near as its beginning.
      const { end } = await page.evaluate(() => window.__syncloop.run);
      await ask(page, { do: 'go', to: { seq: end.seq - 10 } });
      await page.waitForFunction((at) => window.__syncloop.idle() && window.__syncloop.run.seq === at, end.seq - 10);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('is read in Chinese, in the dark, on a phone, and by keys alone', async () => {
    const page = await visit({ locale: 'zh-CN', colorScheme: 'dark', viewport: { width: 390, height: 780 } });
    await drop(page, ['kubelet.v4.log.gz', await readFile(V4)]);
    await read(page);
    await page
      .getByTestId('finding')
      .first()
      .getByText(/default\/crash-node1 的容器 app 失败退出 \d 次/)
      .waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true);
    await page.keyboard.press('Shift+W');
    await page.getByTestId('findings').waitFor({ state: 'detached' });
    await page.keyboard.press('Shift+W');
    const go = page.getByTestId('finding-go').first();
    await go.focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(
      () => window.__syncloop.idle() && window.__syncloop.run.seq < window.__syncloop.run.end.seq,
    );
    await page.getByTestId('observed-details').focus();
    await page.keyboard.press('Enter');
    await page.getByTestId('observed-dialog').getByText('来源', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByTestId('observed-dialog').waitFor({ state: 'detached' });
  });
});

describe('what went wrong', () => {
  it('is listed for runs of ours, too', async () => {
    const page = await visit();
    await command(page, 'scenario.load', { name: 'crash-loop' });
    await idle(page);
    await ask(page, { do: 'go', to: { time: 20_000_000 } });
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.time >= 20_000_000);
    await page.keyboard.press('Shift+W');
    await page
      .getByTestId('finding')
      .first()
      .getByText(/ended in failure \d+ times/)
      .waitFor();
    assert.equal(await page.getByTestId('observed-banner').count(), 0);
  });
});

describe('the whole of a file', () => {
  it('is along the top: by keys to its incidents, by words to any line, a part of it as a file', async () => {
    const page = await visit({ acceptDownloads: true });
    await drop(page, ['kubelet.log', gunzipSync(await readFile(V4))]);
    await read(page);
    const strip = page.getByTestId('strip-box');
    await page
      .getByTestId('strip-incident-count')
      .getByText(/\d+ incidents?/)
      .waitFor();
    const seq = () => page.evaluate(() => window.__syncloop.run.seq);
    const settled = () => page.waitForFunction(() => window.__syncloop.idle());
    const { end } = await page.evaluate(() => window.__syncloop.run);
    assert.ok((await seq()) < end.seq, 'it opens at an incident, not at its end');
    await strip.focus();
    await strip.press('End');
    await page.waitForFunction((last) => window.__syncloop.run.seq === last, end.seq);
    assert.equal(await strip.getAttribute('aria-valuenow'), '1000');
    await strip.press('p');
    await page.waitForFunction((last) => window.__syncloop.idle() && window.__syncloop.run.seq < last, end.seq);
    const { incidents } = await ask(page, { do: 'incidents' });
    assert.ok(incidents.some(({ expected, begin }) => !expected && begin.seq <= end.seq));

    // A word of one line only, looked for with the filter that is there.
    await command(page, 'view.log');
    await page.locator('#sl-filter').fill('Kubelet version');
    await page.getByTestId('strip-first-hit').click();
    const { hits } = await ask(page, { do: 'find', text: 'Kubelet version' });
    await page.waitForFunction((first) => window.__syncloop.idle() && window.__syncloop.run.seq === first, hits[0]);
    await page
      .getByTestId('strip-found')
      .getByText(/^1 of \d+ in the whole file$/)
      .waitFor();

    // The marked part, with its first and last lines.
    await strip.focus();
    await strip.press('Home');
    await settled();
    await strip.press('Shift+PageUp');
    const marked = page.getByTestId('strip-marked');
    await marked.waitFor();
    const saved = async (id) => {
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByTestId(id).click()]);
      return [file.suggestedFilename(), await readFile(await savedFile(file))];
    };
    const [lines, text] = await saved('strip-save-lines');
    assert.match(lines, /\.log$/);
    assert.match(text.toString().split('\n')[0], /^I1122 11:26:10\.\d{6} .*\.go\] "/);
    const [recording, bytes] = await saved('strip-save-recording');
    assert.match(recording, /\.syncloop$/);
    await drop(page, [recording, bytes]);
    await page.waitForFunction(
      () => window.__syncloop.info?.capabilities.observed !== true && window.__syncloop.idle(),
    );
    assert.equal(await page.evaluate(() => window.__syncloop.info.virtual), false);
  });

  it('is linked to: whoever opens the link drops the file, and another file is told from it', async () => {
    const bytes = gunzipSync(await readFile(V4));
    const page = await visit({ permissions: ['clipboard-read', 'clipboard-write'] });
    await drop(page, ['kubelet.log', bytes]);
    await read(page);
    await command(page, 'strip.go', 20_000_000);
    await idle(page);
    const { time } = await page.evaluate(() => window.__syncloop.run);
    await command(page, 'observed.copyLink');
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const other = await visit({ hash: new URL(link).hash });
    await other
      .getByTestId('file-link')
      .getByText(/in “kubelet\.log”/)
      .waitFor();
    await other.keyboard.press('Escape');
    await drop(other, ['kubelet.log', bytes.subarray(0, bytes.length - 1)]);
    await other.getByText(/This is another file than the one of the link, “kubelet\.log”/).waitFor();
    await drop(other, ['renamed.log', bytes]);
    await other.getByText(/This is the moment of the link: 2026-11-22 11:26:\d\d/).waitFor();
    assert.equal((await other.evaluate(() => window.__syncloop.run)).time, time);
  });
});
