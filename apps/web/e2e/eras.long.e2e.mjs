/** The version of the kubelet in a real browser: chosen in the header, kept by links and reloads, two compared. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { command, idle, load, onStage, run, savedFile } from './browser.mjs';

const visit = onStage({ own: true });

const era = (page) => page.evaluate(() => window.__syncloop.info.era ?? 'v1.36');
const isEra = (page, version) =>
  page.waitForFunction((v) => window.__syncloop.idle() && (window.__syncloop.info.era ?? 'v1.36') === v, version);
const ask = (page, asked) => page.evaluate((c) => window.__syncloop.ask(c), asked);
/** Goes to a time of the run, and is there. */
async function goTo(page, seconds) {
  await ask(page, { do: 'go', to: { time: seconds * 1e6 } });
  await idle(page);
}
/** Returns the interventions by hand, and their times. */
const done = async (page) => {
  const { interventions = [] } = await ask(page, { do: 'spec' });
  return interventions.map(({ time, command: c }) => [time, c]);
};
const standsAt = (page, seq) =>
  page.waitForFunction((s) => window.__syncloop.idle() && window.__syncloop.run.seq === s, seq);

describe('the version of the kubelet', () => {
  it('is chosen in the header: scenario, seed, time and what was done by hand stay', async () => {
    const page = await visit();
    await load(page, 'graceful-delete');
    await goTo(page, 2);
    await ask(page, { do: 'act', action: { network: 'notReady' } });
    await goTo(page, 6);
    const before = await run(page);
    const byHand = await done(page);
    assert.equal(byHand.length, 1);

    const choice = page.getByTestId('era');
    assert.equal(await choice.inputValue(), 'v1.36');
    await choice.selectOption('v1.21');
    await isEra(page, 'v1.21');
    const after = await run(page);
    assert.equal(after.time, before.time);
    assert.equal(await page.evaluate(() => window.__syncloop.info.scenario), 'graceful-delete');
    assert.deepEqual(await done(page), byHand);
    assert.equal((await ask(page, { do: 'spec' })).era, 'v1.21');
    assert.match(await page.getByTestId('outcome').innerText(), /no verdict/);
    assert.match(await page.getByTestId('outcome').getAttribute('title'), /written for the kubelet v1\.36/);
    await page.getByText('The scenario is written for v1.36, so its expectations are not checked.').waitFor();

    // Undone, and chosen back: the very run that was left.
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await isEra(page, 'v1.36');
    assert.deepEqual([(await run(page)).seq, (await run(page)).branch], [before.seq, before.branch]);
    await choice.selectOption('v1.21');
    await isEra(page, 'v1.21');
    assert.equal((await run(page)).seq, after.seq);
    await choice.selectOption('v1.36');
    await isEra(page, 'v1.36');
    assert.equal((await run(page)).seq, before.seq);
  });

  it('is in links, kept by a reload, and kept by a recording, where it is fixed', async () => {
    const page = await visit({ permissions: ['clipboard-read', 'clipboard-write'] });
    await load(page, 'hello');
    await goTo(page, 3);
    await page.getByTestId('era').selectOption('v1.12');
    await isEra(page, 'v1.12');
    const there = await run(page);
    await command(page, 'link.copy');
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(link, /#run=v4\./);
    await page.waitForFunction(() => Object.values(sessionStorage).some((kept) => kept.includes('"moment":"v4.')));
    await page.reload();
    await page.getByText('The page is as it was before the reload.').waitFor();
    await isEra(page, 'v1.12');
    assert.equal((await run(page)).seq, there.seq);

    const other = await visit({ hash: new URL(link).hash });
    await isEra(other, 'v1.12');
    await standsAt(other, there.seq);
    assert.equal(await other.getByTestId('era').inputValue(), 'v1.12');

    const [download] = await Promise.all([other.waitForEvent('download'), command(other, 'recording.save')]);
    const chooser = other.waitForEvent('filechooser');
    const opened = command(other, 'files.choose');
    await (await chooser).setFiles(await savedFile(download));
    await opened;
    await other.getByTestId('era-fixed').waitFor();
    assert.equal(await other.getByTestId('era-fixed').innerText(), 'v1.12');
    assert.match(await other.getByTestId('era-fixed').getAttribute('title'), /was recorded with v1\.12/);
  });

  it('is reached by keyboard and by the palette', async () => {
    const page = await visit();
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.type('kubelet v1.25');
    await page.getByRole('option', { name: /Run this with the kubelet v1\.25/ }).waitFor();
    await page.keyboard.press('Enter');
    await isEra(page, 'v1.25');
    const choice = page.getByTestId('era');
    await choice.focus();
    await page.keyboard.press('ArrowDown');
    await isEra(page, 'v1.32');
    assert.equal(await choice.inputValue(), 'v1.32');
  });

  it('is fixed in a lesson, and says so', async () => {
    const page = await visit({ hash: '#lesson=crash-loop' });
    await page.waitForFunction(() => document.querySelector('[data-testid="era"]')?.disabled === true);
    assert.match(await page.locator('.sl-era').getAttribute('title'), /is written for v1\.36\. Leave the lesson/);
    await command(page, 'lesson.leave');
    await page.waitForFunction(() => document.querySelector('[data-testid="era"]')?.disabled === false);
  });

  it('leaves the run alone where its code cannot be loaded, and says what to do', async () => {
    const page = await visit({ expected: /Failed to load resource|net::ERR_FAILED/ });
    await load(page, 'hello');
    await goTo(page, 3);
    const before = await run(page);
    const missing = /assets\/v1\.21-.*\.js/;
    await page.context().route(missing, (route) => route.abort());
    await page.getByTestId('era').selectOption('v1.21');
    await page.getByText(/could not be loaded .*try again, or reload the page/).waitFor();
    await page.waitForFunction(() => document.querySelector('[data-testid="era"]')?.value === 'v1.36');
    assert.equal(await era(page), 'v1.36');
    assert.deepEqual(await run(page), before);
    // Once it is available, the same choice succeeds.
    await page.context().unroute(missing);
    await page.getByTestId('era').selectOption('v1.21');
    await isEra(page, 'v1.21');
  });

  it('is compared with another: the first difference, why, and both moments', async () => {
    const page = await visit();
    await load(page, 'graceful-delete');
    const before = await run(page);
    await page.keyboard.press('Shift+E');
    await page.getByTestId('eras-compare').click();
    const difference = page.getByTestId('eras-difference');
    await difference.waitFor();
    assert.match(
      await difference.innerText(),
      /The first difference · CRI calls\s+At 14 s v1\.21 called StopContainer for app/,
    );
    assert.match(await page.getByTestId('eras-why').innerText(), /A pod is killed once since v1\.22/);
    assert.equal(
      await page.getByRole('link', { name: '#102344' }).first().getAttribute('href'),
      'https://github.com/kubernetes/kubernetes/pull/102344',
    );
    await page.getByTestId('eras-change').click();
    await page.getByRole('heading', { name: 'A pod is killed once' }).waitFor();
    await page.keyboard.press('Escape');
    // To look moves nothing.
    assert.equal((await run(page)).seq, before.seq);
    assert.equal(await era(page), 'v1.36');

    await page.getByTestId('eras-first-loop').click();
    assert.match(await difference.innerText(), /only v1\.36 has containerManager/);
    assert.ok((await page.getByTestId('eras-sides').getByRole('row').count()) > 20);

    // The moment in the other run, and in this one.
    await page.getByTestId('eras-first-call').click();
    await page.getByTestId('eras-go-v1.21').click();
    await isEra(page, 'v1.21');
    await page
      .getByText('The kubelet asks the runtime: StopContainer for container app of deaf-node1.')
      .first()
      .waitFor();
    assert.ok((await run(page)).time > 14e6);
    await page.getByTestId('eras-go-v1.36').click();
    await isEra(page, 'v1.36');
    assert.ok((await run(page)).time > 12e6);
    // The comparison is still there: it is of the same run.
    assert.match(await difference.innerText(), /v1\.21 called StopContainer/);
  });

  it('has the pod killer in the graph where it had one, and nowhere else', async () => {
    const page = await visit();
    await load(page, 'graceful-delete');
    await command(page, 'view.level.loop');
    const box = page.getByTestId('podKiller');
    const probes = page.locator('.react-flow__node[data-id="probes"]');
    const rect = () => probes.evaluate((e) => [e.offsetWidth, e.offsetHeight, e.style.transform]);
    const wires = () =>
      page.locator('[data-wire*="podKiller"]').evaluateAll((all) => all.map((e) => e.dataset.wire).sort());
    await goTo(page, 9);
    assert.equal(await box.count(), 0);
    const before = await rect();
    assert.deepEqual(await wires(), []);
    for (const version of ['v1.12', 'v1.21']) {
      await page.getByTestId('era').selectOption(version);
      await isEra(page, version);
      await goTo(page, 9);
      await box.getByText('deaf-node1').waitFor();
      assert.match(await box.innerText(), /podKillingCh\s+0\/50\s+deaf-node1\s+4\.9 s/);
      assert.deepEqual(await wires(), [
        'HandlePodCleanups-podKiller',
        'HandlePodRemoves-podKiller',
        'podKiller-runtime',
      ]);
      // The worker's function has the name that it had then.
      await page.getByTestId('lane-deaf-node1').getByText('syncPod', { exact: true }).waitFor();
    }

    for (const version of ['v1.25', 'v1.36']) {
      await page.getByTestId('era').selectOption(version);
      await isEra(page, version);
      await box.waitFor({ state: 'detached' });
    }
    assert.deepEqual(await rect(), before);
    assert.deepEqual(await wires(), []);

    // By keyboard: its values, its source, a breakpoint on its channel, its line in the outline.
    await page.getByTestId('era').selectOption('v1.21');
    await isEra(page, 'v1.21');
    const title = box.getByRole('button', { name: 'pod killer', exact: true });
    await title.focus();
    await page.keyboard.press('Enter');
    await page.getByTestId('inspector').getByRole('heading', { name: 'pod killer' }).waitFor();
    await page
      .getByText('Pods that are being killed apart from their workers: 1; waiting in podKillingCh: 0.')
      .waitFor();
    await page.keyboard.press('u');
    await page.getByTestId('source').getByRole('heading', { name: 'PerformPodKillingWork' }).waitFor();
    await page.keyboard.press('u');
    await box.getByRole('button', { name: 'podKillingCh', exact: true }).click();
    await command(page, 'breakpoint.toggle');
    await command(page, 'view.breakpoints');
    await page.getByTestId('breakpoint-b1').getByText('podKillingCh').first().waitFor();
    await command(page, 'view.outline');
    await page
      .getByRole('treeitem', { name: /^Pod killer/ })
      .first()
      .waitFor();

    // With less room it is in another place, and on a phone in a row of its own.
    for (const [width, height] of [
      [1000, 760],
      [390, 844],
    ]) {
      await page.setViewportSize({ width, height });
      await box.getByText('deaf-node1').waitFor();
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('fits a phone', async () => {
    const page = await visit({ viewport: { width: 390, height: 844 } });
    await load(page, 'graceful-delete');
    await page.getByTestId('era').selectOption('v1.21');
    await isEra(page, 'v1.21');
    await command(page, 'view.eras');
    await page.getByTestId('eras-compare').click();
    await page.getByTestId('eras-difference').waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  });
});
