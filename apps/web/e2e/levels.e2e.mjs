/** The graph's three levels of detail, folding, following and the small map, in a real browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { command, idle, onStage } from './browser.mjs';

const visit = onStage({ shared: true, frames: 'seldom' });
const STORY = ['desired', 'inputs', 'choice', 'handler', 'workers', 'node', 'pleg', 'status'];
/** Returns a node's place and size in the world. */
const placeOf = (page, id) =>
  page
    .locator(`.react-flow__node[data-id="${id}"]`)
    .evaluate((e) => [e.style.transform, e.offsetWidth, e.offsetHeight]);

describe('levels', () => {
  it('go by 1, 2 and 3; the Loop stays where it is when everything is shown around it', async () => {
    const page = await visit();
    await page.getByTestId('pleg').waitFor();
    const places = async () => Promise.all(['channels', 'lanes', 'pleg', 'cri'].map((id) => placeOf(page, id)));
    const before = await places();
    await page.keyboard.press('3');
    await page.getByTestId('extra-absent').waitFor();
    assert.deepEqual(await places(), before);
    // Far away a box shows its name alone; a double click brings it near.
    const step = page.getByTestId('extra-startup').getByText('RunKubelet');
    await step.waitFor({ state: 'hidden' });
    await page.getByTestId('extra-startup').dblclick();
    await step.waitFor();
    assert.deepEqual(await places(), before);
    for (let i = 0; i < 2; i++) await command(page, 'transport.stepIteration');
    await page.getByTestId('extra-runtimeUp').getByText('RuntimeReady').waitFor();
    // The parts around the loop: started in their order, and each explained when it is selected.
    await page.getByTestId('extra-node').getByText('Ready', { exact: false }).first().waitFor();
    await page.getByTestId('extra-managers').getByRole('button', { name: 'containerManager' }).waitFor();
    await command(page, 'view.select', { kind: 'part', part: 'cgroups' });
    await page.getByTestId('around-notes').getByText('3:QOS-12').waitFor();
    await command(page, 'view.select', null);
    await page.getByTestId('extra-goroutines').getByRole('button', { name: 'genericPLEG' }).waitFor();
    await page.keyboard.press('1');
    for (const box of STORY) await page.getByTestId(`story-${box}`).waitFor();
    assert.equal(await page.getByTestId('pleg').count(), 0);
    // Zooming leads through the levels, too: in, and out again.
    for (let i = 0; i < 2; i++) await page.keyboard.press('+');
    await page.getByTestId('pleg').waitFor();
    assert.deepEqual(await places(), before);
    await page.keyboard.press('-');
    await page.getByTestId('extra-absent').waitFor();
    assert.deepEqual(await places(), before);
    for (let i = 0; i < 5; i++) await page.keyboard.press('-');
    await page.getByTestId('story-status').waitFor();
    await page.reload();
    await page.getByTestId('story-status').waitFor();
    assert.equal(await page.getByTestId('level-story').getAttribute('aria-pressed'), 'true');
  });

  it('show the Story over the whole width of a phone, and what runs in it', async () => {
    const page = await visit({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    for (const box of STORY) {
      const at = await page.getByTestId(`story-${box}`).boundingBox();
      assert.ok(at && at.x >= 0 && at.x + at.width <= 390, `${box} ${JSON.stringify(at)}`);
    }
    const first = await page.getByTestId('story-desired').boundingBox();
    const second = await page.getByTestId('story-inputs').boundingBox();
    assert.ok((first?.width ?? 0) + (second?.width ?? 0) > 390 * 0.8);
    await page.getByTestId('toggle').tap();
    await page.getByTestId('story-node').getByRole('button', { name: 'app running' }).waitFor();
    await page.getByTestId('level-loop').tap();
    await page.getByTestId('channel-configCh').waitFor();
  });
});

describe('on the graph', () => {
  it('boxes fold to their titles, stay where they are, and are remembered', async () => {
    const page = await visit();
    const call = page.getByTestId('cri').getByText('ListPodSandbox').first();
    const before = await placeOf(page, 'cri');
    await call.waitFor();
    await page.getByTestId('fold-cri').click();
    await call.waitFor({ state: 'detached' });
    assert.deepEqual(await placeOf(page, 'cri'), before);
    await page.reload();
    assert.equal(await page.getByTestId('fold-cri').getAttribute('aria-expanded'), 'false');
    await command(page, 'view.unfoldAll');
    await call.waitFor();
  });

  it('an item is followed from its channel to the container; the small map moves the view', async () => {
    const page = await visit();
    await page.evaluate(async () => {
      const s = window.__syncloop;
      const until = async (done) => {
        for (let i = 0; i < 800 && !done(); i++) await s.command('transport.stepDecision');
      };
      // While the loop cleans up, new items wait for it.
      await until(() => s.state.loop.handler === 'HandlePodCleanups');
      const text =
        'apiVersion: v1\nkind: Pod\nmetadata:\n  name: dropped\nspec:\n  containers:\n    - name: a\n      image: localhost/busybox:dev\n';
      await s.command('manifest.apply', { file: 'dropped.yaml', text });
      await until(() => Object.values(s.state.channels).some((c) => c.name === 'configCh' && c.items.length > 0));
    });
    await idle(page);
    await page.getByTestId('channel-configCh').getByRole('button').nth(1).click();
    const chip = page.getByTestId('follow-chip');
    await chip.getByText('ADD dropped-node1').waitFor();
    // Before the loop takes it, the channel, the select and the handler to come are outlined.
    await page.evaluate(async () => {
      const s = window.__syncloop;
      for (let i = 0; i < 400 && s.run.next !== 'syncLoop: configCh'; i++) {
        await s.command('transport.stepDecision');
        while (!s.idle()) await new Promise((done) => setTimeout(done, 2));
      }
    });
    await idle(page);
    await page.getByTestId('next-mark').nth(2).waitFor();
    await page.keyboard.press('Space');
    await page.waitForFunction(() =>
      Object.values(window.__syncloop.state.pods).some((p) => p.phase === 'Running' && p.pod.includes('dropped')),
    );
    await chip.getByText(/now at: (?!configCh)/).waitFor();
    await page.keyboard.press('Space');
    await idle(page);
    await page.getByTestId('follow-mark').waitFor();
    await chip.getByRole('button', { name: 'Stop' }).click();
    await chip.waitFor({ state: 'detached' });

    await page.getByTestId('minimap-toggle').click();
    await page.getByTestId('legend-toggle').click();
    await page.getByTestId('legend').getByText('failure').waitFor();
    const view = () => page.locator('.react-flow__viewport').getAttribute('style');
    await page.getByTestId('fit').click();
    const before = await view();
    await page
      .getByTestId('minimap')
      .locator('svg')
      .click({ position: { x: 6, y: 6 } });
    await page.waitForFunction(
      (was) => document.querySelector('.react-flow__viewport')?.getAttribute('style') !== was,
      before,
    );
    await page.getByTestId('fit').click();
    assert.equal(await view(), before);
  });
});
