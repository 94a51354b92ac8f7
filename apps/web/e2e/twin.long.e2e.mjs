/** An observed run and its twin in a real browser: made on request, shown beside it, stepped, changed, compared. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { LINK } from '../../agent/e2e/links.mjs';
import { Running } from '../../agent/e2e/programs.mjs';
import { command, idle, onStage, run } from './browser.mjs';
import { ask, capture, drop, read } from './dropped.mjs';

const captured = (name) => capture(`${name}/kubelet.v4.log.gz`);
const LOG = captured('v1.36-v4/static-pod-update');
const PROGRAM = fileURLToPath(new URL('../../agent/bin/syncloop.mjs', import.meta.url));
const visit = onStage();
const on = (page, side) =>
  page.waitForFunction((s) => window.__syncloop.idle() && window.__syncloop.run.twin?.side === s, side);

/** Opens a page with the log of a kubelet dropped onto it. */
async function observed(options, log = LOG) {
  const page = await visit(options);
  await drop(page, ['kubelet.v4.log.gz', await readFile(log)]);
  await read(page);
  return page;
}
/** Re-enacts it as well; returns the verdict. */
async function reenacted(options, log) {
  const page = await observed(options, log);
  await page.getByTestId('reenact').click();
  await page.getByTestId('twin-verdict').waitFor({ timeout: 120_000 });
  await idle(page);
  return { page, answer: await ask(page, { do: 'twin' }) };
}

