/**
 * The first minute, by keyboard alone: the page opens at a moment with something to see, plays so that it can be
 * followed, its suggestions do not fail, and the next key is always the page's.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ahead, command, idle, load, onStage, press, run, stepped, until } from './browser.mjs';

const visit = onStage();

const said = (page) => page.locator('.sl-said').innerText();
const opening = (page) => page.getByTestId('opening');
const focusId = (page) => page.evaluate(() => document.activeElement?.dataset.testid ?? document.activeElement?.id);
const runs = (page, running) =>
  page.waitForFunction((r) => window.__syncloop.run.running === r && window.__syncloop.idle() === !r, running);
/** Presses Tab until the focus is on a button of that name. */
async function tabTo(page, name) {
  for (let i = 0; i < 150; i++) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate(() => document.activeElement?.textContent?.trim())) === name) return;
  }
  throw new Error(`Tab does not come to ${name}`);
}
const podRuns = () => Object.values(window.__syncloop.state.pods).some((p) => p.phase === 'Running');
const seconds = (text) => Number(/([\d.]+)/.exec(text.replaceAll(',', ''))?.[1]);

describe('the page opens', () => {
  for (const [locale, sentence] of [
    ['en-GB', 'The folder contains the manifest hello.yaml. Press → and follow it.'],
    ['zh-CN', '清单目录里有了一份清单 hello.yaml。 按 →，跟着它走。'],
  ])
    it(`where a manifest lies in the folder, and invites to follow it (${locale})`, async () => {
      const page = await visit({ locale });
      assert.equal((await opening(page).innerText()).replace(/\s+/g, ' '), sentence);
      assert.equal((await run(page)).running, false);
      // Each press is the next thing that can be seen, and the headline tells it at its time.
      for (let i = 0; i < 3; i++) {
        await press(page, 'ArrowRight');
        await opening(page).waitFor({ state: 'detached' });
        const { time } = await run(page);
        assert.equal(await page.locator('.sl-said-time').innerText(), `${(time / 1e6).toFixed(3)} s`);
      }
      // It goes back the same way to the beginning, and from there into the start-up.
      for (let i = 0; i < 3; i++) await press(page, 'ArrowLeft');
      await stepped(page, 0);
      await opening(page).waitFor();
      await press(page, 'ArrowLeft');
      assert.ok((await ahead(page)) < 0);
      await opening(page).waitFor({ state: 'detached' });
    });

  it('with a start-up that is a scenario of its own', async () => {
    const page = await visit();
    await load(page, 'start-up');
    assert.match(await said(page), /RunKubelet|Version/);
    assert.equal((await run(page)).steps, 1);
    await load(page, 'crash-loop');
    assert.match(await opening(page).innerText(), /The folder contains the manifest crash\.yaml/);
    await load(page, 'api-pod');
    assert.match(await opening(page).innerText(), /A pod web has been created in the API server/);
  });
});

