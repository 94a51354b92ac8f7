/**
 * Long work can be stopped: by Escape, by the button, by loading something else; a reload asks before it starts over.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ahead, command, idle, onStage, run } from './browser.mjs';

const visit = onStage({ expected: /the server responded with a status of 404|worker/ });

const linkOf = (moment) => `#run=v2.j${Buffer.from(JSON.stringify(moment)).toString('base64url')}`;
/** A run that goes on for very long. */
const FAR = 5_000_000;
const LONG = linkOf({ s: 'hello', n: 5, p: [FAR, Number.MAX_SAFE_INTEGER], b: 'far away' });

/** Runs in the worker before its own code: a command with that seed never ends, like a program in an endless loop. */
const HANGING = 666;
const HANG = `self.addEventListener('message', ({ data }) => {
  if (data?.command?.do === 'load' && data.command.seed === ${HANGING} && data.command.to?.step > 0) for (;;);
  if (data?.command?.do === 'go' && data.command.to.time === ${HANGING}) for (;;);
});\n`;
const HUNG = linkOf({ s: 'hello', n: HANGING, p: [500, 0], o: [[10, 1000, 'a', 'a note']] });

/** A page whose worker can be hung. */
async function hangable(options = {}) {
  const page = await visit({ ready: false, ...options, hash: '', serviceWorkers: 'block' });
  await page.route('**/session-worker*.js', async (route) => {
    const response = await route.fetch();
    const [, program] = /"\.\/([^"]+)"/.exec(await response.text());
    await page.route(`**/${program}`, async (its) => {
      const code = await its.fetch();
      await its.fulfill({ response: code, body: HANG + (await code.text()) });
    });
    await route.fulfill({ response });
  });
  await page.reload();
  await page.waitForFunction(() => window.__syncloop?.idle());
  return page;
}
const openLink = (page, hash) =>
  page.evaluate((h) => {
    location.hash = h;
  }, hash);
const held = (page) => page.getByTestId('held');
const focus = (page) => page.evaluate(() => document.activeElement?.dataset.testid || document.activeElement?.id);

describe('a link to a moment that is far away', () => {
  it('says how far it has come, and is stopped by Escape where it is; the run goes on from there', async () => {
    const page = await visit({ ready: false, hash: LONG });
    await held(page)
      .getByText(/Loading the run has taken \d+ s so far\./)
      .waitFor();
    await held(page)
      .getByText(/It is at decision [\d,]+ of 5,000,000/)
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByText(/Stopped\. The run is at decision [\d,]+, and can go on/).waitFor();
    await idle(page);
    await held(page).waitFor({ state: 'detached' });
    const { steps } = await run(page);
    assert.ok(steps > 1000 && steps < FAR, `${steps}`);
    assert.equal((await page.evaluate(() => window.__syncloop.info)).seed, 5);
    await page.keyboard.press('Alt+ArrowRight');
    await idle(page);
    assert.equal((await run(page)).steps, steps + 1);
    await command(page, 'view.branches');
    await page.getByTestId('branch-1').getByText('far away').waitFor();
  });

  it('is stopped by the button, too, and in Chinese', async () => {
    const page = await visit({ ready: false, hash: LONG, locale: 'zh-CN' });
    await held(page)
      .getByText(/现在到第 [\d,]+ 步决策（共 5,000,000 步）/)
      .waitFor();
    await page.getByTestId('held-stop').click();
    await page.getByText(/已停止。运行停在第 [\d,]+ 步决策/).waitFor();
    await idle(page);
    assert.equal(await focus(page), 'sl-main');
  });

  it('gives way to another scenario at once', async () => {
    const page = await visit({ ready: false, hash: LONG });
    await held(page).waitFor();
    await command(page, 'scenario.load', { name: 'crash-loop' });
    await idle(page);
    assert.equal((await page.evaluate(() => window.__syncloop.info)).scenario, 'crash-loop');
    assert.equal(await ahead(page), 0);
  });

  it('is not run again by a reload before the user has said so', async () => {
    const page = await visit({ ready: false, hash: LONG });
    await held(page)
      .getByText(/has taken/)
      .waitFor();
    await page.reload();
    await held(page).getByText('This link did not finish loading last time.').waitFor();
    await page.waitForFunction(() => document.activeElement?.dataset.testid === 'held-start');
    assert.equal(await ahead(page), 0);
    // Left as it is, it is asked about again.
    await page.keyboard.press('Escape');
    await held(page).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByTestId('held-again').click();
    await held(page)
      .getByText(/has taken/)
      .waitFor();
    await page.reload();
    await held(page).getByText('This link did not finish loading last time.').waitFor();
    await page.keyboard.press('Enter');
    await held(page).waitFor({ state: 'detached' });
    // The session before it is at decision 0, too.
    await page.waitForFunction(() => window.__syncloop.info?.seed === 5);
    await idle(page);
    assert.equal((await run(page)).steps, 0);
    // It has been opened: now a reload comes back to it without asking.
    await page.keyboard.press('ArrowRight');
    await idle(page);
    await page.waitForFunction(() => sessionStorage.getItem('syncloop.moment') !== null);
    await page.reload();
    await page.getByText('The page is as it was before the reload.').waitFor();
    assert.equal(await held(page).count(), 0);
  });
});

