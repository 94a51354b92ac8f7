/** The workshop in a real browser, under the agent's policy: a stage from nothing to all levels, by the keyboard. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { idle, onStage, run, savedFile } from './browser.mjs';
import { codeOf, tabTo, write } from './workshop.mjs';

const visit = onStage();

async function judged(page, text) {
  const verdict = page.getByTestId('workshop-verdict');
  await verdict.getByText(text).waitFor({ timeout: 240_000 });
}

const words = {
  'en-GB': {
    failed: 'Examples: not passed. The first difference is below.',
    passed: 'All levels passed. Compare your code with the reference.',
    all: 'all levels passed',
  },
  'zh-CN': {
    failed: '示例：未通过。第一处差异见下方。',
    passed: '全部级别均已通过。可以对照参考答案了。',
    all: '全部通过',
  },
};

describe('the workshop', () => {
  for (const [locale, said] of Object.entries(words))
    it(`leads from nothing to all levels of the first stage by keyboard (${locale})`, async () => {
      const page = await visit({ locale });
      await page.keyboard.press('Shift+D');
      await page.getByTestId('workshop-code').waitFor();

      // The starter fails readably, at its first example that it does not pass; the key works outside the editor, too.
      await page.keyboard.press('Control+Enter');
      await judged(page, said.failed);
      await page.getByTestId('workshop-difference').getByText('ContainerStarted').first().waitFor();

      // Its call can be gone through, forwards and backwards, with its variables.
      const open = page.locator('[data-testid^=workshop-step-]').first();
      await tabTo(page, await open.getAttribute('data-testid'));
      await page.keyboard.press('Enter');
      const step = page.getByTestId('workshop-step');
      await step.waitFor();
      const first = await step.innerText();
      await tabTo(page, 'workshop-forward');
      await page.keyboard.press('ArrowRight');
      assert.notEqual(await step.innerText(), first);
      await page.getByTestId('workshop-variables').getByText('events', { exact: true }).waitFor();
      await page.keyboard.press('ArrowLeft');
      assert.equal(await step.innerText(), first);

      // A hint, then the solution; all levels are passed, and the reference is open.
      assert.equal(await page.getByTestId('tab-reference').getAttribute('aria-selected'), 'false');
      await page.keyboard.press('Shift+Tab');
      await tabTo(page, 'workshop-hint');
      await page.keyboard.press('Enter');
      await write(page, await codeOf('reference.ts'));
      await page.keyboard.press('Control+Enter');
      await judged(page, said.passed);
      for (const level of ['examples', 'recordings', 'explorer'])
        assert.equal(await page.getByTestId(`level-${level}`).getAttribute('data-state'), 'passed');
      await page.getByTestId('stage-pleg').getByText(said.all).waitFor();

      // What was passed is there after a reload, and in a file without anything else of the browser.
      await page.reload();
      await page.waitForFunction(() => window.__syncloop?.idle());
      await page.keyboard.press('Shift+D');
      await page.getByTestId('stage-pleg').getByText(said.all).waitFor();
      await tabTo(page, 'workshop-export');
      const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
      const kept = JSON.parse(await readFile(await savedFile(download), 'utf8'));
      assert.deepEqual(kept.stages.pleg.passed, ['examples', 'recordings', 'explorer']);
      assert.equal(kept.stages.pleg.code, await codeOf('reference.ts'));
    });

  it('checks types as one writes, and completes from the declarations of the stage', async () => {
    const page = await visit();
    await page.keyboard.press('Shift+D');
    await page.getByTestId('workshop-code').waitFor();
    await write(
      page,
      'export function computeEvents(oldPod: ListedPod | null): PodLifecycleEvent[] {\n  return [{ type: "Started", data: 1 }];\n}\n',
    );
    await page.locator('.sl-workshop-editor .cm-lintRange-error').first().waitFor();
    await write(page, 'export function computeEvents(oldPod: ListedPod): PodLifecycleEvent[] {\n  oldPod.cont');
    await page.keyboard.press('Control+Space');
    await page.locator('.cm-tooltip-autocomplete').getByText('containers').waitFor();
    // Escape closes the completion, not the workshop; after it Tab leaves the editor.
    await page.keyboard.press('Escape');
    await page.locator('.cm-tooltip-autocomplete').waitFor({ state: 'detached' });
    assert.equal(await page.getByTestId('workshop-code').isVisible(), true);
  });

  it('opens the debugger at the first difference, with the code in the running loop', async () => {
    const page = await visit();
    await page.keyboard.press('Shift+D');
    await page.getByTestId('workshop-code').waitFor();
    await write(page, await codeOf('wrong/remembers-in-a-variable.ts'));
    await page.keyboard.press('Control+Enter');
    await page.locator('[data-testid^=show-]').waitFor({ timeout: 240_000 });
    await tabTo(page, await page.locator('[data-testid^=show-]').getAttribute('data-testid'));
    await page.keyboard.press('Enter');
    await page.getByTestId('workshop-code').waitFor({ state: 'detached' });
    await idle(page);
    const { time } = await run(page);
    assert.ok(time > 0);

    // The real kubelet's recording and this run stand side by side, at the first difference.
    const first = page.getByTestId('sides-first');
    await first.waitFor();
    const [real, yours] = await first.locator('code').allInnerTexts();
    assert.notEqual(real, yours);
    const started = page.locator('.sl-sides-table tr', { hasText: 'StartContainer' }).first();
    assert.equal(await started.locator('code').count(), 2);
    await started.getByRole('button').press('Enter');
    await idle(page);
    assert.ok((await run(page)).time < time);
  });

  it('stops in the debugger at a breakpoint in the code, and goes on and back line by line, by keyboard', async () => {
    const page = await visit();
    await page.keyboard.press('Shift+D');
    await page.getByTestId('workshop-code').waitFor();
    const code = await codeOf('reference.ts');
    await write(page, code);
    const line = code.split('\n').indexOf('  return events;') + 1;
    await page.keyboard.press('Control+Home');
    for (let i = 1; i < line; i++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('F9');
    await page.keyboard.press('Control+Shift+Enter');
    const at = page.getByTestId('code-at');
    await at.getByText(`line ${line} is next`).waitFor({ timeout: 60_000 });
    await idle(page);
    const here = (await run(page)).seq;
    const variables = page.getByTestId('workshop-variables').first();
    await variables.getByText('ContainerStarted').waitFor();
    await page.keyboard.press('Alt+ArrowUp');
    await at.getByText(`line ${line} is next`).waitFor({ state: 'detached' });
    assert.ok((await run(page)).seq < here);
    await page.keyboard.press('Alt+ArrowDown');
    await at.getByText(`line ${line} is next`).waitFor();
    assert.equal((await run(page)).seq, here);

    // The breakpoint is one of the debugger's; the line is a record, with its variables in the inspector.
    await page.locator('.sl-code-bar .sl-record-link').focus();
    await page.keyboard.press('Enter');
    await page.getByTestId('line-details').getByText('ContainerStarted').waitFor();
    await page.keyboard.press('k');
    await page.getByText(`line ${line} of pleg.ts`).first().waitFor();
  });

  it('ends a loop that does not end with a message at its line, and goes on', async () => {
    const page = await visit();
    await page.keyboard.press('Shift+D');
    await page.getByTestId('workshop-code').waitFor();
    await write(page, 'export function computeEvents(): PodLifecycleEvent[] {\n  let n = 0;\n  for (;;) n++;\n}\n');
    await page.keyboard.press('Control+Enter');
    await judged(page, words['en-GB'].failed);
    await page
      .getByTestId('workshop-got')
      .getByText(/Line 3:.*does not end/)
      .waitFor();
    await write(page, await codeOf('starter.ts'));
    await page.keyboard.press('Control+Enter');
    await page.getByTestId('workshop-difference').getByText('ContainerStarted').first().waitFor();
  });

  it('shows what somebody passed who shared a link, and reads on a phone', async () => {
    const page = await visit({ hash: '#workshop=pleg:er', viewport: { width: 390, height: 844 } });
    await page.getByTestId('workshop-shared').getByText('2 of').waitFor();
    const wide = await page.evaluate(() => {
      const main = document.querySelector('.sl-workshop-main');
      return main.scrollWidth - main.clientWidth;
    });
    assert.equal(wide, 0);
  });
});
