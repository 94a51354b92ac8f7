/** What a version of the kubelet cannot do of a scenario, in a real browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { command, idle, onStage, until } from './browser.mjs';

const visit = onStage();
const shots = process.env.SYNCLOOP_SHOTS;
const shot = async (page, name) => void (shots && (await page.screenshot({ path: `${shots}-${name}.png` })));

describe('what v1.12 does not know of a pod', () => {
  it('is counted beside the version, and listed in its panel and beside the pod', async () => {
    const page = await visit();
    await command(page, 'scenario.load', { name: 'init-and-sidecar' });
    await idle(page);
    assert.equal(await page.getByTestId('era-left').count(), 0);
    await page.getByTestId('era').selectOption('v1.12');
    await idle(page);
    const count = page.getByTestId('era-left');
    await count.waitFor();
    assert.equal(await count.innerText(), '2 left out');
    await count.focus();
    await page.keyboard.press('Enter');
    const list = page.getByTestId('eras').getByTestId('era-notes');
    await list.waitFor();
    assert.match(await list.innerText(), /startupProbe of container proxy of pod shop: v1\.12 does not know it/);
    assert.match(await list.innerText(), /so it is no sidecar/);
    await shot(page, 'panel');

    await until(page, (s) => window.__syncloop.run.time > s * 1e6, 4);
    const uid = await page.evaluate(() => Object.keys(window.__syncloop.state().pods)[0]);
    await command(page, 'select.pod', uid).catch(() => {});
    await shot(page, 'pod');
    await command(page, 'view.logs').catch(() => {});
    await shot(page, 'log');
  });
});
