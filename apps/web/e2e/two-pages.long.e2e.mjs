/** Several pages on one session: they say so, who moved it last, and one can go on with a session of its own. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { initialState } from '../../../packages/core/dist/trace/index.js';
import { LiveBackend } from '../../agent/dist/debugger/backend.js';
import { liveInfo } from '../../agent/dist/debugger/live-info.js';
import { serveSession } from '../../agent/dist/server/session-host.js';
import { onAgents, pageOf } from './agents.mjs';
import { command, idle, onStage, run } from './browser.mjs';
import { DIST } from './serve.mjs';

const visit = onStage();
const agent = onAgents();
const look = (node, options) => visit({ ...pageOf(node), pace: 'as it is', ...options });

/** Waits until the page shows this many pages; 1: it shows nothing. */
const says = (page, n) =>
  page.waitForFunction(
    (pages) => (document.querySelector('[data-testid=pages] .sl-tabular')?.textContent ?? '1') === String(pages),
    n,
  );
const moved = (page, text) => page.getByTestId('moved-by-other').getByText(text, { exact: true }).waitFor();
const unmoved = (page) => page.getByTestId('moved-by-other').waitFor({ state: 'detached' });
const at = (page, seq) =>
  page.waitForFunction((to) => window.__syncloop.idle() && window.__syncloop.run.seq === to, seq);
const records = (page) => page.evaluate(() => JSON.stringify(window.__syncloop.state));

const WORDS = {
  'en-GB': {
    look: '2 pages share this session',
    step: 'another page stepped',
    back: 'another page stepped back',
    runs: 'another page let it run',
    pause: 'another page paused it',
    load: 'another page loaded a run',
    last: /this page stepped back/,
    own: /a session of its own now, from the same moment/,
  },
  'zh-CN': {
    look: '2 个页面在查看这个会话',
    step: '另一个页面走了一步',
    back: '另一个页面退了一步',
    runs: '另一个页面让它运行',
    pause: '另一个页面暂停了它',
    load: '另一个页面载入了一次运行',
    last: /这个页面退了一步/,
    own: /现在有了自己的会话，从同一时刻开始/,
  },
};

for (const [locale, words] of Object.entries(WORDS))
  it(`two pages say that they share a session, and one gets its own (${locale})`, async () => {
    const node = await agent();
    const one = await look(node, { locale });
    await says(one, 1);
    const two = await look(node, { locale });
    await says(one, 2);
    await says(two, 2);
    assert.equal(await one.getByTestId('pages').getAttribute('aria-label'), words.look);
    assert.equal(await two.getByTestId('moved-by-other').count(), 0);

    await two.keyboard.press('ArrowRight');
    await moved(one, words.step);
    await one.keyboard.press('ArrowRight');
    await moved(two, words.step);
    await unmoved(one);
    await two.keyboard.press('ArrowLeft');
    await moved(one, words.back);
    await two.keyboard.press('Space');
    await moved(one, words.runs);
    for (const page of [one, two]) await page.waitForFunction(() => window.__syncloop.run.running);
    await two.keyboard.press('Space');
    await moved(one, words.pause);
    await command(two, 'scenario.load', { name: 'crash-loop', seed: 3 });
    await moved(one, words.load);
    await one.waitForFunction(() => window.__syncloop.info.scenario === 'crash-loop');
    for (let n = 0; n < 3; n++) await command(two, 'transport.stepIteration');
    await command(two, 'faults.do', { fault: { relist: '2s' } });
    await command(two, 'transport.stepIteration');
    await command(two, 'transport.backDecision');
    await idle(two);
    const { seq } = await run(two);
    await at(one, seq);

    // By keyboard: the explanation, and out of it into a session of its own.
    await two.getByTestId('pages').focus();
    await two.keyboard.press('Enter');
    await two.getByTestId('pages-moved').filter({ hasText: words.last }).waitFor();
    if (process.env.SHOT) await two.screenshot({ path: `${process.env.SHOT}-${locale}.png` });
    const shared = await records(one);
    await two.getByTestId('own-session').click();
    await two.getByText(words.own).waitFor();
    await at(two, seq);
    assert.equal(await records(two), shared);
    await says(two, 1);
    // The one that stays sees by the count that the other has gone.
    await says(one, 1);
    await unmoved(one);
    // From now on each goes its own way.
    await command(two, 'transport.stepIteration');
    await idle(two);
    assert.ok((await run(two)).seq > seq);
    assert.equal((await run(one)).seq, seq);
    await command(one, 'transport.backDecision');
    await at(two, (await run(two)).seq);

    // Going back: the shared session is at the position where the other page has left it.
    await idle(one);
    await command(two, 'session.rejoin');
    await at(two, (await run(one)).seq);
    await says(one, 2);
    await says(two, 2);
  });

describe('nothing is said', () => {
  it('by tabs that have their simulations to themselves', async () => {
    const one = await visit();
    const two = await one.context().newPage();
    await two.goto(one.url());
    await two.waitForFunction(() => window.__syncloop?.idle());
    await command(two, 'transport.stepIteration');
    await idle(two);
    for (const page of [one, two]) {
      await says(page, 1);
      assert.equal(await page.getByTestId('moved-by-other').count(), 0);
    }
  });

  it('of a page that is loaded again, once it is there', async () => {
    const node = await agent();
    const one = await look(node);
    const two = await look(node);
    await says(one, 2);
    await two.reload();
    await two.waitForFunction(() => window.__syncloop?.idle());
    await says(one, 2);
    await says(two, 2);
    await two.close();
    await says(one, 1);
  });
});

describe('a live node', () => {
  const served = [];
  afterEach(async () => {
    for (const host of served.splice(0)) await host.close();
  });
  /** Serves a page as the debugger's process of `syncloop kubelet` does, with a kubelet that takes every command. */
  async function liveNode() {
    const info = liveInfo({ id: 'live-1', title: 'Node n1', runtime: 'containerd', node: 'n1', control: true }, 0);
    const backend = new LiveBackend(info, 1000, initialState(), (id, { do: what }) => {
      backend.runs({ ...backend.runState(), running: what === 'resume' });
      backend.answer(id, { ok: true });
    });
    const host = await serveSession(backend, {
      host: '127.0.0.1',
      port: 0,
      webRoot: DIST,
      control: true,
      remedy: 'choose another',
    });
    served.push(host);
    return host;
  }
  const on = (url) => ({ url: `${new URL(url).origin}/`, hash: new URL(url).hash, asPrinted: true, pace: 'as it is' });

  it('says why a page cannot have its own, and what it can have; who only looks is told, too', async () => {
    const host = await liveNode();
    const one = await visit(on(host.link()));
    const two = await visit({ ...on(host.observerLink()), locale: 'zh-CN' });
    await says(one, 2);
    await says(two, 2);
    await one.keyboard.press('Space');
    await moved(two, '另一个页面暂停了它');
    await two.getByTestId('pages').click();
    await two.getByTestId('own-never').getByText('节点上的 kubelet 只运行一次').waitFor();
    await two.getByText('这个页面只能查看').waitFor();
    await one.getByTestId('pages').click();
    await one.getByTestId('own-never').getByText('A kubelet on a node runs only once').waitFor();
    if (process.env.SHOT) await one.screenshot({ path: `${process.env.SHOT}-live.png` });
    assert.equal(await one.getByTestId('own-session').count(), 0);
    assert.equal(await one.getByTestId('pages-save').isEnabled(), true);
    await one.keyboard.press('Escape');
    await two.close();
    await says(one, 1);
  });
});
