/** A run is made a scenario: what goes along is said, and it runs again as it was. */
import assert from 'node:assert/strict';
import { after, afterEach, before, it } from 'node:test';
import { command, idle, open, run, start } from './browser.mjs';

let stage;
let opened = [];
before(async () => {
  stage = await start();
});
after(async () => {
  await stage?.close();
});
afterEach(async () => {
  const problems = opened.flatMap((o) => o.problems);
  for (const o of opened) await o.close();
  opened = [];
  assert.deepEqual(problems, []);
});

it('says what goes along and what cannot, and gives the same run again', async () => {
  const o = await open(stage);
  opened.push(o);
  const { page } = o;
  await command(page, 'scenario.load', { name: 'crash-loop', seed: 3 });
  for (let i = 0; i < 6; i++) await command(page, 'transport.stepIteration');
  await command(page, 'faults.do', { fault: { relist: '2s' } });
  await command(page, 'transport.stepIteration');
  await command(page, 'breakpoint.put', { id: 'died', on: 'pleg-event', type: 'ContainerDied' });
  await idle(page);
  const { steps } = await run(page);
  const state = () => page.evaluate(() => JSON.stringify(window.__syncloop.state));
  const was = await state();
  await command(page, 'scenario.fromRun');
  await page.getByTestId('make-goes').filter({ hasText: 'crash-loop' }).filter({ hasText: '1' }).waitFor();
  await page.getByTestId('make-stays').filter({ hasText: 'Breakpoints: 1' }).waitFor();
  await page.getByTestId('make-name').fill('Not a name');
  assert.equal(await page.getByTestId('make-save').isDisabled(), true);
  await page.getByTestId('make-name').fill('slow-relist');
  await page.waitForFunction(() =>
    document.querySelector('[data-testid=make-text]')?.value.includes('\n  name: slow-relist\n'),
  );
  if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT });
  await page.getByTestId('make-run').click();
  await page.getByTestId('make-name').waitFor({ state: 'detached' });
  for (let i = 0; i < 7; i++) await command(page, 'transport.stepIteration');
  await idle(page);
  assert.equal((await run(page)).steps, steps);
  assert.equal(await state(), was);
});
