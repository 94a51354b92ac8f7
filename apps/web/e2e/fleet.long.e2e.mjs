/** More of `fleet.e2e.mjs`: many nodes, and one alone. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onStage } from './browser.mjs';
import { drop, fleet, read } from './dropped.mjs';

describe('logs of several nodes', () => {
  const visit = onStage();

  it('stay quick when they are many: only lanes in sight are drawn', async () => {
    const page = await visit();
    await drop(page, ...fleet(60, 4));
    await page.getByTestId('fleet-lane').first().waitFor();
    await page.getByTestId('fleet-reading').waitFor({ state: 'detached' });
    assert.ok((await page.getByTestId('fleet-lane').count()) < 45);
    await page.getByTestId('fleet-lanes').focus();
    await page.keyboard.press('End');
    await page.getByTestId('fleet-lane').locator('strong', { hasText: 'node-060' }).waitFor();
    await page.getByTestId('fleet-search').fill('node-037');
    assert.deepEqual(await page.getByTestId('fleet-lane').locator('strong').allInnerTexts(), ['node-037']);
  });

  it('of one node are no fleet', async () => {
    const page = await visit();
    const [[, log]] = fleet(8);
    await drop(page, ['kubelet.log', log]);
    await read(page);
    assert.equal(await page.getByTestId('fleet-lanes').count(), 0);
    // Its key has nothing to show.
    await page.keyboard.press('Shift+O');
    assert.equal(await page.locator('dialog[open]').count(), 0);
  });
});