describe('Space', () => {
  it('plays at a pace at which the pod’s way can be read, and real time is a choice', async () => {
    const page = await visit({ pace: 'follow' });
    await page.evaluate(() => {
      window.told = new Set();
      const line = document.querySelector('.sl-said');
      new MutationObserver(() => window.told.add(line.textContent)).observe(line, {
        subtree: true,
        childList: true,
        characterData: true,
      });
    });
    assert.equal(await page.locator('.sl-speed-text').innerText(), 'follow');
    await page.keyboard.press('Space');
    await page.waitForFunction(podRuns, undefined, { timeout: 120_000 });
    await page.keyboard.press('Space');
    await runs(page, false);
    const told = await page.evaluate(() => window.told.size);
    assert.ok(told >= 8, `${told} sentences`);
    await page.keyboard.press(']');
    await page.waitForFunction(() => window.__syncloop.run.speed.factor === 1);
    assert.match(await page.getByTestId('speed').getAttribute('aria-valuetext'), /^real time$/);
    await page.keyboard.press('[');
    await page.waitForFunction(() => window.__syncloop.run.speed.mode === 'follow');
  });

  it('runs after a click, whatever was clicked, and presses what the keyboard has come to', async () => {
    const page = await visit();
    await page.getByTestId('tab-records').click();
    assert.equal(await focusId(page), 'tab-records');
    await page.keyboard.press('Space');
    await runs(page, true);
    await page.keyboard.press('Space');
    await runs(page, false);
    await page.locator('#sl-bottom-body').waitFor();
    // A dialog that a click opened gives the focus back to the button.
    await page.getByRole('button', { name: 'All keys' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Space');
    await runs(page, true);
    await page.keyboard.press('Space');
    await runs(page, false);
    // By Tab there and back the same button is the keyboard's.
    await page.getByTestId('tab-records').click();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Shift+Tab');
    const open = await page.locator('#sl-bottom-body').count();
    await page.keyboard.press('Space');
    await page.waitForFunction((n) => (document.querySelector('#sl-bottom-body') ? 1 : 0) !== n, open);
    assert.equal((await run(page)).running, false);
  });

  it('runs the scenario that was just loaded by keyboard', async () => {
    const page = await visit();
    await page.keyboard.press('s');
    await page.getByTestId('load-crash-loop').focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.__syncloop.info.scenario === 'crash-loop' && window.__syncloop.idle());
    await page.waitForFunction(() => document.activeElement?.id === 'sl-main');
    await page.keyboard.press('Space');
    await runs(page, true);
  });
});

describe('what the page suggests', () => {
  it('does not fail: after a kill the scenario’s expectations rest, and its outcome stays that of the untouched run', async () => {
    const page = await visit();
    await until(page, () => window.__syncloop.run.outcome.state === 'passed');
    await tabTo(page, 'kill its container');
    await page.keyboard.press('Enter');
    await page.getByTestId('outcome').getByText('your own run').waitFor();
    await until(page, () => window.__syncloop.run.time > 40e6);
    assert.deepEqual((await run(page)).outcome, { state: 'resting', failures: [] });
    assert.equal(await page.getByText('not as expected').count(), 0);
    assert.equal(
      await page.evaluate(
        () => Object.values(window.__syncloop.state.containers).filter((c) => c.attempt === 1).length,
      ),
      1,
    );
    await page.keyboard.press('s');
    await page.getByTestId('outcome-hello').getByText('●').waitFor();
    // There is more to try on it.
    await page.getByTestId('try').waitFor();
  });

  it('is not suggested for a pod that crashes', async () => {
    const page = await visit();
    await load(page, 'crash-loop');
    await until(page, () => Object.values(window.__syncloop.state.containers).some((c) => c.attempt === 1));
    assert.equal(await page.getByTestId('try').count(), 0);
  });
});

describe('keys', () => {
  it('W with nothing selected asks why of what was just told', async () => {
    const page = await visit();
    await page.keyboard.press('Shift+ArrowRight');
    await idle(page);
    await page.keyboard.press('w');
    await page.getByTestId('inspector').getByTestId('why-chain').waitFor();
  });

  it('/ and a word, however fast they are typed, are a search', async () => {
    const page = await visit();
    await page.keyboard.type('/pleg');
    assert.equal(await page.locator('#sl-filter').inputValue(), 'pleg');
    assert.equal(await page.locator('#sl-left').count(), 0);
    await page.keyboard.press('Escape');
  });

  it('what is typed while the console is still loaded runs no command', async () => {
    const page = await visit();
    await page.keyboard.type('`srpl');
    await page.waitForFunction(() => document.activeElement?.id === 'sl-console-input');
    assert.equal(await page.locator('#sl-left').count(), 0);
    assert.equal(await ahead(page), 0);
  });
});

describe('at full speed', () => {
  it('narrator and clock say the same time, and a pause shows the moment', async () => {
    const page = await visit();
    await command(page, 'transport.setSpeed', { mode: 'max' });
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.__syncloop.run.time > 60e6);
    for (let i = 0; i < 5; i++) {
      const [narrator, clock] = await page.evaluate(() =>
        ['.sl-said-time', '.sl-time'].map((at) => document.querySelector(at).textContent),
      );
      assert.equal(narrator, clock);
      await page.evaluate(() => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then))));
    }
    await page.getByTestId('fast').waitFor();
    await page.keyboard.press('Space');
    await runs(page, false);
    // Nothing is skipped: the first sentence is at the run's position.
    const told = seconds(await page.locator('.sl-said-time').innerText());
    const { time, seq } = await run(page);
    assert.ok(told <= time / 1e6 + 0.001 && time / 1e6 - told < 1.5, `${told} of ${time / 1e6}`);
    assert.equal(await page.evaluate(() => window.__syncloop.state.seq), seq);
  });
});