describe('a session that does not react', () => {
  it('is ended by Escape for certain, and its link can be opened at its start, with what it brings', async () => {
    const page = await hangable();
    await openLink(page, HUNG);
    await held(page)
      .getByText(/The simulation has not reacted for \d+ s\./)
      .waitFor();
    await page.keyboard.press('Escape');
    await held(page).getByText('The simulation did not react, so it was ended.').waitFor();
    // There is a session all the while, and the first answer has the focus.
    await idle(page);
    await page.waitForFunction(() => document.activeElement?.dataset.testid === 'held-start');
    await page.keyboard.press('Enter');
    await page.getByText(/It brings 1 note/).waitFor();
    await idle(page);
    assert.deepEqual([(await run(page)).steps, (await page.evaluate(() => window.__syncloop.info)).seed], [0, HANGING]);
    await page.waitForFunction(() => document.activeElement?.id === 'sl-main');
  });

  it('is ended where it was playing, and the run is opened again up to where it was, with what was done to it', async () => {
    const page = await hangable();
    await command(page, 'scenario.load', { name: 'crash-loop', seed: 3 });
    for (let i = 0; i < 4; i++) await command(page, 'transport.stepIteration');
    await command(page, 'faults.do', { fault: { relist: '2s' } });
    await command(page, 'transport.stepIteration');
    await idle(page);
    const { steps } = await run(page);
    const state = await page.evaluate(() => JSON.stringify(window.__syncloop.state));
    await page.waitForFunction(() => sessionStorage.getItem('syncloop.moment') !== null);
    await page.waitForTimeout(600);
    void command(page, 'transport.go', { time: HANGING }).catch(() => {});
    await page.getByTestId('held-stop').click();
    await page.getByTestId('held-there').click();
    await page.waitForFunction((n) => window.__syncloop.idle() && window.__syncloop.run.steps === n, steps);
    assert.equal(await page.evaluate(() => JSON.stringify(window.__syncloop.state)), state);
  });

  it('makes way for another scenario without being asked about, and a reload asks about the link', async () => {
    const page = await hangable();
    await openLink(page, HUNG);
    await held(page).waitFor();
    await command(page, 'scenario.load', { name: 'crash-loop' });
    await idle(page);
    assert.equal((await page.evaluate(() => window.__syncloop.info)).scenario, 'crash-loop');

    const other = await hangable();
    await openLink(other, HUNG);
    await held(other).waitFor();
    await other.reload();
    await held(other).getByText('This link did not finish loading last time.').waitFor();
    assert.equal(await ahead(other), 0);
  });
});
