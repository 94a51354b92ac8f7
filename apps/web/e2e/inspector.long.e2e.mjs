/** Why, Changed and History in a real browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { command, idle, onStage, run } from './browser.mjs';

const visit = onStage();

async function stepUntil(page, condition) {
  for (let i = 0; i < 400 && !(await page.evaluate(condition)); i++) {
    await command(page, 'transport.stepDecision');
    await idle(page);
  }
  assert.ok(await page.evaluate(condition), `${condition}`);
}

/** The crash-loop scenario, right after its container was started again. */
async function crashed(options) {
  const page = await visit(options);
  await command(page, 'scenario.load', { name: 'crash-loop' });
  await idle(page);
  // Near to it at once, then decision by decision.
  await command(page, 'inspector.goTo', 700);
  const started = () =>
    Object.values(window.__syncloop.state.containers).find((c) => c.attempt === 1 && c.state === 'running');
  await stepUntil(page, started);
  await command(page, 'view.select', null);
  const found = await page.evaluate(started);
  return { page, inspector: page.getByTestId('inspector'), container: found };
}

describe('why', () => {
  it('tells the chain from the exit to the restart; a link is a record to go to, and back', async () => {
    const { page, inspector, container } = await crashed();
    await command(page, 'view.select', { kind: 'container', id: container.id });
    await page.keyboard.press('w');
    const links = page.getByTestId('why-chain').getByRole('listitem');
    await links.first().waitFor();
    const brief = await links.count();
    assert.ok(brief >= 5 && brief <= 12, `${brief} links`);
    const text = await page.getByTestId('why-chain').innerText();
    for (const name of ['exited with code 1', 'ContainerDied', 'ShouldContainerBeRestarted', 'StartContainer'])
      assert.ok(text.includes(name), `${name} in ${text}`);
    assert.match(await links.first().innerText(), /began here: runtime fact/);
    assert.match(await links.last().innerText(), /asked about/);

    await inspector.getByText('ShouldContainerBeRestarted', { exact: true }).click();
    await inspector.getByText('restartPolicy Always').last().waitFor();
    await inspector.getByRole('button', { name: 'full', exact: true }).click();
    await page.waitForFunction((n) => document.querySelectorAll('.sl-rung').length > n, brief);

    await links.first().getByRole('button').first().click();
    await inspector.getByRole('heading', { name: /actual-container #/ }).waitFor();
    await page.keyboard.press('Backspace');
    await inspector.getByRole('heading', { name: 'app' }).waitFor();
  });

  it('goes in time to a link; what then lies ahead says so', async () => {
    const { page, inspector, container } = await crashed();
    const { seq: end } = await run(page);
    await command(page, 'view.select', { kind: 'container', id: container.id });
    await page.keyboard.press('w');
    await page
      .getByTestId('why-chain')
      .getByRole('button', { name: /^Go in time/ })
      .first()
      .click();
    await page.waitForFunction((n) => window.__syncloop.idle() && window.__syncloop.run.seq < n, end);
    const { seq } = await run(page);
    await inspector.getByRole('heading', { name: `#${seq}` }).waitFor();
    await command(page, 'view.select', { kind: 'record', seq: end });
    await inspector.getByText(`Record ${end} is after`).waitFor();
    await inspector.getByRole('button', { name: /^Go there in time/ }).click();
    await page.waitForFunction((n) => window.__syncloop.idle() && window.__syncloop.run.seq === n, end);
  });

  it('asks why not: the reasons, and where the first comes from', async () => {
    const { page, container } = await crashed();
    await command(page, 'inspector.goTo', 980);
    await stepUntil(page, () =>
      Object.values(window.__syncloop.state.pods).some((p) => Object.values(p.backoffs).some((b) => b.active)),
    );
    await command(page, 'view.select', { kind: 'container', id: container.id });
    await page.keyboard.press('w');
    await page
      .getByRole('group', { name: 'Why not' })
      .getByRole('button', { name: /not started again/ })
      .click();
    const findings = page.getByTestId('why-findings');
    await findings.waitFor();
    assert.match(await findings.innerText(), /is not restarted before .* back-off of 10 s/);
    await page.getByTestId('why-chain').getByText('must wait until').waitFor();
  });
});

describe('changed and history', () => {
  it('shows what a step changed, who wrote it, and the history of a field', async () => {
    const { page, inspector } = await crashed();
    await page.keyboard.press('d');
    const changed = page.getByTestId('changed');
    await changed.waitFor();
    const range = await changed.getByText(/^Records/).innerText();
    await command(page, 'transport.stepIteration');
    await page.waitForFunction(
      (before) => ![...document.querySelectorAll('[data-testid=changed] p')].some((p) => p.innerText === before),
      range,
    );
    const row = changed.locator('.sl-change', { hasText: 'iteration' }).first();
    await row.getByRole('button', { name: /^#\d+|Select record/ }).waitFor();
    const [was, now] = await row
      .locator('.sl-change-values')
      .evaluate((e) => [
        Number(e.querySelector('del')?.lastChild?.textContent),
        Number(e.querySelector('ins')?.lastChild?.textContent),
      ]);
    assert.equal(now, was + 1);
    await row.getByRole('button', { name: 'iteration' }).click();
    const history = page.getByTestId('field-history');
    await history.waitFor();
    assert.match(await history.getByRole('listitem').first().innerText(), new RegExp(`\\b${now}$`));

    const path = page.getByTestId('history-path');
    await path.fill('pds["x"].phase');
    await path.press('Enter');
    await inspector.getByRole('alert').getByText('did you mean "pods"').waitFor();
  });

  it('takes a field from the tree of values, and asks why it is so', async () => {
    const { page, inspector, container } = await crashed();
    await command(page, 'view.select', { kind: 'pod', uid: container.uid });
    await inspector.getByRole('tab', { name: 'What' }).click();
    await inspector.getByRole('button', { name: 'All values' }).click();
    await inspector.getByRole('button', { name: 'History of phase' }).first().click();
    const history = page.getByTestId('field-history');
    await history.getByText('Last written by').waitFor();
    assert.match(await history.innerText(), /Running[\s\S]*Pending/);
    await history.getByRole('button', { name: 'Why is it so?' }).click();
    await page.getByTestId('why-chain').getByText('The manifest crash.yaml is applied.').waitFor();
  });

  it('fits a phone, and shows a goroutine with its calls', async () => {
    const { page, inspector } = await crashed({
      viewport: { width: 360, height: 720 },
      hasTouch: true,
      isMobile: true,
    });
    const loop = await page.evaluate(() => window.__syncloop.state.loop.g);
    await command(page, 'view.select', { kind: 'goroutine', id: loop });
    await page.getByTestId('goroutine').getByText('syncLoopIteration').waitFor();
    for (const tab of ['Why', 'Changed', 'History', 'What']) {
      await inspector.getByRole('tab', { name: tab }).tap();
      await page.waitForTimeout(100);
      const wide = await inspector.evaluate((e) => {
        const scroll = e.querySelector('.sl-scroll');
        return scroll ? scroll.scrollWidth - scroll.clientWidth : 0;
      });
      assert.ok(wide <= 1, `${tab} is ${wide} px too wide`);
    }
  });
});
