/** Devices on the page: the channel containerManager, the box of the device manager, and a device's health by hand. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { command, idle, load, onStage } from './browser.mjs';

const visit = onStage();
/** A moment at which `train` runs with gpu-0, before the scenario breaks the device. */
const RUNNING = 3_500_000;

/** Steps, decision by decision, until the loop takes from the channel. */
async function stepToContainerManager(page, most) {
  const taken = page.locator('[data-testid="channel-containerManager"]:is([data-chosen], [data-recent])');
  for (let i = 0; i < most && (await taken.count()) === 0; i++) {
    await command(page, 'transport.stepDecision');
    await idle(page);
  }
  await taken.waitFor();
}

describe('devices', () => {
  it('are shown with who has them; one that turns unhealthy comes by containerManager', async () => {
    const page = await visit();
    await load(page, 'device-unhealthy');
    await command(page, 'transport.go', { time: RUNNING });
    await idle(page);
    await page.keyboard.press('3');
    // From far away a box shows its name; what is selected comes near.
    await command(page, 'view.select', { kind: 'part', part: 'devices' });
    const box = page.getByTestId('extra-devices');
    await box.getByRole('button', { name: 'train' }).waitFor();
    await box.getByText('free').waitFor();
    const details = page.getByTestId('devices-view');
    await details.getByRole('row', { name: /gpu-0.*allocated.*train/ }).waitFor();
    await stepToContainerManager(page, 100);
    await page.getByTestId('channel-containerManager').getByText('train').waitFor();
    await details.getByRole('row', { name: /gpu-0.*unhealthy.*train/ }).waitFor();
    // By keyboard from the device to the pod that has it.
    await details.getByRole('button', { name: 'train' }).focus();
    await page.keyboard.press('Enter');
    await details.waitFor({ state: 'detached' });
  });

  it('change their health by the form of faults; a node without any says so', async () => {
    const page = await visit();
    await load(page, 'device-unhealthy');
    await command(page, 'transport.go', { time: RUNNING });
    await idle(page);
    await page.keyboard.press('x');
    await page.getByTestId('fault-device').click();
    assert.equal(await page.getByTestId('fault-field-device').inputValue(), 'example.com/gpu gpu-0');
    await page.getByTestId('fault-do').click();
    await page.getByTestId('fault-form').waitFor({ state: 'detached' });
    await idle(page);
    await stepToContainerManager(page, 60);
    await command(page, 'view.select', { kind: 'part', part: 'devices' });
    await page
      .getByTestId('devices-view')
      .getByRole('row', { name: /gpu-0.*unhealthy.*train/ })
      .waitFor();
    await load(page, 'hello');
    await page.keyboard.press('x');
    await page.getByTestId('fault-devicePlugin').click();
    await page.getByTestId('fault-form').getByText('This node has no devices').waitFor();
    assert.equal(await page.getByTestId('fault-do').isDisabled(), true);
  });

  it('are told of in a lesson, in the order in which the run has them', async () => {
    const page = await visit({ hash: '#lesson=devices' });
    for (const title of ['A plug-in registers', 'The node has something to give', 'Allocated before anything runs']) {
      await page.getByRole('heading', { name: title }).waitFor();
      await idle(page);
      await page.keyboard.press('n');
    }
    await page.getByText("loop's channels will bring it?").first().waitFor();
  });
});
