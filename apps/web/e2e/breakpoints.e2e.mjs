/** Stepping and breakpoints in a real browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { command, onStage, run } from './browser.mjs';

const visit = onStage({ shared: true, frames: 'seldom' });
/** Runs as fast as it can until it is at a breakpoint. */
async function runToHit(page) {
  await command(page, 'transport.setSpeed', { mode: 'max' });
  await command(page, 'transport.toggle');
  await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.hits?.length > 0);
}

describe('breakpoints', () => {
  it('are made with the form, stop the run, are named, counted and found, and outlive a reload', async () => {
    const page = await visit();
    await page.keyboard.press('k');
    await page.getByTestId('breakpoint-new').click();
    const form = page.getByTestId('breakpoint-form');
    await form.getByLabel('method').fill('StartContainer');
    const condition = page.getByTestId('breakpoint-condition');
    await condition.fill("knd == 'cri-call'");
    await form.getByText('did you mean "kind"').waitFor();
    await condition.fill('');
    await condition.pressSequentially('meth');
    await page.getByRole('listbox').getByText('method', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await condition.pressSequentially(' == "StartContainer"');
    await page.keyboard.press('Enter');
    await page.getByTestId('breakpoint-b1').waitFor();

    await runToHit(page);
    await page.getByTestId('hit').getByText('CRI call StartContainer').waitFor();
    await page.getByTestId('breakpoint-b1').getByText('stopped here').waitFor();
    await page.getByTestId('breakpoint-b1').getByText('hit once').waitFor();
    const { seq } = await run(page);

    await page.getByTestId('find-b1').click();
    await page.getByTestId('found').getByText('Found: 1').waitFor();
    await page.keyboard.press('Escape');
    await command(page, 'transport.backIteration');
    await page.waitForFunction((s) => window.__syncloop.idle() && window.__syncloop.run.seq < s, seq);
    await page.getByTestId('known-end').waitFor();
    await command(page, 'view.breakpoints');
    await page
      .getByTestId('found')
      .getByRole('button', { name: `${seq}` })
      .click();
    await page.waitForFunction((s) => window.__syncloop.idle() && window.__syncloop.run.seq === s, seq);

    await page.reload();
    await page.getByText('The page is as it was before the reload.').waitFor();
    await page.waitForFunction(() => window.__syncloop?.idle());
    await page.getByTestId('breakpoint-b1').waitFor();
    await command(page, 'transport.restart');
    await runToHit(page);
    assert.equal((await run(page)).seq, seq);
    await command(page, 'breakpoint.remove', 'b1');
    await page.getByTestId('breakpoint-b1').waitFor({ state: 'detached' });
  });

  it('are toggled with B on what is selected, and in the head of the inspector', async () => {
    const page = await visit();
    await page.getByTestId('channel-configCh').getByRole('button').first().click();
    await page.keyboard.press('b');
    const button = page.getByTestId('break-on');
    await page.waitForFunction(
      () => document.querySelector('[data-testid=break-on]')?.getAttribute('aria-pressed') === 'true',
    );
    await runToHit(page);
    assert.match(await page.getByTestId('hit').innerText(), /operation on configCh/);
    await button.click();
    await page.waitForFunction(
      () => document.querySelector('[data-testid=break-on]')?.getAttribute('aria-pressed') === 'false',
    );
  });

  it('write as logpoints and let it run', async () => {
    const page = await visit();
    await command(page, 'breakpoint.put', { id: 'b1', on: 'worker', log: 'worker {pod} becomes {record.state}' });
    await command(page, 'view.breakpoints');
    await command(page, 'transport.go', { time: 3_000_000 });
    await page.getByTestId('written').getByText('worker default/hello-node1 becomes sync').waitFor();
    await command(page, 'breakpoint.remove', 'b1');
  });
});

describe('steps', () => {
  it('of every kind are in a menu, both ways, and a field goes anywhere', async () => {
    const page = await visit();
    await page.getByTestId('other-steps').click();
    const start = (await run(page)).seq;
    await page.getByTestId('step-cri').click();
    await page.waitForFunction((s) => window.__syncloop.idle() && window.__syncloop.run.seq > s, start);
    const first = (await run(page)).seq;
    await page.getByTestId('step-cri').click();
    await page.waitForFunction((s) => window.__syncloop.idle() && window.__syncloop.run.seq > s, first);
    await page.getByTestId('back-cri').click();
    await page.waitForFunction((s) => window.__syncloop.idle() && window.__syncloop.run.seq === s, first);
    await page.getByTestId('go-to').fill('soon');
    await page.keyboard.press('Enter');
    await page.getByText('This is not a time.').waitFor();
    await page.getByTestId('go-to').fill('2.5 s');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.time >= 2_500_000);
    await page.keyboard.press('Escape');
    await page.getByTestId('steps-panel').waitFor({ state: 'detached' });
  });

  it('go from status change to status change of a pod, and to the end', async () => {
    const page = await visit();
    await command(page, 'transport.go', { time: 4_000_000 });
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.time >= 4_000_000);
    const end = (await run(page)).seq;
    await page.getByTestId('lane-hello-node1').getByRole('button').first().click();
    await page.evaluate(() => document.activeElement?.blur());
    await command(page, 'transport.previousStatus');
    await page.waitForFunction((s) => window.__syncloop.idle() && window.__syncloop.run.seq < s, end);
    const last = (await run(page)).seq;
    await command(page, 'transport.previousStatus');
    await page.waitForFunction((s) => window.__syncloop.idle() && window.__syncloop.run.seq < s, last);
    await command(page, 'transport.nextStatus');
    await page.waitForFunction((s) => window.__syncloop.idle() && window.__syncloop.run.seq === s, last);
    await page.getByTestId('to-end').click();
    await page.waitForFunction((s) => window.__syncloop.idle() && window.__syncloop.run.seq === s, end);
  });
});
