/** The Source tab in a real browser: the code that runs, its twin in Kubernetes, and breakpoints set in its gutter. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { command, idle, onStage, run } from './browser.mjs';

const visit = onStage();

/** Steps until a goroutine is in a call of that name; its `enter` record. */
async function stepInto(page, fn) {
  const inside = (name) =>
    Object.values(window.__syncloop.state.goroutines)
      .flatMap((g) => g.stack)
      .find((c) => c.fn === name)?.seq ?? 0;
  for (let i = 0; i < 300; i++) {
    const seq = await page.evaluate(inside, fn);
    if (seq > 0) return seq;
    await command(page, 'transport.stepDecision');
    await idle(page);
  }
  throw new Error(`no goroutine came into ${fn}`);
}

describe('source', () => {
  it('follows the run, shows the twin and its older names, and stops where a click in the gutter says', async () => {
    const page = await visit();
    await stepInto(page, 'startContainer');
    await page.keyboard.press('u');
    const tab = page.getByTestId('source');
    await tab.waitFor();
    // Adopted style sheets work under the policy: the editor has its looks.
    const code = page.getByTestId('source-code');
    assert.equal(await code.locator('.cm-scroller').evaluate((e) => getComputedStyle(e).display), 'flex');

    const uid = await page.evaluate(
      () =>
        Object.values(window.__syncloop.state.goroutines).find((g) => g.stack.some((c) => c.fn === 'startContainer'))
          .uid,
    );
    await command(page, 'view.select', { kind: 'pod', uid });
    const call = (name) => tab.getByRole('navigation').getByRole('button', { name, exact: true });
    const marked = code.locator('.cm-sl-line');
    await call('startContainer').click();
    await tab.getByText(/^kubelet\/kuberuntime\/kuberuntime-container\.ts:/).waitFor();
    await tab.getByText('Step: pull image').waitFor();
    assert.match(await marked.first().innerText(), /ensureImageExists\(/);

    // An outer call, in the step that it is in, with the names it had.
    await call('SyncPod').click();
    await tab.getByText('Step: container runtime').waitFor();
    assert.match(await marked.first().innerText(), /containerRuntime\.syncPod/);
    const link = tab.getByRole('link', { name: /SyncPod/ }).first();
    assert.equal(
      await link.getAttribute('href'),
      'https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/kubelet/kubelet.go',
    );
    assert.match(await link.getAttribute('rel'), /noopener/);
    await tab.getByTestId('source-eras').locator('summary').click();
    assert.match(await tab.getByRole('row', { name: /v1\.12/ }).innerText(), /\(\*Kubelet\)\.syncPod/);

    // A click before the first line of the function: the run stops there.
    await call('startContainer').click();
    await tab.getByRole('heading', { name: 'startContainer' }).waitFor();
    await code.locator('.cm-sl-dot[title="Stop where startContainer begins"]').click();
    await code.locator('.cm-sl-dot-on').waitFor();
    assert.equal(await tab.getByTestId('source-break').getAttribute('aria-pressed'), 'true');
    await command(page, 'transport.restart');
    await idle(page);
    await command(page, 'transport.setSpeed', { mode: 'max' });
    await command(page, 'transport.toggle');
    await page.waitForFunction(() => !window.__syncloop.run.running && window.__syncloop.run.hits.length > 0);
    assert.equal((await run(page)).hits.length, 1);
  });
});
