/**
 * A lesson for readers of articles: its names are stopped at, ticked, and kept; a later part runs on another version.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { command, idle, onStage } from './browser.mjs';

const visit = onStage();
const arrived = (page, step) =>
  page.locator(`.sl-lesson[data-phase=reading][data-step="${step}"] [data-known]`).waitFor();
const row = (page, name) => page.getByTestId(`name-${name}`);
const met = (page, name) => page.locator(`[data-testid="name-${name}"][data-met="true"]`).waitFor();

describe('a lesson for readers of articles', () => {
  it('stops at a name by keyboard, shows its source of that version, and leads back', async () => {
    const page = await visit({ hash: '#lesson=article-channels/10' });
    await arrived(page, 10);
    const before = await page.evaluate(() => window.__syncloop.run.seq);
    await row(page, 'deletePod').getByRole('button').press('Enter');
    await met(page, 'deletePod');
    await page.getByTestId('lesson-away').waitFor();
    await page.getByText('kubelet/eras/v1.21/handlers.ts').first().waitFor();
    assert.match(await page.getByTestId('names-met').textContent(), /^1 of 6/);
    assert.match(await page.getByTestId('all-names').locator('summary').textContent(), /\(1 of \d+ stopped at\)/);
    // It goes to another name, then back to the lesson's position.
    await row(page, 'podKiller').getByRole('button').press('Enter');
    await met(page, 'podKiller');
    await page.getByTestId('lesson-return').press('Enter');
    await page.getByTestId('lesson-away').waitFor({ state: 'detached' });
    await arrived(page, 10);
    await idle(page);
    assert.equal(await page.evaluate(() => window.__syncloop.run.seq), before);
    // The breakpoint is kept.
    await page.reload();
    await arrived(page, 10);
    await met(page, 'deletePod');
    // The list of all names leads to the step of each.
    await page.getByTestId('all-names').locator('summary').press('Enter');
    await page.getByRole('button', { name: 'SyncHandler, in step 8' }).press('Enter');
    await arrived(page, 8);
    assert.match(await row(page, 'SyncHandler').textContent(), /not in this run/);
    assert.equal(await row(page, 'SyncHandler').getByRole('button').count(), 0);
  });

  it('goes on in a run of today, and back to that of the article', async () => {
    const page = await visit({ hash: '#lesson=article-channels/14' });
    await arrived(page, 14);
    await command(page, 'transport.setSpeed', { mode: 'max' });
    const era = () => page.evaluate(() => window.__syncloop.info?.era ?? null);
    assert.equal(await era(), 'v1.12');
    await page.getByTestId('lesson-next').press('Enter');
    await arrived(page, 15);
    assert.equal(await era(), null);
    await row(page, 'readinessManager').getByRole('button').press('Enter');
    await met(page, 'readinessManager');
    await page.getByTestId('lesson-previous').press('Enter');
    await arrived(page, 14);
    assert.equal(await era(), 'v1.12');
  });

  it('stands in its group, in both languages, and tells who makes a call of the CRI', async () => {
    const page = await visit({ locale: 'zh-CN', viewport: { width: 390, height: 800 } });
    await command(page, 'view.lessons');
    await page.getByText('写给读过源码文章的人', { exact: true }).waitFor();
    const other = await visit({ hash: '#lesson=article-cri/2' });
    await arrived(other, 2);
    assert.match(await row(other, 'RunPodSandbox').textContent(), /Called by createPodSandbox\./);
  });
});
