/** The page where a token sends it to an agent: `syncloop serve` as a process of its own, and none at all. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onAgents, pageOf } from './agents.mjs';
import { command, laneSays, onStage } from './browser.mjs';

const visit = onStage();
const agent = onAgents();

const look = (node, options) => visit({ ...pageOf(node), ...options });

/** What the browser itself complains of when nobody answers. */
const GONE = /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET/;

describe('a page that an agent serves', () => {
  it('shows and steers the agent’s session, and hides the token', async () => {
    const page = await look(await agent());
    assert.doesNotMatch(page.url(), /token/);
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

  it('says what to do about a wrong token, and does not keep knocking', async () => {
    const { origin } = await agent();
    const page = await visit({ url: origin, hash: '#token=wrong', ready: false, expected: /401/ });
    await page.getByTestId('banner').getByText('The agent refused this page').waitFor();
    assert.match(await page.getByTestId('banner').innerText(), /open the URL that syncloop printed/);
    await page.waitForTimeout(3000);
    assert.match(await page.getByTestId('banner').innerText(), /token is wrong/);
    await page.getByTestId('banner-simulate').click();
    await page.waitForFunction(() => window.__syncloop.idle());
  });

  it('says so when the agent is gone', async () => {
    const node = await agent();
    const page = await look(node, { expected: GONE });
    await node.stop();
    await page.getByTestId('banner').getByText('The agent does not answer').waitFor();
    // What it lies over can still be worked: nothing of the graph's tools is under it.
    const [banner, tools] = await Promise.all(
      ['banner', 'graph-tools'].map((id) => page.getByTestId(id).boundingBox()),
    );
    assert.ok(tools.y + tools.height <= banner.y, `${JSON.stringify({ banner, tools })}`);
  });
});

describe('a page with a token and nobody there', () => {
  it('takes the token out of the address, says what to do, and offers the simulation', async () => {
    const page = await visit({ hash: '#token=wrong', ready: false, expected: /404|ERR_/ });
    await page.getByTestId('banner').getByText('does not answer').waitFor();
    assert.doesNotMatch(page.url(), /token/);
    assert.match(await page.getByTestId('banner').innerText(), /open the URL it prints/);
    await page.getByTestId('banner-simulate').click();
    await page.waitForFunction(() => window.__syncloop.idle());
    assert.equal(await page.evaluate(() => window.__syncloop.run.running), false);
    await page.reload();
    await page.waitForFunction(() => window.__syncloop?.idle());
  });
});
