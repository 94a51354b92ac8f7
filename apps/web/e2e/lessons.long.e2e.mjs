/**
 * The first lesson by keyboard alone: read, predict wrongly, try again, wander off and come back, be shown a solution;
 * and links to lessons.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { command, idle, onStage } from './browser.mjs';

const visit = onStage({ own: true });
const arrived = (page, step) =>
  page.locator(`.sl-lesson[data-phase=reading][data-step="${step}"] [data-known]`).waitFor();
const focused = (page) =>
  page.evaluate(() => document.activeElement?.getAttribute('data-testid') ?? document.activeElement?.tagName);
const said = (page) => page.getByTestId('lesson-said').textContent();

describe('the first lesson', () => {
  it('is taken by keyboard alone, with a wrong answer', async () => {
    const page = await visit();
    await page.getByTestId('lesson-invite').waitFor();
    await command(page, 'transport.setSpeed', { mode: 'max' });
    await page.keyboard.press('Control+k');
    await page.getByTestId('palette-input').pressSequentially('open the next lesson');
    await page.keyboard.press('Enter');
    await arrived(page, 1);
    assert.equal(await page.getByTestId('lesson-invite').count(), 0);
    assert.match(page.url(), /#lesson=syncloop$/);
    for (let step = 2; step <= 4; step++) {
      assert.equal(await focused(page), 'lesson-next');
      await page.keyboard.press('Enter');
      await arrived(page, step);
    }
    assert.match(await said(page), /^Step 4 of 13: Something to do/);
    await page.keyboard.press('n');
    await arrived(page, 5);

    // A question: nothing chosen, then the wrong one, marked by the run.
    assert.equal(await focused(page), 'INPUT');
    await page.keyboard.press('Enter');
    await page.getByText('Choose an answer first.').waitFor();
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await page.getByTestId('result').waitFor();
    assert.match(await said(page), /^Not so\. The operation decides/);
    assert.equal(await focused(page), 'lesson-next');
    const marks = page.getByTestId('result').locator('.sl-lesson-option');
    assert.match(await marks.nth(0).textContent(), /✗.*HandlePodSyncs.*your answer/);
    assert.match(await marks.nth(1).textContent(), /✓.*HandlePodAdditions.*right/);

    // Elsewhere in the run, and back.
    await page.keyboard.press('ArrowRight');
    await page.getByTestId('lesson-away').waitFor();
    await page.getByTestId('lesson-return').press('Enter');
    await page.getByTestId('lesson-away').waitFor({ state: 'detached' });
    await arrived(page, 5);
    await page.getByTestId('retake').press('Enter');
    await page.locator('[data-testid=question] input:enabled').first().waitFor();
    await page.waitForFunction(() => document.activeElement?.matches('input[type=radio]'));
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByTestId('result').waitFor();
    assert.match(await said(page), /^Right\./);

    for (let step = 6; step <= 9; step++) {
      await page.keyboard.press('Enter');
      await arrived(page, step);
    }
    // A number.
    await page.keyboard.type('400');
    await page.keyboard.press('Enter');
    await page.getByTestId('result').waitFor();
    assert.match(await said(page), /^Right\./);
    await page.keyboard.press('Enter');
    await arrived(page, 10);
    await page.keyboard.press('Shift+N');
    await arrived(page, 9);
    await page.keyboard.press('n');
    await arrived(page, 10);
    await page.keyboard.press('n');
    await arrived(page, 11);
    await page.getByTestId('lesson-skip').press('Enter');
    await arrived(page, 12);
    await page.getByTestId('exercise').getByText('not yet').first().waitFor();
    await page.getByTestId('hint-button').press('Enter');
    await page.getByText('Among the faults there is one').waitFor();
    // Criteria are sentences with how far one is; expressions are below a fold.
    const criteria = page.getByTestId('exercise').locator('.sl-lesson-checks > li');
    await criteria.nth(0).getByText('not yet · Errors that it sees: 1.').waitFor();
    assert.match(await criteria.nth(0).textContent(), /sees no error of the runtime any more\./);
    assert.match(await page.getByTestId('met').textContent(), /^0 of 2/);
    assert.equal(await page.getByText('len(state.runtime.errors) == 0').isVisible(), false);
    await page.locator('[data-testid=expressions] summary').press('Enter');
    await page.getByText('len(state.runtime.errors) == 0').waitFor();
    await page.getByTestId('solve').press('Enter');
    await page.getByTestId('solved').waitFor();
    assert.match(await page.getByTestId('met').textContent(), /^2 of 2/);
    for (const n of [0, 1]) assert.match(await criteria.nth(n).textContent(), /done at \d+\.\d+ s #\d+/);
    await page.getByTestId('lesson-next').press('Enter');
    await arrived(page, 13);
    await page.keyboard.press('n');
    await page.getByTestId('lesson-over').getByText('2 of your 2 predictions were right.').waitFor();
    await page.getByTestId('lesson-leave').press('Enter');
    assert.match(await page.getByTestId('state-syncloop').textContent(), /done/);
    assert.ok(!page.url().includes('lesson'));
  });
});

it('a link opens a lesson at its step, a reload goes on there, and a copied link carries it', async () => {
  const page = await visit({ hash: '#lesson=channels/3', permissions: ['clipboard-read', 'clipboard-write'] });
  await arrived(page, 3);
  await page.reload();
  await arrived(page, 3);
  await idle(page);
  await command(page, 'link.copy');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const other = await visit({ hash: new URL(link).hash });
  await arrived(other, 3);
  const at = (p) => p.evaluate(() => [window.__syncloop.run.seq, window.__syncloop.run.steps]);
  await idle(other);
  assert.deepEqual(await at(other), await at(page));
});

it('a post-mortem stands in its group, and leads to the issue that it tells of', async () => {
  const page = await visit();
  await page.getByRole('button', { name: 'Lessons', exact: true }).first().click();
  await page.getByText('Post-mortems', { exact: true }).waitFor();
  const other = await visit({ hash: '#lesson=postmortem-static-middle' });
  await arrived(other, 1);
  const link = other.getByRole('link', { name: /^Some static pods fail to start on K8S 1\.23/ });
  assert.equal(await link.getAttribute('href'), 'https://github.com/kubernetes/kubernetes/issues/107733');
  assert.equal(await link.getAttribute('target'), '_blank');
  assert.match(await link.getAttribute('rel'), /noopener/);
});

it('the lesson on pod workers plays one moment in two kubelets', async () => {
  const killer = (page) =>
    page.evaluate(() => Object.values(window.__syncloop.state.channels).some((c) => c.name === 'podKillingCh'));
  const page = await visit({ hash: '#lesson=workers-anew/10' });
  await arrived(page, 10);
  assert.equal(await killer(page), true);
  const anew = await visit({ hash: '#lesson=workers-anew/12', locale: 'zh-CN' });
  await arrived(anew, 12);
  assert.equal(await killer(anew), false);
  await anew.getByRole('heading', { name: '不可能：谁也没被遗忘' }).waitFor();
});
