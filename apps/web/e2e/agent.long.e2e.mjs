/** The page when a token sends it to an agent: `syncloop serve` as a process of its own, and none at all. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onAgents, pageOf } from './agents.mjs';
import { command, laneSays, onStage } from './browser.mjs';

const PROGRAM = fileURLToPath(new URL('../../agent/bin/syncloop.mjs', import.meta.url));

const visit = onStage({ own: true });
const agent = onAgents();

const look = (node, options) => visit({ ...pageOf(node), ...options });

/** The browser's own complaints when nobody answers. */
const GONE = /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET/;

describe('a page that an agent serves', () => {
  it('shows and steers the agent’s session, and hides the code', async () => {
    const page = await look(await agent());
    assert.doesNotMatch(page.url(), /code/);
    await page.keyboard.press('Space');
    await laneSays(page, 'hello-node1', 'Running');
    await page.reload();
    await page.waitForFunction(() => window.__syncloop?.idle());
    await laneSays(page, 'hello-node1', 'Running');
    await command(page, 'transport.toggle');
    await page.waitForFunction(() => !window.__syncloop.run.running);
  });

  it('shows two pages the same session', async () => {
    const node = await agent();
    const one = await look(node);
    const two = await look(node);
    await command(one, 'transport.stepIteration');
    await two.waitForFunction(() => window.__syncloop.run.iterations === 2);
  });

  it('takes its link once: a reload stays in, another browser is told what to do, and a new link lets it in', async () => {
    const node = await agent();
    const printed = { ...pageOf(node), asPrinted: true };
    const first = await visit(printed);
    await first.reload();
    await first.waitForFunction(() => window.__syncloop?.idle());
    assert.doesNotMatch(await first.evaluate(() => location.href + JSON.stringify(history.state)), /code/);

    const other = await visit({ ...printed, ready: false });
    const banner = other.getByTestId('banner');
    await banner.getByText('The link was used already').waitFor();
    assert.match(await banner.innerText(), /press Enter where syncloop runs, or run “syncloop url”/);
    // Somebody who was given none has no way in by a reload.
    await other.reload();
    await other.waitForFunction(() => window.__syncloop?.idle());
    assert.equal(await other.evaluate(() => sessionStorage.getItem('syncloop.token')), null);

    // The link of `syncloop url`, put into the same tab's address.
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, 'url', '--port', new URL(node.url).port]);
    await other.evaluate((hash) => {
      location.hash = hash;
    }, new URL(stdout.trim()).hash);
    await other.waitForFunction(() => sessionStorage.getItem('syncloop.token') !== null && window.__syncloop.idle());
    assert.doesNotMatch(other.url(), /code/);
  });

  it('takes its link again in another tab of the browser that used it', async () => {
    const node = await agent();
    const one = await visit({ ...pageOf(node), asPrinted: true });
    const context = one.context();
    const tab = async () => {
      const made = await context.newPage();
      await made.goto(`${node.origin}?testing=1${new URL(node.url).hash}`);
      return made;
    };
    const two = await tab();
    await two.waitForFunction(() => window.__syncloop?.idle());
    await command(two, 'transport.stepIteration');
    await one.waitForFunction(() => window.__syncloop.run.iterations === 2);
    // Once the last of them is closed, the link is worth nothing here either.
    await one.close();
    await two.close();
    const three = await tab();
    await three.getByTestId('banner').getByText('The link was used already').waitFor();
  });

  it('makes a link for another browser, which may do the same', async () => {
    const node = await agent();
    const one = await look(node, { permissions: ['clipboard-read', 'clipboard-write'] });
    await command(one, 'session.link');
    await one.getByText('Copied: a link that works once').waitFor();
    const link = new URL(await one.evaluate(() => navigator.clipboard.readText()));
    assert.match(link.hash, /^#code=[\w-]{46}$/);
    const two = await visit({ url: `${link.origin}/`, hash: link.hash, asPrinted: true });
    await command(two, 'transport.stepIteration');
    await one.waitForFunction(() => window.__syncloop.run.iterations === 2);
  });

  it('says so in Chinese, on a narrow window too', async () => {
    const node = await agent();
    await visit({ ...pageOf(node), asPrinted: true });
    const page = await visit({
      ...{ ...pageOf(node), asPrinted: true, ready: false },
      ...{ locale: 'zh-CN', viewport: { width: 390, height: 700 }, colorScheme: 'dark' },
    });
    await page.getByTestId('banner').getByText('这个链接已经用过').waitFor();
    const { x, width } = await page.getByTestId('banner').boundingBox();
    assert.ok(x >= 0 && x + width <= 390, `${x} + ${width}`);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/link-used-zh.png` });
  });

  it('says what to do about a wrong token, and does not keep knocking', async () => {
    const { origin } = await agent();
    const page = await visit({ url: origin, hash: '#code=wrong', ready: false, expected: /401/ });
    await page.getByTestId('banner').getByText('The agent refused this page').waitFor();
    assert.match(await page.getByTestId('banner').innerText(), /run “syncloop url”/);
    await page.waitForTimeout(3000);
    assert.match(await page.getByTestId('banner').innerText(), /an earlier start of syncloop/);
    await page.getByTestId('banner-simulate').click();
    await page.waitForFunction(() => window.__syncloop.idle());
  });

  it('says so when the agent is gone', async () => {
    const node = await agent();
    const page = await look(node, { expected: GONE });
    await node.stop();
    await page.getByTestId('banner').getByText('The agent does not answer').waitFor();
    // The banner leaves the graph's tools free.
    const [banner, tools] = await Promise.all(
      ['banner', 'graph-tools'].map((id) => page.getByTestId(id).boundingBox()),
    );
    assert.ok(tools.y + tools.height <= banner.y, `${JSON.stringify({ banner, tools })}`);
  });
});

describe('a page with a code and nobody there', () => {
  it('takes the code out of the address, says what to do, and offers the simulation', async () => {
    const page = await visit({ hash: '#code=wrong', ready: false, expected: /404|ERR_/ });
    await page.getByTestId('banner').getByText('does not answer').waitFor();
    assert.doesNotMatch(page.url(), /code/);
    assert.match(await page.getByTestId('banner').innerText(), /open the link it prints/);
    await page.getByTestId('banner-simulate').click();
    await page.waitForFunction(() => window.__syncloop.idle());
    assert.equal(await page.evaluate(() => window.__syncloop.run.running), false);
    await page.reload();
    await page.waitForFunction(() => window.__syncloop?.idle());
  });
});
