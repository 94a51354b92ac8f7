/**
 * The manifest editor in a real browser: help while writing, errors in their place, differences, drafts, pods from a
 * cluster.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { command, idle, laneSays, newManifest, onStage } from './browser.mjs';

const visit = onStage();
const text = (page) => page.getByTestId('manifest-text');
const content = async (page) => (await text(page).locator('.cm-line').allInnerTexts()).join('\n');

it('completes fields and words, marks a slip and mends it, and is left by Esc and Tab', async () => {
  const page = await visit();
  await newManifest(page);
  await text(page).waitFor();
  // A new manifest is there to be written: the focus is in it.
  await page.waitForFunction(() => document.activeElement?.shadowRoot?.activeElement?.classList.contains('cm-content'));
  await page.keyboard.press('Control+End');
  await page.keyboard.type('      imagePullP');
  await page.getByRole('option', { name: /imagePullPolicy/ }).waitFor();
  // CodeMirror takes a suggestion only a moment after it is shown.
  await page.waitForTimeout(150);
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: 'Never' }).waitFor();
  await page.waitForTimeout(150);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  assert.match(await content(page), /\n {6}imagePullPolicy: IfNotPresent$/m);
  await page.keyboard.press('Enter');
  await page.keyboard.type('workingDri: /tmp');
  await page.keyboard.press('Escape');
  await page.getByTestId('problems').getByText('Do you mean workingDir?').waitFor();
  await page.getByRole('button', { name: 'Change to workingDir' }).click();
  await page.getByTestId('problems').getByText('No problems.').waitFor();
  await text(page).focus();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.shadowRoot ?? null), null);
});

it('shows what changes and what will come of it, applies with Ctrl+Enter, and takes it back', async () => {
  const page = await visit();
  await page.getByTestId('open-manifests').click();
  await page.keyboard.press('Space');
  await laneSays(page, 'hello-node1', 'Running');
  await page.keyboard.press('Space');
  await idle(page);
  await text(page).waitFor();
  const before = await content(page);
  await text(page).fill(before.replace('terminationGracePeriodSeconds: 5', 'terminationGracePeriodSeconds: 6'));
  await page.getByTestId('outcome').getByText('Another pod under the same name').waitFor();
  await page.getByTestId('compare').click();
  await text(page).locator('.cm-deletedChunk').first().waitFor();
  await page.getByTestId('outcome').getByText('spec.terminationGracePeriodSeconds').waitFor();
  await text(page).focus();
  await page.keyboard.press('Control+Enter');
  await page.getByTestId('toggle').click();
  const pods = (n) =>
    page.waitForFunction(
      (m) => Object.values(window.__syncloop.state.pods).filter((p) => p.pod === 'default/hello-node1').length === m,
      n,
    );
  await pods(2);
  await page.getByTestId('undo-manifest').click();
  await text(page).getByText('terminationGracePeriodSeconds: 5').waitFor();
  // A text that was not applied is there again after a reload.
  await text(page).fill('# not yet');
  await page.reload();
  // The page may open its panels as they were by itself.
  await page.waitForFunction(() => window.__syncloop?.idle());
  await page.waitForTimeout(300);
  if ((await page.locator('.sl-manifests').count()) === 0) await page.getByTestId('open-manifests').click();
  await text(page).getByText('# not yet').waitFor();
});

it('makes a manifest, or a scenario, of what kubectl prints', async () => {
  const page = await visit({ viewport: { width: 360, height: 740 } });
  await command(page, 'manifest.new.plain');
  const observed =
    'apiVersion: v1\nkind: Pod\nmetadata:\n  name: api\n  uid: abc\n  resourceVersion: "7"\nspec:\n  nodeName: n1\n  serviceAccountName: robot\n  containers:\n  - name: api\n    image: nginx:1.27\nstatus:\n  phase: Running\n  containerStatuses:\n  - {name: api, ready: true, restartCount: 0, state: {running: {}}}\n';
  await text(page).fill(observed);
  await page.getByTestId('paste-clean').click();
  await page.getByTestId('dropped').getByText('spec.serviceAccountName').waitFor();
  assert.doesNotMatch(await content(page), /status|nodeName|robot/);
  await page.getByTestId('problems').getByText('No problems.').waitFor();
  await page.getByTestId('files').getByText('api.yaml').waitFor();
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await text(page).fill(observed);
  await page.getByTestId('paste-scenario').click();
  await page.getByTestId('pasted-run').click();
  await page.waitForFunction(() => window.__syncloop.info?.scenario === 'api');
});
