/** The parts of a scenario that a version of the kubelet cannot do, in a real browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { command, idle, onStage } from './browser.mjs';

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
    assert.match(await list.innerText(), /so it is not a sidecar/);
    await shot(page, 'panel');
    await command(page, 'transport.toggle');

    await page.getByTestId('lane-shop-node1').getByRole('button').first().click();
    const beside = page.getByTestId('inspector').getByTestId('era-notes');
    await beside.waitFor();
    assert.match(await beside.innerText(), /What v1\.12 leaves out of this pod/);
    await shot(page, 'pod');

    // The log is in that version's words, and a worker's steps are its own.
    await command(page, 'view.log');
    await shot(page, 'log');
    await page.getByText('Setting pods for source file', { exact: true }).first().waitFor();
    await shot(page, 'log');
  });

  it('is told in Chinese and on a phone, too', async () => {
    const page = await visit({ viewport: { width: 390, height: 844 }, locale: 'zh-CN', colorScheme: 'dark' });
    await command(page, 'scenario.load', { name: 'init-and-sidecar' });
    await idle(page);
    await command(page, 'era.choose', 'v1.12');
    await idle(page);
    const count = page.getByTestId('era-left');
    await count.waitFor();
    assert.equal(await count.innerText(), '省略 2 处');
    await command(page, 'view.eras');
    const list = page.getByTestId('eras').getByTestId('era-notes');
    await list.waitFor();
    assert.match(await list.innerText(), /Pod shop 中容器 proxy 的 startupProbe/);
    await shot(page, 'phone');
  });
});
