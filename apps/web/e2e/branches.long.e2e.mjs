/** Branches, faults, links and the gallery of scenarios in a real browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { command, idle, onStage, run, until } from './browser.mjs';

const visit = onStage({ own: true });
const past = (page, seconds) => until(page, (s) => window.__syncloop.run.time > s * 1e6, seconds);
const back = async (page, decisions) => {
  for (let i = 0; i < decisions; i++) await command(page, 'transport.backDecision');
  await idle(page);
};

describe('faults', () => {
  it('of the API server: away, restarted or silent, by the keyboard', async () => {
    const page = await visit();
    await command(page, 'scenario.load', { name: 'api-restart' });
    await idle(page);
    for (const [how, said] of [
      ['unreachable', /the API server cannot be reached/i],
      ['restart', /the API server is restarted/i],
      ['silent', /the API server does not answer/i],
    ]) {
      await page.keyboard.press('x');
      await page.getByTestId('fault-form').waitFor();
      await page.getByTestId('fault-api').focus();
      await page.keyboard.press('Enter');
      await page.getByTestId('fault-field-how').selectOption(how);
      await page.getByTestId('fault-field-for').fill('2s');
      await page.getByTestId('fault-do').focus();
      await page.keyboard.press('Enter');
      await page.getByTestId('fault-form').waitFor({ state: 'detached' });
      await page.getByText(said).first().waitFor();
    }
  });
});

describe('branches', () => {
  it('begin with a fault in the past; the comparison leads to where they part', async () => {
    const page = await visit();
    await past(page, 6);
    await back(page, 20);
    const { seq } = await run(page);
    await page.keyboard.press('x');
    await page.getByTestId('fault-form').waitFor();
    await page.getByTestId('fault-criError').click();
    await page.getByTestId('fault-field-method').selectOption('ListContainers');
    await page.getByTestId('fault-field-times').fill('twice');
    await page.getByTestId('fault-do').click();
    assert.match(await page.getByTestId('fault-error').innerText(), /times: .*it must be a whole number/);
    assert.equal((await run(page)).branch, 1);
    await page.getByTestId('fault-field-times').fill('3');
    await page.getByTestId('fault-do').click();
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.branch === 2);
    await past(page, 9);

    await page.getByTestId('tab-branches').click();
    const other = page.getByTestId('branch-1');
    await other.getByRole('button', { name: 'Compare with main' }).click();
    const comparison = page.getByTestId('comparison');
    await comparison.getByText(`They differ after record #${seq}`).waitFor();
    await comparison.getByText('Calls of ListContainers for hello-node1 fail.').waitFor();
    // Both at one time, unless it is asked otherwise.
    assert.match(await page.getByTestId('compared-at').innerText(), /^Both at \d+\.\d+ s\.$/);
    await page.getByTestId('compare-ends').check();
    await page.waitForFunction(() =>
      / at \d.* at \d/.test(document.querySelector('[data-testid=compared-at]').textContent),
    );
    await page.getByTestId('compare-ends').uncheck();
    await page.waitForFunction(() =>
      document.querySelector('[data-testid=compared-at]').textContent.startsWith('Both at'),
    );
    await comparison
      .getByRole('button', { name: `#${seq + 1}` })
      .last()
      .click();
    await page.waitForFunction(
      (n) => window.__syncloop.idle() && window.__syncloop.run.branch === 1 && window.__syncloop.run.seq === n,
      seq + 1,
    );
    await page.getByTestId('inspector').waitFor();

    await page
      .getByTestId('branch-2')
      .getByRole('button', { name: /^Rename/ })
      .click();
    await page.getByLabel('Name of the branch').fill('lists fail');
    await page.keyboard.press('Enter');
    await page.getByTestId('branch-2').getByText('lists fail').waitFor();
    await page.getByRole('button', { name: 'Drop lists fail' }).click();
    await page.getByTestId('branch-2').waitFor({ state: 'detached' });
  });

  it('take the other case of a select that had a choice', async () => {
    const page = await visit();
    await command(page, 'scenario.load', { name: 'slow-runtime' });
    await idle(page);
    const choice = () => page.evaluate(() => window.__syncloop.state.loop);
    for (let i = 0; i < 150 && (await choice()).ready.length < 2; i++) {
      await command(page, 'transport.stepIteration');
      await idle(page);
    }
    const { ready, chosen, chosenSeq, cases } = await choice();
    assert.ok(ready.length > 1);
    await command(page, 'view.select', { kind: 'record', seq: chosenSeq });
    const other = cases[ready.find((i) => i !== chosen)];
    await page
      .getByTestId('other-cases')
      .getByRole('button', { name: `Take ${other} instead` })
      .click();
    await page.waitForFunction(
      ([n, c]) => {
        const { loop } = window.__syncloop.state;
        return window.__syncloop.idle() && loop.chosenSeq === n && loop.cases[loop.chosen] === c;
      },
      [chosenSeq, other],
    );
  });
});

describe('links', () => {
  it('open at the record at which they were taken: on the way, after interventions, in a branch', async () => {
    const page = await visit({ permissions: ['clipboard-read', 'clipboard-write'] });
    const takes = async (where) => {
      const there = await run(page);
      await command(page, 'view.select', { kind: 'record', seq: there.seq });
      await command(page, 'link.copy');
      await page.getByText('but only on this computer').last().waitFor();
      const link = await page.evaluate(() => navigator.clipboard.readText());
      const state = await page.evaluate(() => JSON.stringify(window.__syncloop.state));
      const again = await visit({ hash: new URL(link).hash });
      await again.waitForFunction((n) => window.__syncloop.idle() && window.__syncloop.run.seq === n, there.seq);
      const here = await run(again);
      assert.deepEqual([here.seq, here.steps], [there.seq, there.steps], where);
      assert.equal(await again.evaluate(() => JSON.stringify(window.__syncloop.state)), state, where);
      await again.getByTestId('inspector').getByText(`#${there.seq}`).first().waitFor();
      await again.close();
    };
    await past(page, 3);
    await takes('paused');
    await command(page, 'step.record');
    await idle(page);
    await takes('between two decisions');
    await command(page, 'try.kill');
    await idle(page);
    await takes('right after an intervention');
    await command(page, 'transport.stepIteration');
    await idle(page);
    await back(page, 3);
    await takes('back in the past');
    await command(page, 'branch.new');
    await command(page, 'transport.stepIteration');
    await idle(page);
    await takes('in a branch');
  });

  it('open the very moment, with what was selected', async () => {
    const page = await visit({ permissions: ['clipboard-read', 'clipboard-write'] });
    await past(page, 3);
    await command(page, 'view.select', { kind: 'part', part: 'pleg' });
    await page.getByTestId('menu-share').click();
    await page.getByTestId('item-link.copy').click();
    await page.getByText('The link is copied').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(link.length < 200, link);
    const there = await run(page);

    const again = await visit({ hash: new URL(link).hash });
    await again.waitForFunction((n) => window.__syncloop.idle() && window.__syncloop.run.seq === n, there.seq);
    await again.getByTestId('inspector').getByRole('heading', { name: 'PLEG' }).waitFor();
    // And in the address of a page that is open.
    await command(again, 'transport.restart');
    await again.waitForFunction((n) => window.__syncloop.idle() && window.__syncloop.run.seq < n, there.seq);
    await again.evaluate(() => {
      location.hash = `${location.hash}&again=1`;
    });
    await again.waitForFunction((n) => window.__syncloop.idle() && window.__syncloop.run.seq === n, there.seq);
  });

  it('that are no good are told of, and the page opens as always', async () => {
    for (const [hash, says] of [
      ['#run=v1.jnonsense', 'The link is damaged'],
      ['#run=v7.x', 'later version'],
    ]) {
      const page = await visit({ hash });
      await page.getByText(says).waitFor();
      assert.equal((await page.evaluate(() => window.__syncloop.info)).scenario, 'hello');
    }
  });
});

it('the gallery finds a scenario, loads it and remembers how it came out', async () => {
  const page = await visit();
  await page.getByTestId('open-scenarios').click();
  await page.getByTestId('scenario-filter').fill('crash');
  await page.getByTestId('load-crash-loop').click();
  await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.info.scenario === 'crash-loop');
  await command(page, 'transport.setSpeed', { mode: 'max' });
  await command(page, 'transport.toggle');
  await page.getByTestId('outcome-crash-loop').getByText('as expected').waitFor();
});
