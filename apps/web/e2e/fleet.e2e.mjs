/** Logs of several nodes on the page: lanes on one clock, what they share, a node's debugger and back. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onStage } from './browser.mjs';
import { drop, fleet, read } from './dropped.mjs';

const names = (page) => page.getByTestId('fleet-lane').locator('strong').allInnerTexts();
const isRead = (page) => page.getByTestId('fleet-reading').waitFor({ state: 'detached' });

describe('logs of several nodes', () => {
  const visit = onStage();

  it('are lanes on one clock, from which a node opens at its incident, and back', async () => {
    const page = await visit();
    await drop(page, ...fleet(12));
    await page.getByTestId('fleet-lane').first().waitFor();
    await isRead(page);
    assert.equal(await page.getByTestId('fleet-count').innerText(), '12 of 12 nodes');
    assert.match(await page.getByTestId('fleet-verdict').innerText(), /nodes lost the API server between/);
    // A shared cause: only its nodes, the first of them first.
    const cause = page.getByTestId('fleet-cause').first();
    await cause.click();
    const [, of] = /^1\s+(\d+) nodes lost/.exec(await cause.innerText()) ?? [];
    assert.equal(await page.getByTestId('fleet-count').innerText(), `${of} of 12 nodes`);
    await page.getByTestId('fleet-sort').selectOption('first');
    const [first] = await names(page);
    await page.getByTestId('fleet-lanes').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    const details = page.getByTestId('fleet-details');
    assert.match(await details.innerText(), new RegExp(`^${first}\\b`));
    assert.match(await details.innerText(), /Its clock (agrees|is )|The offset of its clock/);
    const time = await details.locator('[aria-current] button').innerText();
    await page.keyboard.press('Enter');
    await page.getByTestId('fleet-lanes').waitFor({ state: 'detached' });
    await page.waitForFunction(
      (node) => document.querySelector('[data-testid=observed-nodes-choice]')?.value === node,
      first,
    );
    await read(page);
    // The run stands at the incident, of which the node's own clock may say another time.
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.state.time > 0, null, {
      timeout: 10_000,
    });
    assert.match(time, /^\d\d:\d\d:\d\d$/);
    assert.match(await page.getByTestId('findings').innerText(), /could not be reached/);
    await page.getByTestId('observed-fleet').click();
    await details.waitFor();
    assert.equal((await names(page)).length, Number(of));
  });
});
