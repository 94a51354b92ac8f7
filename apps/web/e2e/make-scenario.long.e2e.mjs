/** A run is made a scenario: the page shows what goes along, and it runs again as it was. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, it } from 'node:test';
import { command, idle, open, run, savedFile, start } from './browser.mjs';

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
  if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}.png` });
  await page.getByTestId('make-run').click();
  await page.getByTestId('make-name').waitFor({ state: 'detached' });
  for (let i = 0; i < 7; i++) await command(page, 'transport.stepIteration');
  await idle(page);
  assert.equal((await run(page)).steps, steps);
  assert.equal(await state(), was);
});

const OBSERVED =
  'apiVersion: v1\nkind: Pod\nmetadata:\n  name: api\n  uid: abc\n  resourceVersion: "7"\nspec:\n  nodeName: n1\n  containers:\n  - name: api\n    image: nginx:1.27\nstatus:\n  phase: Running\n  containerStatuses:\n  - {name: api, ready: true, restartCount: 0, state: {running: {}}}\n';

for (const [locale, lost, nothing] of [
  ['en-GB', /from outside: 1; other choices of the schedule: 0; other branches: 1\./, /Nothing was done in it/],
  ['zh-CN', /外部做的事：1 件；调度上的其他选择：0 处；其他分支：1 个/, /没有做过任何事/],
])
  it(`asks before what was pasted replaces the run, and offers to keep that (${locale})`, async () => {
    const o = await open(stage, { locale });
    opened.push(o);
    const { page } = o;
    const scenario = () => page.evaluate(() => window.__syncloop.info.scenario);
    await command(page, 'scenario.fromPod', OBSERVED);
    await page.getByTestId('pasted-instead').filter({ hasText: nothing }).waitFor();
    assert.equal(await page.getByTestId('pasted-keep').count(), 0);
    await page.keyboard.press('Escape');
    await page.getByTestId('pasted-name').waitFor({ state: 'detached' });
    assert.equal(await scenario(), 'hello');

    for (let i = 0; i < 3; i++) await command(page, 'transport.stepIteration');
    await command(page, 'transport.backDecision');
    await command(page, 'faults.do', { fault: { relist: '2s' } });
    await idle(page);
    const { steps } = await run(page);
    await command(page, 'scenario.fromPod', OBSERVED);
    await page.getByTestId('pasted-instead').filter({ hasText: lost }).waitFor();
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}-pasted-${locale}.png` });
    // The run that is there can be kept as a file: the one that "Make this run a scenario" makes.
    const [saved] = await Promise.all([page.waitForEvent('download'), page.getByTestId('pasted-keep').click()]);
    assert.equal(saved.suggestedFilename(), 'hello-run.yaml');
    const kept = await readFile(await savedFile(saved), 'utf8');
    assert.match(kept, /name: hello-run\n/);
    assert.match(kept, /"?relist"?: ?"?2s/);
    assert.equal((await run(page)).steps, steps);
    await page.getByTestId('pasted-name').fill('Not a name');
    assert.equal(await page.getByTestId('pasted-run').isDisabled(), true);
    await page.getByTestId('pasted-name').fill('my-api');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.__syncloop.info.scenario === 'my-api');
    await page.getByTestId('pasted-name').waitFor({ state: 'detached' });
  });
