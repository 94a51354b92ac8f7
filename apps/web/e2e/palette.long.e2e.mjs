/** The palette: its offers at a moment, its results for people's words, its memory; and the tabs. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { command, idle, load, onStage, run } from './browser.mjs';

const visit = onStage();
const openPalette = async (page, typed = '') => {
  await page.keyboard.press('Control+k');
  await page.getByTestId('palette-input').waitFor();
  if (typed !== '') await page.getByTestId('palette-input').fill(typed);
};
/** Each group as its heading and the titles below it. */
const groups = (page) =>
  page
    .getByRole('listbox')
    .evaluate((list) =>
      [...list.querySelectorAll('[role=group]')].map((group) => [
        group.querySelector('[role=presentation]').textContent,
        ...[...group.querySelectorAll('.sl-palette-title')].map((e) => e.textContent),
      ]),
    );
const first = async (page) => (await groups(page))[0]?.[1];
const crashing = async (page) => {
  await load(page, 'crash-loop');
  await command(page, 'transport.go', { time: 40e6 });
  await idle(page);
};

describe('the palette', () => {
  it('offers first what fits what is selected, and a pod that does not run well', async () => {
    const page = await visit();
    await crashing(page);
    await openPalette(page);
    assert.deepEqual((await groups(page))[0].slice(0, 2), ['At this moment', 'Why does crash-node1 not run well?']);
    await page.keyboard.press('Enter');
    await page.getByTestId('why-chain').waitFor();
    await openPalette(page);
    const [now] = await groups(page);
    assert.equal(now[1], 'Why: what led to what is selected');
    assert.equal(now[2], 'Breakpoint on what is selected');
    assert.ok(now.includes('Logs of crash-node1'), now.join());
  });

  it('finds what people type', async () => {
    const page = await visit();
    await crashing(page);
    for (const [typed, found] of [
      ['restart', 'Restart the scenario'],
      ['logs of crash', 'Logs of crash-node1'],
      ['slow', 'Slower'],
      ['step back', 'Step back to the thing before'],
      ['dark mode', 'Theme: dark'],
      ['crash-node1', 'crash-node1'],
      ['probe', null],
      ['go to 12 s', 'Go to 12 s'],
      ['深色', 'Theme: dark'],
      ['why', 'Why does crash-node1 not run well?'],
    ]) {
      await openPalette(page, typed);
      if (found === null) await page.getByText('Scenarios', { exact: true }).last().waitFor();
      else await page.waitForFunction((f) => document.querySelector('.sl-palette-title')?.textContent === f, found);
      await page.keyboard.press('Escape');
    }
    await openPalette(page, 'go to 12 s');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.time <= 12e6);
    assert.ok((await run(page)).time > 10e6);
  });

  it('remembers what was used, and says why something cannot be done', async () => {
    const page = await visit();
    await openPalette(page, 'legend');
    await page.keyboard.press('Enter');
    await page.reload();
    await page.waitForFunction(() => window.__syncloop?.idle());
    await openPalette(page);
    assert.deepEqual(
      (await groups(page)).find(([heading]) => heading === 'Recently used'),
      ['Recently used', 'Legend of colours and signs'],
    );
    await page.getByTestId('palette-input').fill('undo');
    const undo = page.getByRole('option', { name: 'Undo (there is nothing to undo)' });
    await undo.waitFor();
    assert.equal(await undo.getAttribute('aria-disabled'), 'true');
  });

  it('answers to any name of the source, to a line of the log and to headings', async () => {
    const page = await visit();
    await crashing(page);
    for (const [typed, answer] of [
      ['syncLoopIteration', 'syncLoopIteration: its place on the map and its source'],
      ['lastSyncTime', 'lastSyncTime is used in GetNewerThan: its place on the map and its source'],
      ['dispatchWork', /^What became of dispatchWork: Gone: the handlers call podWorkers.UpdatePod/],
      ['PortForward', /^PortForward \(not simulated: kubectl port-forward comes through/],
      [
        'I0101 00:00:01.000000       1 kubelet.go:2700] "SyncLoop ADD" source="file" pods=["default/crash-node1"]',
        'Stop at SyncLoop ADD: log line "SyncLoop ADD"',
      ],
      ['4. image garbage collection', 'In the graph: image manager'],
      ['syncLoop 主循环', 'syncLoop: its place on the map and its source'],
    ]) {
      await openPalette(page, typed);
      await page.getByText(answer).first().waitFor();
      if (typeof answer === 'string') assert.equal(await first(page), answer);
      await page.keyboard.press('Escape');
    }
    await openPalette(page, 'computePodActions');
    await page.keyboard.press('Enter');
    await page.getByTestId('source').getByRole('heading', { name: 'computePodActions' }).waitFor();
    // Its column of the pod's lane comes into sight next to the panel.
    await page.waitForFunction(() => {
      const column = [...document.querySelectorAll('.sl-graph .react-flow__node-lanes *')].find(
        (e) => e.childElementCount === 0 && e.textContent === 'computePodActions',
      );
      const panel = document.querySelector('.sl-inspector').getBoundingClientRect();
      return column && column.getBoundingClientRect().right < panel.left;
    });
    await openPalette(page, 'HandlePodSyncs');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('The run will stop at: handler HandlePodSyncs').waitFor();
    await openPalette(page, 'HandlePodSyncs');
    await page.getByText('A breakpoint is set for HandlePodSyncs: handler HandlePodSyncs').waitFor();
    await page.keyboard.press('Escape');
    await openPalette(page, 'managePodLoop');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.__syncloop.idle() && document.body.textContent.includes('v1.25'));
    await page.getByText('The run will stop at: call of managePodLoop').waitFor();
  });

  it('speaks Chinese', async () => {
    const page = await visit({ locale: 'zh-CN' });
    await crashing(page);
    await openPalette(page);
    assert.deepEqual((await groups(page))[0].slice(0, 2), ['此刻', 'crash-node1 为什么运行不正常？']);
    for (const [typed, found] of [
      ['日志', '日志'],
      ['跳到 12 秒', '跳到 12 s'],
      ['dark', '主题：深色'],
      ['syncLoopIteration', 'syncLoopIteration：它在图中的位置和源码'],
      ['2.5. housekeepingCh', '停在 housekeepingCh：操作 housekeepingCh'],
    ]) {
      await page.getByTestId('palette-input').fill(typed);
      await page.waitForFunction((f) => document.querySelector('.sl-palette-title')?.textContent === f, found);
    }
    assert.ok(await first(page));
  });
});

it('no tab repeats what the rail has', async () => {
  const page = await visit();
  const names = (of) => page.locator(of).evaluateAll((list) => list.map((e) => e.textContent.trim()));
  const rail = await names('.sl-rail button');
  for (const panel of ['view.pods', 'view.recordings', 'view.scenarios']) {
    await command(page, panel);
    const tabs = await names('[role=tab], .sl-tab');
    assert.ok(tabs.length > 3);
    assert.deepEqual(
      tabs.filter((name) => rail.includes(name)),
      [],
    );
  }
  assert.equal(await page.locator('#sl-left h2').first().textContent(), 'Scenarios');
});