describe('the twin of an observed run', () => {
  it('is made on request, and says in words and figures how far it does the same', async () => {
    const { page, answer } = await reenacted();
    const { verdict, scenario } = answer;
    assert.ok(verdict.compared > 30, `${verdict.compared}`);
    assert.equal(await page.getByTestId('twin-verdict').innerText(), verdict.text.en);
    const bar = page.getByTestId('twin-bar');
    await bar.getByText(`${verdict.same} of ${verdict.compared} decisions the same`).waitFor();
    const { same, compared } = verdict.kinds.config;
    await page
      .getByTestId('twin-kinds')
      .getByRole('row', { name: `Config ${same} of ${compared}` })
      .waitFor();
    await page.getByTestId('twin-assumptions').locator('summary').click();
    await page.getByTestId('twin-assumptions').getByText(scenario.assumptions[0].text.en).first().waitFor();
    await page.getByTestId('twin-tolerances').locator('summary').click();
    await page.getByTestId('twin-scenario').locator('summary').click();
    assert.equal(await page.getByTestId('twin-scenario-text').inputValue(), scenario.text);
    // The observed run is shown as before.
    assert.equal((await run(page)).twin.side, 'seen');
  });

  it('stands at the same decision when one goes over: from the lanes, a line of the log, by key', async () => {
    const { page, answer } = await reenacted();
    await command(page, 'view.timeline');
    await ask(page, { do: 'go', to: { seq: 1 } });
    // The answer comes before the page is there.
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.seq === 1);
    await page.keyboard.press('Shift+K');
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.seq > 1);
    const first = answer.verdict.pairs.reduce((a, b) => (a.seen < b.seen ? a : b));
    assert.equal((await run(page)).seq, first.seen);
    await page.keyboard.press('z');
    await on(page, 'twin');
    assert.equal((await run(page)).seq, first.twin);
    assert.equal((await page.evaluate(() => window.__syncloop.info)).capabilities.intervene, true);
    await page.getByTestId('twin-moments').getByText('real run at').waitFor();
    await page.getByTestId('twin-seen').click();
    await on(page, 'seen');
    assert.equal((await run(page)).seq, first.seen);

    // A line of the log leads to the decision that rests on it.
    await command(page, 'view.log');
    await page.locator('#sl-filter').fill('SyncLoop ADD');
    const line = page.getByTestId('log').locator('.sl-record-row', { hasText: 'upd-node1' }).first();
    await line.locator('.sl-record').click();
    await line.getByTestId('in-the-other').click();
    await on(page, 'twin');
    const at = (await run(page)).seq;
    assert.ok(
      answer.verdict.pairs.some((pair) => pair.twin === at),
      `${at}`,
    );
    // The same decision is selected there.
    await page
      .getByTestId('narrator')
      .getByText(/upd-node1|file/)
      .first()
      .waitFor();
  });

  it('is stepped, goes back, branches, and the branch is compared with the real run', async () => {
    const { page, answer } = await reenacted();
    const start = answer.verdict.pairs[Math.floor(answer.verdict.pairs.length / 3)];
    await ask(page, { do: 'side', side: 'twin', ...start });
    await on(page, 'twin');
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction((n) => window.__syncloop.idle() && window.__syncloop.run.seq < n, start.twin);
    const target = await page.evaluate(() => {
      const { containers } = window.__syncloop.state;
      const found = Object.values(containers).find((c) => c.state === 'running');
      return found && { uid: found.uid, container: found.name };
    });
    // If nothing runs yet it goes on until something does.
    if (!target) {
      await ask(page, { do: 'until', where: 'kind == "container" && state == "running"', pace: 'fast' });
      await idle(page);
    }
    const uid = await page.evaluate(() => Object.values(window.__syncloop.state.containers).at(-1));
    await ask(page, { do: 'kill', uid: uid.uid, container: uid.name });
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.branch === 2);
    // The bar does not say of a changed past what was true of the twin.
    const agreement = page.getByTestId('twin-agreement');
    assert.equal(await agreement.innerText(), 'This branch was changed and is not compared yet');
    // Nor do the lanes and the list show what was true of the twin.
    assert.equal(await page.getByTestId('twin-lanes').count(), 0);
    await page.getByTestId('twin-branch-here').click();
    const verdict = page.getByTestId('twin-branch-verdict');
    await verdict.waitFor({ timeout: 60_000 });
    const held = await ask(page, { do: 'hold' });
    assert.ok(held.same < answer.verdict.same || held.differences.length > 0);
    await verdict.getByText(held.text.en).first().waitFor();
    await agreement.getByText(`${held.same} of ${held.compared} decisions the same`).waitFor();
    await page.getByTestId('twin-lanes').waitFor();
    assert.equal(await page.getByTestId('twin-difference').count(), held.differences.length);
    if (held.differences.length > 0) {
      await page.keyboard.press('v');
      await page.getByTestId('twin-difference-text').getByText(held.differences[0].text.en).waitFor();
    }
    // It can be sent to somebody as any run can.
    const { scenario } = answer;
    const spec = await ask(page, { do: 'spec' });
    assert.equal(spec.text, scenario.text);
    assert.equal(spec.interventions.length, 1);
    // The verdict on the twin itself is as it was.
    assert.equal(await page.getByTestId('twin-verdict').innerText(), answer.verdict.text.en);
  });

  it('made of a changed scenario has differences: each leads to its moment in both, and is marked', async () => {
    const { page, answer } = await reenacted();
    const text = answer.scenario.text.replace(/image: (\S+)/, 'image: "localhost/other:1"');
    assert.notEqual(text, answer.scenario.text);
    await page.getByTestId('twin-scenario').locator('summary').click();
    await page.getByTestId('twin-scenario-text').fill(text);
    await page.getByTestId('twin-remake').click();
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.twin?.made === 2);
    await page.getByTestId('twin-difference').first().waitFor();
    const { verdict } = await ask(page, { do: 'twin' });
    const [first] = verdict.differences;
    await page.getByTestId('twin-at').getByText(`Differences: ${verdict.differences.length}`).waitFor();
    await page.keyboard.press('v');
    await page.getByTestId('twin-at').getByText(`Difference 1 of ${verdict.differences.length}`).waitFor();
    await idle(page);
    if (first.seen) assert.equal((await run(page)).seq, first.seen.seq);
    await page.getByTestId('twin-values').getByText(first.text.en).waitFor();
    // Marked on the map where it arose, and said in the bar.
    await page.getByTestId('apart-mark').first().waitFor();
    assert.equal(await page.getByTestId('apart-mark').first().getAttribute('title'), first.text.en);
    await page.getByTestId('twin-difference-text').getByText(first.text.en).waitFor();
    // The search for choices goes on until somebody stops it.
    await page.getByTestId('twin-search').click();
    await page.getByTestId('twin-doing').first().getByText('Trying schedules').waitFor();
    await page.getByTestId('twin-stop').first().click();
    await page.getByTestId('twin-doing').first().waitFor({ state: 'detached' });
    assert.equal(await page.locator('.sl-notice').count(), 0);
    // Laid over each other: the real run's values are shown where the twin has something else.
    await page.getByTestId('twin-both').click();
    await on(page, 'twin');
    await ask(page, { do: 'go', to: { time: answer.scenario.until } });
    await page.getByTestId('counterpart').first().waitFor();
    await page.getByTestId('twin-apart-here').getByText('values that differ here').waitFor();
    // A scenario that cannot be read is refused with its place.
    await page.getByTestId('twin-scenario-text').fill('spec: 1');
    await page.getByTestId('twin-remake').click();
    await page
      .getByText(/\.yaml:1/)
      .first()
      .waitFor();
    assert.equal((await run(page)).twin.made, 2);
    // Both runs are in the timeline.
    await command(page, 'view.timeline');
    const paired = page.getByTestId('timeline-paired');
    assert.match(await paired.getAttribute('aria-label'), new RegExp(`: ${verdict.differences.length}$`));
    await page.waitForFunction(() => {
      const canvas = document.querySelector('[data-testid=timeline-paired]');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size > 4;
    });
  });

  it('answers what if the probe had been more patient: then nobody kills the container', async () => {
    const { page, answer } = await reenacted({}, captured('v1.29-v4/liveness-failure'));
    assert.equal(answer.verdict.same, answer.verdict.compared);
    const text = answer.scenario.text.replace(/failureThreshold: \d+/, 'failureThreshold: 50');
    assert.notEqual(text, answer.scenario.text);
    await page.getByTestId('twin-scenario').locator('summary').click();
    await page.getByTestId('twin-scenario-text').fill(text);
    await page.getByTestId('twin-remake').click();
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.twin?.made === 2);
    const { verdict } = await ask(page, { do: 'twin' });
    const [first] = verdict.differences;
    assert.match(first.text.en, /liveness|kill/);
    // At that moment in the twin, and one step back from it.
    await page.keyboard.press('v');
    await page.getByTestId('twin-at').getByText(`Difference 1 of ${verdict.differences.length}`).waitFor();
    await page.getByTestId('twin-twin').click();
    await on(page, 'twin');
    const { seq } = await run(page);
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction((at) => window.__syncloop.idle() && window.__syncloop.run.seq < at, seq);
    await page.getByTestId('twin-verdict').getByText(verdict.text.en).waitFor();
  });

  it('is made in the agent, where that has opened the log', async () => {
    const program = new Running(process.execPath, [PROGRAM, 'open', LOG, '--port', '0']);
    try {
      const [url] = await program.says('the URL of the page', LINK, { seconds: 60 });
      const page = await visit({ url: `${new URL(url).origin}/`, hash: new URL(url).hash, pace: null });
      await page.waitForFunction(() => window.__syncloop.run.reading?.ended && window.__syncloop.idle());
      await page.getByTestId('reenact').click();
      await page.getByTestId('twin-verdict').waitFor({ timeout: 120_000 });
      await page.getByTestId('twin-twin').click();
      await on(page, 'twin');
      await page.keyboard.press('ArrowLeft');
      await page.waitForFunction(
        () => window.__syncloop.idle() && window.__syncloop.run.seq < window.__syncloop.run.end.seq,
      );
      // Whoever comes later finds both, too.
      const other = await visit({ url: `${new URL(url).origin}/`, hash: new URL(url).hash, pace: null });
      await other.getByTestId('twin-agreement').waitFor();
      assert.equal((await run(other)).twin.side, 'twin');
    } finally {
      await program.kill();
    }
  });

  it('can be left for the simulation', async () => {
    const { page } = await reenacted();
    await page.getByTestId('twin-twin').click();
    await on(page, 'twin');
    await page.getByTestId('twin-leave').click();
    await page.waitForFunction(
      () => window.__syncloop.idle() && window.__syncloop.info.capabilities.twin === undefined,
    );
    await page.getByTestId('twin-bar').waitFor({ state: 'detached' });
  });

  it('of an old kubelet shows the loop of its version and is re-enacted by the nearest one, or by another', async () => {
    const { page, answer } = await reenacted({}, captured('v1.21-v4-log/single-pod-lifecycle'));
    assert.equal(answer.scenario.era, 'v1.21');
    assert.equal(answer.verdict.same, answer.verdict.compared);
    assert.equal(await page.evaluate(() => window.__syncloop.info.era), 'v1.21');
    await page.locator('[data-testid="channel-containerManager"][data-absent]').waitFor();
    assert.equal(await page.locator('[data-testid="channel-readinessManager"][data-absent]').count(), 0);
    const chosen = page.getByTestId('twin-era');
    assert.equal(await chosen.inputValue(), 'v1.21');
    assert.equal(await page.getByTestId('twin-era-why').count(), 0);
    // By keys: the last of the list is the newest.
    await chosen.focus();
    await page.keyboard.press('End');
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.twin?.made === 2);
    const other = await ask(page, { do: 'twin' });
    assert.equal(other.scenario.era, 'v1.36');
    await page
      .getByTestId('twin-era-why')
      .getByText('This kubelet is v1.21.1; the kubelet here is v1.36, which was chosen, and the nearest one is v1.21')
      .waitFor();
  });

  it('of a version between says which is nearest and what may differ, in both languages', async () => {
    const log = captured('v1.29-v4/liveness-failure');
    for (const [locale, nearest, sentence] of [
      ['en-US', 'nearest here: v1.32', 'This kubelet is v1.29.14; the nearest kubelet here is v1.32.'],
      ['zh-CN', '这里最接近：v1.32', '此 kubelet 的版本是 v1.29.14；这里最接近的 kubelet 是 v1.32。'],
    ]) {
      const page = await observed({ locale }, log);
      await page.getByTestId('observed-nearest').getByText(nearest).waitFor();
      await page.getByTestId('observed-details').click();
      await page.getByTestId('observed-era').getByText(sentence).waitFor();
      await page.getByTestId('observed-may-differ').locator('summary').click();
      await page.getByTestId('observed-may-differ').getByText('v1.31').first().waitFor();
    }
  });

  it('is shown in Chinese, in the dark, on a phone, by keys alone', async () => {
    const page = await observed({ locale: 'zh-CN', colorScheme: 'dark', viewport: { width: 390, height: 780 } });
    await page.keyboard.press('Shift+W');
    await page.getByTestId('findings').waitFor({ state: 'detached' });
    await page.getByTestId('reenact').focus();
    await page.keyboard.press('Enter');
    await page.getByTestId('twin-verdict').waitFor({ timeout: 120_000 });
    const { verdict } = await ask(page, { do: 'twin' });
    assert.equal(await page.getByTestId('twin-verdict').innerText(), verdict.text.zh);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true);
    await page.keyboard.press('z');
    await on(page, 'twin');
    await page.keyboard.press('Shift+T');
    await page.getByTestId('twin').waitFor({ state: 'detached' });
    assert.equal(await page.getByTestId('twin-twin').getAttribute('aria-pressed'), 'true');
  });
});
