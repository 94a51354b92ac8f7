/** The page where a token sends it to an agent: `syncloop serve` as a process of its own, and none at all. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { command, laneSays, open, start } from './browser.mjs';

const PROGRAM = fileURLToPath(new URL('../../agent/bin/syncloop.mjs', import.meta.url));

let stage;
before(async () => {
  stage = await start();
});
after(async () => {
  await stage?.close();
});

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
  return {
    url,
    port: Number(new URL(url).port),
    stop: () => {
      child.kill('SIGTERM');
      return over;
    },
  };
}

/** Opens a page of an agent; the query is what turns the test hooks on. */
const visit = (url) => {
  const { origin, hash } = new URL(url);
  return open({ ...stage, url: `${origin}/` }, { hash });
};

describe('a page that an agent serves', () => {
  it('shows and steers the agent’s session, and hides the token', async () => {
    const node = await agent();
    const { page, problems, close } = await visit(node.url);
    try {
      assert.doesNotMatch(page.url(), /token/);
      await page.keyboard.press('Space');
      await laneSays(page, 'hello-node1', 'Running');
      await page.reload();
      await page.waitForFunction(() => window.__syncloop?.idle());
      await laneSays(page, 'hello-node1', 'Running');
      await command(page, 'transport.toggle');
      await page.waitForFunction(() => !window.__syncloop.run.running);
      assert.deepEqual(problems, []);
    } finally {
      await close();
      await node.stop();
    }
  });

  it('shows two pages the same session', async () => {
    const node = await agent();
    const one = await visit(node.url);
    const two = await visit(node.url);
    try {
      await command(one.page, 'transport.stepIteration');
      await two.page.waitForFunction(() => window.__syncloop.run.iterations === 1);
    } finally {
      await one.close();
      await two.close();
      await node.stop();
    }
  });

  it('says what to do about a wrong token, and does not keep knocking', async () => {
    const node = await agent();
    const { page, close } = await open(
      { ...stage, url: `${new URL(node.url).origin}/` },
      { hash: '#token=wrong', ready: false },
    );
    try {
      await page.getByTestId('banner').getByText('The agent refused this page').waitFor();
      assert.match(await page.getByTestId('banner').innerText(), /open the URL that syncloop printed/);
      await page.waitForTimeout(3000);
      assert.match(await page.getByTestId('banner').innerText(), /token is wrong/);
      await page.getByTestId('banner-simulate').click();
      await page.waitForFunction(() => window.__syncloop.idle());
    } finally {
      await close();
      await node.stop();
    }
  });

  it('says so when the agent is gone', async () => {
    const node = await agent();
    const { page, close } = await visit(node.url);
    try {
      await node.stop();
      await page.getByTestId('banner').getByText('The agent does not answer').waitFor();
    } finally {
      await close();
    }
  });
});

describe('a page with a token and nobody there', () => {
  it('takes the token out of the address, says what to do, and offers the simulation', async () => {
    const { page, close } = await open(stage, { hash: '#token=wrong', ready: false });
    await page.getByTestId('banner').getByText('does not answer').waitFor();
    assert.doesNotMatch(page.url(), /token/);
    assert.match(await page.getByTestId('banner').innerText(), /open the URL it prints/);
    await page.getByTestId('banner-simulate').click();
    await page.waitForFunction(() => window.__syncloop.idle());
    assert.equal(await page.evaluate(() => window.__syncloop.run.running), false);
    await page.reload();
    await page.waitForFunction(() => window.__syncloop?.idle());
    await close();
  });
});
