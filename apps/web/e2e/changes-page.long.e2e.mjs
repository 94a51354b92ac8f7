/** The page of changes in a real browser: its address, search, cards, and the runs that show a change. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { command, idle, onStage } from './browser.mjs';

const visit = onStage();

const hash = (page) => page.evaluate(() => location.hash);
/** Waits until the address bar has this fragment. */
const at = (page, fragment) => page.waitForFunction((f) => location.hash === f, fragment);
const card = (page, id) => page.getByTestId(`change-${id}`);
const opener = (page, id) => card(page, id).getByRole('button').first();

describe('the page of changes', () => {
  it('opens by key, menu and palette, takes the address, and gives it back', async () => {
    const page = await visit();
    const before = await hash(page);
    await page.keyboard.press('Shift+H');
    const search = page.getByTestId('changes-search');
    await search.waitFor();
    await at(page, '#changes');
    assert.equal(await search.evaluate((e) => e === document.activeElement), true);

    // A change by the keyboard: its title is a button.
    await opener(page, 'pod-killer').focus();
    await page.keyboard.press('Enter');
    await card(page, 'pod-killer').getByText('Why it was changed').waitFor();
    await at(page, '#changes=pod-killer');
    await page.keyboard.press('Enter');
    await at(page, '#changes');
    await page.keyboard.press('Escape');
    await search.waitFor({ state: 'detached' });
    await at(page, before);

    await page.getByRole('button', { name: 'Session' }).click();
    await page.getByRole('menuitem', { name: 'What changed between versions' }).click();
    await search.waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+K');
    // The changes are there since the page was open.
    await page.keyboard.type('podKillingCh');
    await page.getByRole('option', { name: /v1\.22: The pod killer and podKillingCh are gone/ }).click();
    await at(page, '#changes=pod-killer');
  });

  it('opens by its address at a change, with its code then and now', async () => {
    const page = await visit({ hash: '#changes=pod-killer' });
    const change = card(page, 'pod-killer');
    await change.getByText('podKillingCh', { exact: true }).first().waitFor();
    assert.equal(await opener(page, 'pod-killer').getAttribute('aria-expanded'), 'true');
    const link = change.getByRole('link', { name: /#102344/ });
    assert.equal(await link.getAttribute('href'), 'https://github.com/kubernetes/kubernetes/pull/102344');
    await change.getByTestId('changes-code').locator('summary').click();
    const [then, now] = [change.locator('figure').nth(0), change.locator('figure').nth(1)];
    assert.match(await then.innerText(), /podKiller\.KillPod in v1\.21[\s\S]*eras\/v1\.21\/pod-killer\.ts/);
    assert.match(await now.innerText(), /SyncTerminatingPod in v1\.25[\s\S]*syncTerminatingPod/);
    // A link to another change that is put into the address bar.
    await page.evaluate(() => {
      location.hash = '#changes=grace-floor';
    });
    await card(page, 'grace-floor').getByText('Why it was changed').waitFor();
    assert.equal(await opener(page, 'pod-killer').getAttribute('aria-expanded'), 'false');
  });

  it('finds a function of an article, and says what became of it', async () => {
    const page = await visit({ hash: '#changes' });
    const search = page.getByTestId('changes-search');
    const count = page.getByTestId('changes-count');
    await search.fill('managePodLoop');
    await count.filter({ hasText: /^2 changes$/ }).waitFor();
    assert.match(await page.getByTestId('changes-name').innerText(), /managePodLoop[\s\S]*Now podWorkerLoop/);
    // The change that did it is open.
    await card(page, 'worker-signal').getByText('Why it was changed').waitFor();
    await search.fill('no such thing');
    await page.getByText('No change is known for “no such thing”.').waitFor();
    await page.getByRole('button', { name: 'Show all changes' }).click();
    await card(page, 'restore').waitFor();
    await page.getByTestId('changes-part').selectOption('pleg');
    await card(page, 'restore').waitFor({ state: 'detached' });
    await card(page, 'relist-on-demand').waitFor();
    await page
      .getByTestId('changes-timeline')
      .getByRole('button', { name: /^v1\.36: \d+ changes$/ })
      .click();
    assert.equal(await page.evaluate(() => document.activeElement.id), 'changes-v1.36');
  });

  it('runs a change before and since, at the moment that shows it', async () => {
    const page = await visit({ hash: '#changes=pod-killer' });
    const channels = () =>
      page.evaluate(() => Object.values(window.__syncloop.state.channels).map((channel) => channel.name));
    await page.getByTestId('run-pod-killer-v1.21').click();
    await page.getByTestId('changes-search').waitFor({ state: 'detached' });
    await idle(page);
    assert.equal(await page.evaluate(() => window.__syncloop.info.scenario), 'graceful-delete');
    assert.equal(await page.evaluate(() => window.__syncloop.info.era), 'v1.21');
    assert.ok((await channels()).includes('podKillingCh'));
    await page.getByText('this is v1.21, before the change').waitFor();
    await page.getByRole('button', { name: 'Back to the changes' }).click();
    await page.getByTestId('run-pod-killer-v1.36').click();
    await page.getByTestId('changes-search').waitFor({ state: 'detached' });
    await idle(page);
    await page.getByText('this is v1.36, with the change').waitFor();
    assert.ok(!(await channels()).includes('podKillingCh'));
    assert.equal(await page.evaluate(() => window.__syncloop.state.pods !== undefined), true);
  });

  it('is where “since v1.31” of the graph and the Source tab lead', async () => {
    const page = await visit();
    await command(page, 'change.run', { change: 'dispatch-gone', era: 'v1.25' });
    await idle(page);
    await page.waitForFunction(() => window.__syncloop.info.era === 'v1.25');
    await page
      .getByTestId('channel-containerManager')
      .getByRole('button', { name: 'containerManager: since v1.31. Why it was added' })
      .click();
    await card(page, 'container-manager-channel').getByText('Why it was changed').waitFor();
    await page.keyboard.press('Escape');
    // The loop waits in syncLoopIteration, whose changes are next to its code.
    await command(page, 'view.select', { kind: 'part', part: 'loop' });
    await page.keyboard.press('u');
    await page
      .getByTestId('source-changes')
      .getByRole('button', { name: 'v1.21: Readiness and startup results come into the loop' })
      .click();
    await at(page, '#changes=probe-channels');
  });

  it('fits a phone, speaks Chinese, and is printed with every change open', async () => {
    const page = await visit({ hash: '#changes', locale: 'zh-CN', viewport: { width: 390, height: 844 } });
    await page.getByRole('heading', { name: 'kubelet 从 v1.12 到 v1.36 的变化' }).waitFor();
    const wide = await page
      .locator('.sl-changes-page')
      .evaluate((e) =>
        [...e.querySelectorAll('.sl-changes-list, .sl-changes-head')].some((x) => x.scrollWidth > x.clientWidth),
      );
    assert.equal(wide, false, 'something is wider than the phone');
    await page.emulateMedia({ media: 'print' });
    await card(page, 'restore').getByText('为什么改').waitFor();
    assert.equal(await page.getByTestId('changes-timeline').isVisible(), false);
    assert.equal(await page.locator('.sl-rail, .sl-main').first().isVisible(), false);
  });
});
