/** The page where a token sends it to an agent: `syncloop serve` as a process of its own, and none at all. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { afterEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { command, laneSays, onStage } from './browser.mjs';

const PROGRAM = fileURLToPath(new URL('../../agent/bin/syncloop.mjs', import.meta.url));

const visit = onStage();
/** Those that a test started; they end after its pages. */
const agents = [];
afterEach(() => Promise.all(agents.splice(0).map((a) => a.stop())));

/** An agent with a simulation; `url` is what it prints for the browser. */
async function agent(port = 0) {
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const url = await new Promise((resolve, reject) => {
    const take = (text) => {
      printed += text;
      const found = /http:\/\/\S+#token=\S+/.exec(printed)?.[0];
      if (found) resolve(found);
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.once('exit', (code) => reject(new Error(`syncloop serve ended with ${code}: ${printed}`)));
  });
  const over = new Promise((resolve) => child.once('exit', resolve));
  const started = {
    url,
    origin: `${new URL(url).origin}/`,
    stop: () => {
      child.kill('SIGTERM');
      return over;
    },
  };
  agents.push(started);
  return started;
}

/** Opens a page of an agent; the query is what turns the test hooks on. */
const look = (node, options) => visit({ url: node.origin, hash: new URL(node.url).hash, ...options });

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
