/** The page in a real browser, from the static build in a sub-folder and under the agent's Content-Security-Policy. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ahead, command, idle, laneSays, newManifest, onStage, press, run, stepped } from './browser.mjs';

const visit = onStage({ shared: true, frames: 'seldom', reducedMotion: 'no-preference' });

describe('the first minute', () => {
  it('opens paused where the story begins, with one hint, and runs a pod until it is paused', async () => {
    const page = await visit();
    assert.equal((await run(page)).running, false);
    assert.equal(await ahead(page), 0);
    await page.getByTestId('graph').waitFor();
    for (const name of ['configCh', 'plegCh', 'housekeepingCh'])
      assert.ok(await page.getByTestId(`channel-${name}`).isVisible(), name);
    await page.getByText('→ steps to the next thing you can see').waitFor();
    // Run from there, it takes a pod from its manifest to Running, and stands still when paused.
    await page.keyboard.press('Space');
    await laneSays(page, 'hello-node1', 'Running');
    await page.getByTestId('sandbox').getByText('app').waitFor();
    await page.keyboard.press('Space');
    await idle(page);
    const paused = await run(page);
    assert.equal(paused.running, false);
    const clock = await page.getByTestId('clock').innerText();
    await page.waitForTimeout(400);
    assert.equal((await run(page)).steps, paused.steps);
    assert.equal(await page.getByTestId('clock').innerText(), clock);
  });

  it('moves one decision with Alt+→, one iteration with Shift+→, and the narrator speaks', async () => {
    const page = await visit();
    await page.keyboard.press('Alt+ArrowRight');
    await stepped(page, 1);
    const said = await page.getByTestId('narrator').innerText();
    for (let i = 1; i <= 2; i++) {
      await page.keyboard.press('Shift+ArrowRight');
      await page.waitForFunction((n) => window.__syncloop.idle() && window.__syncloop.run.iterations === n + 1, i);
    }
    assert.notEqual(await page.getByTestId('narrator').innerText(), said);
    const { steps } = await run(page);
    await page.keyboard.press('Alt+ArrowLeft');
    await page.waitForFunction((n) => window.__syncloop.run.steps === n - 1 && window.__syncloop.idle(), steps);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.__syncloop.run.running);
  });

  it('offers things to try once a pod runs; killing its container restarts it', async () => {
    const page = await visit();
    await page.keyboard.press('Space');
    await page.getByTestId('try').getByRole('button', { name: 'kill its container' }).click();
    await page.waitForFunction(() =>
      Object.values(window.__syncloop.state.containers).some((c) => c.attempt === 1 && c.state === 'running'),
    );
    await page.getByTestId('lane-hello-node1').getByText('×1').waitFor();
    await page.getByTestId('pleg').getByText('ContainerDied').first().waitFor();
  });

  it('breaking the image changes the manifest, and that makes it a new pod', async () => {
    const page = await visit();
    await page.keyboard.press('Space');
    await page.getByTestId('try').getByRole('button', { name: 'break its image' }).click();
    await page.getByTestId('manifest-text').getByText('no-such-image').waitFor();
    await page.waitForFunction(
      () => Object.values(window.__syncloop.state.pods).filter((p) => p.pod === 'default/hello-node1').length === 2,
    );
  });
});

describe('manifests', () => {
  it('are applied and deleted', async () => {
    const page = await visit();
    await page.keyboard.press('Space');
    await newManifest(page);
    await page
      .getByTestId('manifest-text')
      .fill(
        'apiVersion: v1\nkind: Pod\nmetadata:\n  name: second\nspec:\n  containers:\n    - name: app\n      image: busybox:1.36\n      command: [sleep, "3600"]\n',
      );
    await page.getByTestId('apply').click();
    await laneSays(page, 'second-node1', 'Running', 30_000);
    // sleep does not heed SIGTERM: it has 30 s.
    await command(page, 'transport.setSpeed', { mode: 'time', factor: 20 });
    await page.getByRole('button', { name: 'Delete second.yaml' }).click();
    await page.getByTestId('lane-second-node1').waitFor({ state: 'detached', timeout: 60_000 });
  });

  it('that are wrong are refused in place, and not written; typing in them is text', async () => {
    const page = await visit();
    await newManifest(page);
    await page.getByTestId('manifest-text').fill('apiVersion: v1\nkind: Pod\nmetadata:\n  name: [\n');
    await page.getByTestId('first-error').waitFor();
    await page.getByTestId('apply').click();
    const error = await page.getByTestId('manifest-error').innerText();
    assert.ok(error.length > 10, error);
    assert.match(await page.getByTestId('files').innerText(), /web-1.yaml\s+new, not applied/);
    await page.getByTestId('manifest-text').fill('x');
    await page.getByTestId('manifest-error').waitFor({ state: 'detached' });
    // What is typed is text: no key of the page fires in the editor.
    await page.getByTestId('manifest-text').focus();
    await page.keyboard.type(' lm?');
    assert.equal((await run(page)).running, false);
    assert.match(await page.getByTestId('manifest-text').innerText(), / lm\?/);
  });
});

describe('the page by keyboard', () => {
  it('opens the palette, runs what was typed, shows all keys, and Space presses a button', async () => {
    const page = await visit();
    await page.keyboard.press('Control+k');
    await page.getByTestId('palette-input').waitFor();
    await page.keyboard.type('log');
    await page.keyboard.press('Enter');
    await page.locator('#sl-bottom-body').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // Space presses the button that has the focus.
    await page.getByTestId('step').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Shift+Tab');
    await press(page, 'Space');
    assert.equal((await run(page)).running, false);
  });

  it('inspects a part, asks why, follows a cause', async () => {
    const page = await visit();
    for (let i = 0; i < 2; i++) await command(page, 'transport.stepIteration');
    await page.getByTestId('pleg').getByRole('button', { name: 'PLEG' }).click();
    const inspector = page.getByTestId('inspector');
    await inspector.getByText('All values').click();
    await inspector.getByText('relists:').waitFor();
    await page.keyboard.press('w');
    await inspector.getByTestId('why-chain').waitFor();
    assert.ok((await inspector.getByRole('listitem').count()) >= 1);
    await page.keyboard.press('Escape');
    await inspector.waitFor({ state: 'detached' });
  });
});

describe('settings', () => {
  it('speak Chinese, and remember it', async () => {
    const page = await visit({});
    await page.getByTestId('menu-view').click();
    await page.getByTestId('item-settings.lang.zh').click();
    await page.getByTestId('open-manifests').getByText('清单').waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'zh-CN');
    await page.keyboard.press('ArrowRight');
    await idle(page);
    assert.match(await page.getByTestId('narrator').innerText(), /[\u4e00-\u9fff]/);
    await page.reload();
    await page.getByTestId('open-manifests').getByText('清单').waitFor();
  });

  it('follow the system theme until one is chosen', async () => {
    const page = await visit();
    await page.emulateMedia({ colorScheme: 'dark' });
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await background();
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await background();
    assert.notEqual(dark, light);
    await command(page, 'settings.theme');
    await command(page, 'settings.theme');
    assert.equal(await background(), dark);
    await command(page, 'settings.theme.system');
    assert.equal(await background(), light);
  });

  it('load a scenario with a seed: the same seed gives the same run', async () => {
    const page = await visit();
    const twenty = async () => {
      for (let i = 0; i < 20; i++) await command(page, 'transport.stepDecision');
      await idle(page);
      const { seq, time } = await run(page);
      return { seq, time };
    };
    const load = async (seed) => {
      await command(page, 'scenario.load', { name: 'hello', seed });
      await idle(page);
    };
    await load(7);
    const first = await twenty();
    await load(7);
    assert.deepEqual(await twenty(), first);
  });
});

describe('choices', () => {
  it('asks which case a select takes when the user wants to be asked', async () => {
    const page = await visit();
    await command(page, 'transport.ask');
    // While the loop cleans up, its other channels fill: a tick, and a manifest that somebody drops.
    await page.evaluate(async () => {
      const s = window.__syncloop;
      for (let i = 0; i < 800 && s.state.loop.handler !== 'HandlePodCleanups'; i++)
        await s.command('transport.stepDecision');
      const text =
        'apiVersion: v1\nkind: Pod\nmetadata:\n  name: dropped\nspec:\n  containers:\n    - name: a\n      image: localhost/busybox:dev\n';
      await s.command('manifest.apply', { file: 'dropped.yaml', text });
    });
    await page.keyboard.press('Space');
    const choice = page.getByTestId('choice');
    await choice.waitFor();
    const { steps } = await run(page);
    await choice.getByRole('button').last().click();
    await page.waitForFunction((n) => window.__syncloop.run.steps > n, steps);
    await command(page, 'transport.ask');
  });
});

describe('a phone', () => {
  it('has the graph, the narrator and the transport, and nothing sticks out', async () => {
    // At real time a busy machine has the pod's moments in one frame, and the view is elsewhere again.
    const page = await visit({ pace: 'follow', viewport: { width: 360, height: 720 }, hasTouch: true, isMobile: true });
    for (const id of ['graph', 'narrator', 'transport']) {
      const box = await page.getByTestId(id).boundingBox();
      assert.ok(
        box && box.x >= 0 && box.x + box.width <= 360.5 && box.y + box.height <= 720.5,
        `${id} ${JSON.stringify(box)}`,
      );
    }
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await page.getByTestId('step').tap();
    await page.waitForFunction(
      () => window.__syncloop.idle() && window.__syncloop.run.seq > window.__syncloop.info.opened.seq,
    );
    // The view goes to the place of the event.
    const sandbox = page.getByTestId('lane-hello-node1');
    await page.getByTestId('toggle').tap();
    await sandbox.waitFor();
    await page.waitForFunction(() => {
      const box = document.querySelector('[data-testid="lane-hello-node1"]')?.getBoundingClientRect();
      return box !== undefined && box.left < innerWidth && box.right > 0;
    });
    await page.getByTestId('open-scenarios').tap();
    await page.getByTestId('load-crash-loop').waitFor();
  });
});
