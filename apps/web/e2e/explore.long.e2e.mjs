/** Exploring schedules in a real browser: the form by keyboard, the result, and the way to step through it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { command, idle, load, onStage, run } from './browser.mjs';

const visit = onStage();
const focused = (page) => page.evaluate(() => document.activeElement?.getAttribute('data-testid'));
const open = async (page) => {
  await page.keyboard.press('Shift+X');
  await page.getByTestId('explore-form').waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute('data-testid') === 'explore-go');
};

describe('exploring', () => {
  it('finds a condition that comes true, by keyboard alone, and steps through the smallest schedule', async () => {
    const page = await visit();
    await load(page, 'unfair-select');
    const before = await run(page);
    await open(page);
    await page.getByTestId('explore-look').selectOption('never');
    await page.getByTestId('explore-condition').fill('kind = 3');
    await page
      .getByTestId('explore-form')
      .getByText(/expected an operator/)
      .waitFor();
    assert.equal(await page.getByTestId('explore-go').getAttribute('aria-disabled'), 'true');
    // Whatever a select with several ready cases takes first in the run as it is, another schedule takes another.
    await page.getByTestId('explore-condition').fill("kind == 'select' && len(ready) > 1 && channel.name == 'plegCh'");
    await page.getByTestId('explore-schedules').fill('12');
    await page.getByTestId('explore-schedules').press('Enter');
    await page.getByTestId('explore-summary').waitFor();
    assert.match(
      await page.getByTestId('explore-summary').textContent(),
      /^12 schedules of unfair-select from \d+\.\d+ s on/,
    );
    assert.equal(await page.getByTestId('explore-summary').getAttribute('data-ended'), 'done');
    // The session has not moved.
    const { seq, steps, branch } = await run(page);
    assert.deepEqual([seq, steps, branch], [before.seq, before.steps, 1]);
    assert.ok((await page.getByTestId('outcomes').locator('tbody tr').count()) > 0);

    const finding = page.locator('[data-testid^=finding-][data-testid$="-0"]').first();
    assert.match(await finding.textContent(), /Condition came true: .*plegCh/);
    await finding.getByTestId('smallest').waitFor();
    await page.getByTestId('finding-step-0').press('Enter');
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.branch > 1);
    const there = await run(page);
    assert.ok(there.seq < (await page.evaluate(() => window.__syncloop.run.end?.seq ?? Infinity)));
    await command(page, 'transport.stepDecision');
    await idle(page);
    assert.ok((await run(page)).steps > there.steps);
  });

  it('is stopped, and shows what it knows by then; the run goes on from where it stood', async () => {
    const page = await visit();
    await open(page);
    await page.getByTestId('explore-schedules').fill('100000');
    await page.getByTestId('explore-seconds').fill('3600');
    await page.getByTestId('explore-go').press('Enter');
    await page.getByTestId('explore-progress').waitFor();
    assert.equal(await page.getByTestId('explore-go').textContent(), 'Stop');
    assert.equal(await focused(page), 'explore-go');
    await page.waitForFunction(() => document.querySelector('[data-testid=explore-progress] progress')?.value >= 2);
    await page.getByTestId('explore-go').press('Enter');
    await page.getByTestId('explore-summary').waitFor();
    assert.equal(await page.getByTestId('explore-summary').getAttribute('data-ended'), 'stopped');
    await command(page, 'transport.stepDecision');
    await idle(page);
  });

  it('ends when its time is up', async () => {
    const page = await visit();
    await open(page);
    await page.getByTestId('explore-schedules').fill('100000');
    await page.getByTestId('explore-seconds').fill('1');
    await page.getByTestId('explore-go').press('Enter');
    await page.getByTestId('explore-summary').waitFor();
    assert.equal(await page.getByTestId('explore-summary').getAttribute('data-ended'), 'time');
  });

  it('leads to another ending, in Chinese too, and a rule of the kubelet has its sentence', async () => {
    const page = await visit({ locale: 'zh-CN' });
    await load(page, 'unfair-select');
    await command(page, 'view.explore');
    await page.getByTestId('explore-look').selectOption('invariant');
    assert.match(await page.getByTestId('explore-invariant').textContent(), /一个 Pod 最多只有一个就绪的沙箱/);
    await page.getByTestId('explore-look').selectOption('finally');
    await page.getByTestId('explore-example').selectOption('noRestart');
    await page.getByTestId('explore-schedules').fill('6');
    await page.getByTestId('explore-go').click();
    await page.getByTestId('explore-summary').waitFor();
    assert.match(await page.getByTestId('outcomes').textContent(), /原来的运行/);
    const steps = page.locator('[data-testid^=outcome-step-]');
    if ((await steps.count()) > 0) {
      await steps.first().click();
      await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.branch > 1);
    }
  });

  it('finds in an older kubelet what its design breaks, and steps there', async () => {
    const page = await visit();
    await load(page, 'killer-explore');
    await open(page);
    await page.getByTestId('explore-look').selectOption('invariant');
    await page.getByTestId('explore-invariant').selectOption('oneWorkerPerPod');
    await page.getByLabel('Stop at the first problem').check();
    await page.getByTestId('explore-schedules').fill('2000');
    await page.getByTestId('explore-seconds').fill('3600');
    await page.getByTestId('explore-seconds').press('Enter');
    await page.getByTestId('explore-summary').waitFor({ timeout: 120_000 });
    const finding = page.getByTestId('finding-0');
    assert.match(await finding.textContent(), /Rule broken: A pod has one worker at a time/);
    await finding.getByTestId('smallest').waitFor();
    await page.getByTestId('finding-step-0').press('Enter');
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.branch > 1);
    // The older kubelet is still the one that runs: a pod killer waits for requests.
    assert.ok(
      await page.evaluate(() => Object.values(window.__syncloop.state.channels).some((c) => c.name === 'podKillingCh')),
    );
  });

  it('is reached from the palette and the menu of the session', async () => {
    const page = await visit();
    await page.keyboard.press('Control+k');
    await page.getByTestId('palette-input').pressSequentially('explore schedules');
    await page.keyboard.press('Enter');
    await page.getByTestId('explore-form').waitFor();
    await page.keyboard.press('Shift+X');
    await page.getByTestId('explore-form').waitFor({ state: 'detached' });
  });
});
