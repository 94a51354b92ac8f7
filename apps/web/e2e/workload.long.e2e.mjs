/**
 * A user's own workload in a real browser, in both languages: a Deployment with an image that nobody knows is pasted,
 * becomes a running pod, and its image does something else later; several kinds at once; errors where they are; Apply
 * in sight in a low window.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { command, idle, onStage } from './browser.mjs';

const visit = onStage();
const wild = (name) => readFile(new URL(`../../../packages/core/testdata/workloads/${name}`, import.meta.url), 'utf8');
const text = (page) => page.getByTestId('manifest-text');

const words = { 'en-GB': { compose: /Docker Compose/ }, 'zh-CN': { compose: /Docker Compose 文件/ } };

const containerIs = (page, name, state) =>
  page.waitForFunction(
    ([n, s]) => Object.values(window.__syncloop.state.containers).some((c) => c.name === n && c.state === s),
    [name, state],
  );
async function run(page) {
  if (!(await page.evaluate(() => window.__syncloop.run.running))) await page.getByTestId('toggle').click();
}
async function fresh(page, content) {
  await command(page, 'manifest.new.plain');
  await text(page).waitFor();
  await text(page).fill(content);
}

for (const [locale, w] of Object.entries(words)) {
  it(`what is no manifest is told in a sentence, and refused in sight (${locale})`, async () => {
    const page = await visit({ locale, viewport: { width: 1280, height: 420 } });
    await fresh(page, await wild('docker-compose.yaml'));
    await page.getByTestId('workload-notes').getByText(w.compose).waitFor();
    await page.getByTestId('apply').click();
    const refusal = page.getByTestId('manifest-error');
    await refusal.getByText(w.compose).waitFor();
    // In a low window as well, without scrolling.
    for (const part of [refusal, page.getByTestId('apply')]) {
      const box = await part.boundingBox();
      assert.ok(box && box.y >= 0 && box.y + box.height <= 420, JSON.stringify(box));
    }
  });
}

it('a plain pod is named after itself, applied by keyboard, and its image is changed in the inspector', async () => {
  const page = await visit();
  await fresh(
    page,
    'apiVersion: v1\nkind: Pod\nmetadata: {name: mine}\nspec:\n  containers:\n    - {name: worker, image: "acme/worker:2"}\n',
  );
  await page.getByTestId('image').getByText('acme/worker:2').waitFor();
  await text(page).press('Control+Enter');
  await page.getByTestId('files').getByText('mine.yaml').waitFor();
  await run(page);
  await containerIs(page, 'worker', 'running');
  await page.getByTestId('toggle').click();
  await idle(page);
  const id = await page.evaluate(
    () => Object.values(window.__syncloop.state.containers).find((c) => c.name === 'worker').id,
  );
  await command(page, 'view.select', { kind: 'container', id });
  const inspector = page.getByTestId('inspector');
  await inspector.getByTestId('image-does').selectOption('serves');
  await inspector.getByTestId('image-ports').fill('9000');
  await inspector.getByTestId('image-ports').press('Enter');
  await page.getByText('acme/worker:2: takes effect from the next start of its containers on.').first().waitFor();
  // The panel shows the same, for the run has the answer.
  await page.waitForFunction(() =>
    [...document.querySelectorAll('[data-testid="image-ports"]')].every((e) => e.value === '9000'),
  );
});

it('a container whose program is assumed is marked; the answer runs it from its start, up to the same time', async () => {
  const page = await visit();
  await fresh(
    page,
    'apiVersion: v1\nkind: Pod\nmetadata: {name: mine}\nspec:\n  containers:\n    - {name: worker, image: "acme/worker:2", resources: {limits: {memory: 100Mi}}}\n',
  );
  await page.getByTestId('image').getByText('acme/worker:2').waitFor();
  await text(page).press('Control+Enter');
  await run(page);
  await containerIs(page, 'worker', 'running');
  await page.getByTestId('toggle').click();
  await idle(page);
  const { time } = await page.evaluate(() => window.__syncloop.run);
  // In the Story as well, which is what a phone shows.
  await page.keyboard.press('1');
  await page.getByTestId('story-node').getByTestId('assumed').waitFor();
  await page.keyboard.press('2');
  await page.getByTestId('assumed').first().click();
  const asked = page.getByTestId('program');
  await asked.getByTestId('image-does').selectOption('needs');
  await asked.getByTestId('program-answer').click();
  await page.getByText('worker, from its start: needs 250Mi of memory.').first().waitFor();
  await idle(page);
  const now = await page.evaluate(() => window.__syncloop.run.time);
  assert.ok(Math.abs(now - time) < 1_000_000, `${now} instead of ${time}`);
  await page.getByTestId('assumed').waitFor({ state: 'detached' });
  await run(page);
  await page.waitForFunction(() =>
    Object.values(window.__syncloop.state.containers).some((c) => c.name === 'worker' && c.reason === 'OOMKilled'),
  );
});

it('a List becomes pods with what they refer to, and shows what it is on a node with an API server', async () => {
  const page = await visit();
  const list = await wild('wordpress-mysql-list.yaml');
  await fresh(page, list);
  await page.getByTestId('paste-bar').getByText('Apply makes 2 pods of it').waitFor();
  await page.getByTestId('apply').click();
  await page
    .getByTestId('files')
    .getByText(/wordpress-mysql-.*\.yaml/)
    .waitFor();
  await run(page);
  await containerIs(page, 'mysql', 'running');
  await containerIs(page, 'wordpress', 'running');
  await page.getByTestId('toggle').click();
  await idle(page);
  await fresh(page, list);
  await page.getByTestId('paste-api').click();
  await page.getByTestId('pasted-name').waitFor();
  const name = await page.getByTestId('pasted-name').inputValue();
  await page.getByTestId('pasted-run').click();
  await page.waitForFunction((made) => window.__syncloop.info?.scenario === made, name);
  await run(page);
  await containerIs(page, 'wordpress', 'running');
});

it('all errors of a Deployment are listed and marked at once, each at its line', async () => {
  const page = await visit();
  await fresh(page, await wild('mistakes.yaml'));
  const problems = page.getByTestId('problems');
  for (const place of ['12:', '15:', '17:', '19:']) await problems.getByText(place).first().waitFor();
  await page.waitForFunction(
    () => document.querySelectorAll('.cm-lint-marker-error').length > 0 || document.querySelector('.sl-yaml') !== null,
  );
  assert.match(await page.getByTestId('first-error').innerText(), /4/);
  await page.getByTestId('apply').click();
  await page.getByTestId('manifest-error').waitFor();
});

it('kubectl apply in the console takes what is pasted, too', async () => {
  const page = await visit();
  await command(page, 'view.console');
  const input = page.getByTestId('console-input');
  await input.waitFor();
  const manifest = await wild('hello-cronjob.yaml');
  await input.fill(`kubectl apply -f - <<EOF\n${manifest}EOF`);
  await input.press('Enter');
  await page.getByText(/CronJob hello becomes the pod hello-/).waitFor();
  await page.getByText(/pod\/hello-.* created/).waitFor();
});
