/** 110 pods as a strip that is worked with the keyboard, and the graph as an outline. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command, idle, onStage } from './browser.mjs';

const visit = onStage();

test('many pods fold into a strip; a cell unfolds by the keyboard, and the outline finds what the filter asks for', async () => {
  const page = await visit();
  await command(page, 'scenario.load', { name: 'full-node' });
  await idle(page);
  await command(page, 'transport.setSpeed', { mode: 'max' });
  await command(page, 'transport.toggle');
  await page.waitForFunction(() => Object.values(window.__syncloop.state.pods).some((p) => p.phase === 'Running'));
  await command(page, 'transport.toggle');
  await idle(page);

  const cells = page.getByTestId('lanes').locator('[data-uid]');
  assert.equal(await cells.count(), 110);
  const { seq } = await page.evaluate(() => window.__syncloop.run);
  await cells.first().focus();
  // The arrows move in the strip; the run stays at its position.
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  assert.match(await page.locator(':focus').getAttribute('aria-label'), /^web-8-node1, /);
  assert.match(await page.getByTestId('strip-detail').innerText(), /^web-8-node1/);
  await page.keyboard.press('Enter');
  await page.getByTestId('lane-web-8-node1').waitFor();
  assert.equal(await page.locator(':focus').getAttribute('aria-expanded'), 'true');
  await page.keyboard.press('Enter');
  assert.equal(await page.getByTestId('lane-web-8-node1').count(), 0);
  assert.equal((await page.evaluate(() => window.__syncloop.run)).seq, seq);

  await page.keyboard.press('o');
  const outline = page.getByTestId('outline');
  await outline.getByText('Pod workers').waitFor();
  await page.keyboard.press('/');
  await page.waitForFunction(() => document.activeElement?.id === 'sl-filter');
  await page.keyboard.type('api-7-node1 sandbox');
  const found = outline.getByRole('treeitem', { name: /api-7-node1.*sandbox: ready/ });
  await found.waitFor();
  await found.focus();
  await page.keyboard.press('Enter');
  assert.match(await page.getByTestId('inspector').innerText(), /api-7-node1/);
});
