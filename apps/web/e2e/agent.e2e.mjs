/** The page where a token sends it to an agent. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { open, start } from './browser.mjs';

let stage;
before(async () => {
  stage = await start();
});
after(async () => {
  await stage?.close();
});

it('takes the token out of the address, says what to do when nobody answers, and offers the simulation', async () => {
  const { page, close } = await open(stage, { hash: '#token=wrong', ready: false });
  await page.getByTestId('banner').getByText('does not answer').waitFor();
  assert.doesNotMatch(page.url(), /token/);
  assert.match(await page.getByTestId('banner').innerText(), /open the URL it prints/);
  await page.getByTestId('banner').getByRole('button').click();
  await page.waitForFunction(() => window.__syncloop.idle());
  assert.equal(await page.evaluate(() => window.__syncloop.run.running), false);
  await page.reload();
  await page.waitForFunction(() => window.__syncloop?.idle());
  await close();
});
