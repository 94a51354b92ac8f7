/**
 * The moment: wherever the run stands still, the narrator reports the record there, the graph shows the same place, and
 * sentences describe the selection.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findScenario, startScenario } from '@syncloop/core/scenario';
import { initialState, lookupOf, narrate, reduce } from '@syncloop/core/trace';
import { command, idle, onStage, press, run, until } from './browser.mjs';
import { says } from './narrator.mjs';

const visit = onStage();

const records = [];
startScenario(findScenario('hello'), { sink: (r) => records.push(r) }).run();

/** The sentence of a record with the names of its moment, in the order of growing numbers only. */
function teller(lang) {
  const state = initialState();
  let at = 0;
  return (seq) => {
    for (; at < seq; at++) reduce(state, records[at]);
    return narrate(records[seq - 1], lookupOf(state), lang);
  };
}

const isRunning = (page) =>
  page.evaluate(() => Object.values(window.__syncloop.state.pods).some((p) => p.phase === 'Running'));

describe('the narrator', () => {
  for (const [locale, lang] of [
    ['en-GB', 'en'],
    ['zh-CN', 'zh'],
  ])
    it(`says the record at which the run stands, at every step of hello (${lang})`, async () => {
      const page = await visit({ locale });
      await command(page, 'inspector.goTo', 330);
      await command(page, 'view.select', null);
      await idle(page);
      const tell = teller(lang);
      const taken = [];
      while (!(await isRunning(page))) {
        await press(page, 'ArrowRight');
        const { seq } = await run(page);
        const { text, why } = tell(seq);
        await says(page, text, `#${seq}, ${records[seq - 1].kind}`);
        // A digest of an image is as people write it; ids of containers and sandboxes are names.
        assert.doesNotMatch(text.replace(/sha256:[0-9a-f]{12}\b/, ''), /[{}=]|[0-9a-f]{12}/);
        // The second line explains why it matters; what was on the way was plumbing.
        if (why) assert.equal(await page.getByTestId('narrator-why').innerText(), why);
        assert.equal(await page.getByTestId('narrator-way').count(), 0);
        taken.push(records[seq - 1]);
      }
      const numbers = (fn) => [...new Set(taken.filter((r) => r.kind === 'step' && r.fn === fn).map((r) => r.n))];
      assert.deepEqual(
        numbers('SyncPod'),
        Array.from({ length: 15 }, (_, i) => i + 1),
      );
      assert.deepEqual(numbers('startContainer'), [1, 2, 3]);
      assert.equal(taken.filter((r) => r.kind === 'pod-actions').length, 1);

      // The mouse reaches each of them in the pod's lane, and selects the record in which it was taken.
      const lane = page.getByTestId('lane-hello-node1');
      for (const button of await lane.locator('.sl-lane-step-link, .sl-step-link').all()) {
        await button.click();
        assert.equal(await button.getAttribute('aria-pressed'), 'true');
      }
    });

  it('says it after a jump and after going back', async () => {
    const page = await visit();
    // A run that is let go may get further than the records of this test.
    await command(page, 'inspector.goTo', 700);
    await idle(page);
    let { seq } = await run(page);
    await says(page, teller('en')(seq).text, `#${seq}, there`);
    for (const key of ['ArrowLeft', 'Shift+ArrowLeft', 'Alt+ArrowLeft']) {
      await press(page, key);
      ({ seq } = await run(page));
      await says(page, teller('en')(seq).text, `#${seq}, back`);
    }
  });

  it('says what is done from outside as people would, and names the branch so', async () => {
    const page = await visit();
    await until(page, () => Object.values(window.__syncloop.state.pods).some((p) => p.phase === 'Running'));
    await page.keyboard.press('ArrowLeft');
    await idle(page);
    const target = await page.evaluate(() => {
      const c = Object.values(window.__syncloop.state.containers)[0];
      return { uid: c.uid, container: c.name };
    });
    await command(page, 'pod.kill', target);
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.branch === 2);
    await page.getByTestId('tab-branches').click();
    await page.getByTestId('branch-2').getByText('container app of hello-node1 is killed').first().waitFor();
  });
});

describe('the graph', () => {
  it('lights here as it lights next, and marks what has changed, at all three levels; not while it runs', async () => {
    const page = await visit();
    for (const level of ['story', 'loop', 'everything']) {
      await command(page, `view.level.${level}`);
      // Right before the loop takes the PLEG's first event.
      await command(page, 'inspector.goTo', 530);
      await command(page, 'view.select', null);
      await idle(page);
      await command(page, 'transport.stepIteration');
      await idle(page);
      for (const mark of ['here-mark', 'changed-mark']) await page.getByTestId(mark).first().waitFor();
      assert.equal(await page.getByTestId('here-mark').count(), 1, level);
    }
    await command(page, 'view.level.loop');
    await command(page, 'transport.setSpeed', { mode: 'time', factor: 0.05 });
    await command(page, 'transport.toggle');
    await page.waitForFunction(() => window.__syncloop.run.running);
    for (const mark of ['here-mark', 'changed-mark', 'next-mark'])
      await page.waitForFunction((id) => !document.querySelector(`[data-testid=${id}]`), mark);
    await command(page, 'transport.toggle');
    await idle(page);
  });

  it('lights the wire along which the last record went', async () => {
    const page = await visit();
    const status = records.find((r) => r.kind === 'status');
    await command(page, 'inspector.goTo', status.seq);
    await idle(page);
    await page.getByTestId('here-wire').waitFor();
    await page.getByTestId('here-mark').waitFor();
    await page.getByTestId('here-mark').getByText('here').waitFor();
  });
});

describe('what is selected', () => {
  it('is a card of sentences; the values are below a fold that stays as it was left', async () => {
    const page = await visit();
    await until(page, () => Object.values(window.__syncloop.state.pods).some((p) => p.phase === 'Running'));
    const uid = await page.evaluate(() => Object.keys(window.__syncloop.state.pods)[0]);
    await command(page, 'view.select', { kind: 'pod', uid });
    const card = page.getByTestId('what-card');
    await card.getByText('The pod is Running. Its worker keeps it running.').waitFor();
    for (const term of ['Since', 'Waits for', 'Last']) await card.getByText(term, { exact: true }).waitFor();
    assert.equal(await page.locator('.sl-tree').count(), 0);
    await page.getByRole('button', { name: 'All values' }).click();
    await page.locator('.sl-tree').getByText('hello-node1').first().waitFor();
    await command(page, 'view.select', { kind: 'channel', name: 'syncCh' });
    await card.getByText(/^The channel (is empty|holds)/).waitFor();
    await page.locator('.sl-tree').waitFor();
    for (const part of ['loop', 'pleg', 'cri', 'status', 'probes', 'podConfig', 'node', 'eviction']) {
      await command(page, 'view.select', { kind: 'part', part });
      await page.waitForFunction(() => document.querySelector('[data-testid=what-card] p')?.textContent?.endsWith('.'));
    }
  });
});
