/** `syncloop open` of a folder of nodes: its page shows them as lanes, each opens at its incident, and back. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { causeNames, fleetLogs } from '../../../packages/observe/src/testing/fleet-logs.mjs';
import { Running } from '../../agent/e2e/programs.mjs';
import { onStage } from './browser.mjs';

const PROGRAM = fileURLToPath(new URL('../../agent/bin/syncloop.mjs', import.meta.url));
const visit = onStage();
const folder = mkdtempSync(join(tmpdir(), 'syncloop-fleet-'));
let running;
after(async () => {
  await running?.kill('SIGINT');
  rmSync(folder, { recursive: true, force: true });
});

it('shows the nodes of a folder, and each in its debugger', async () => {
  for (const { name, lines } of fleetLogs({ seed: 7, nodes: 8, causes: causeNames, quiet: 40 }).nodes) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'kubelet.log'), [...lines()].join(''));
  }
  running = new Running(process.execPath, [PROGRAM, 'open', folder, '--port', '0']);
  const [, url] = await running.says('its address', /open (http\S+)/);
  const { origin, hash } = new URL(url);
  const page = await visit({ url: `${origin}/`, hash, ready: false });
  await page.getByTestId('fleet-lane').first().waitFor();
  assert.equal(await page.getByTestId('fleet-count').innerText(), '8 of 8 nodes');
  await page.getByTestId('fleet-filter').selectOption('cause-0');
  await page.getByTestId('fleet-lanes').focus();
  for (const key of ['End', 'ArrowRight']) await page.keyboard.press(key);
  const details = page.getByTestId('fleet-details');
  const name = await details.locator('strong').first().innerText();
  assert.notEqual(name, 'node-001');
  await page.keyboard.press('Enter');
  await page.waitForFunction(
    (node) =>
      document.querySelector('[data-testid=observed-nodes-choice]')?.value === node &&
      window.__syncloop.idle() &&
      window.__syncloop.state.time > 0,
    name,
  );
  // The list of nodes shows another one, too.
  await page.getByTestId('observed-nodes-choice').selectOption('node-001');
  await page.waitForFunction(() => window.__syncloop.info?.id.endsWith(' 2'));
  await page.getByTestId('observed-fleet').click();
  await details.waitFor();
  assert.equal(await details.locator('strong').first().innerText(), name);
});
