/** The console, the pod table, events and the log in a real browser: typed, read and clicked. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { command, idle, onStage, run } from './browser.mjs';

const visit = onStage({ shared: true, frames: 'seldom' });

const outputs = (page) => page.locator('.sl-console-entry');
/** Types a line and returns its output, once it has ended. */
async function type(page, line) {
  const before = await outputs(page).count();
  await page.getByTestId('console-input').fill(line);
  await page.keyboard.press('Enter');
  await page.waitForFunction((n) => document.querySelectorAll('.sl-console-entry').length > n, before);
  await page.getByTestId('console-run').waitFor();
  return outputs(page).last().innerText();
}

describe('the console', () => {
  it('answers kubectl, crictl and its own words; a watch goes on until it is stopped', async () => {
    const page = await visit();
    await command(page, 'transport.go', { time: 5e6 });
    await page.keyboard.press('`');
    await page.waitForFunction(() => document.activeElement?.id === 'sl-console-input');
    assert.match(await type(page, 'kubectl get pods'), /hello-node1\s+1\/1\s+Running\s+0\s+4s/);
    assert.match(await type(page, 'k describe pod hello'), /QoS Class:\s+BestEffort[\s\S]*Normal\s+Started/);
    assert.match(await type(page, 'logs hello-node1 --tail 1'), /hello$/);
    assert.match(await type(page, 'crictl ps'), /Running\s+app\s+0/);
    assert.match(await type(page, 'explain pod.spec.containers.image'), /FIELD: image <string>/);
    assert.match(await type(page, 'gte pods'), /did you mean "get"\?/);
    assert.match(await type(page, 'delete pod hello-node1'), /rm hello\.yaml/);
    const { seq } = await run(page);
    await type(page, 'back record');
    await idle(page);
    assert.equal((await run(page)).seq, seq - 1);
    await type(page, 'go end');

    // Tab moves on; the arrow brings back the line before.
    const input = page.getByTestId('console-input');
    await input.fill('logs hel');
    await page.keyboard.press('Tab');
    assert.equal(await input.inputValue(), 'logs hello-node1 ');
    await input.fill('kub');
    await page.keyboard.press('ArrowUp');
    assert.equal(await input.inputValue(), 'kubectl get pods');

    await input.fill('get pods -w');
    await page.keyboard.press('Enter');
    await page.getByTestId('console-stop').waitFor();
    await command(page, 'transport.setSpeed', { mode: 'time', factor: 10 });
    await command(page, 'transport.toggle');
    await command(page, 'try.kill');
    await outputs(page)
      .last()
      .getByText(/Running\s+1 \(/)
      .waitFor();
    await input.focus();
    await page.keyboard.press('Control+c');
    await page.getByTestId('console-run').waitFor();
    assert.match(
      await type(page, 'exec hello-node1 -- sh -c "echo out; exit 3"'),
      /out\ncommand terminated with exit code 3/,
    );
    assert.match(
      await type(page, 'kubectl describe node'),
      /Conditions:[\s\S]*Ready[\s\S]*Capacity:[\s\S]*Non-terminated/,
    );
    assert.match(await type(page, 'get leases'), /there is no API server here/);
  });

  it('gets from the API server what it has, where there is one', async () => {
    const page = await visit();
    await command(page, 'scenario.load', { name: 'mirror-pod' });
    await command(page, 'transport.go', { time: 3e6 });
    await idle(page);
    await page.keyboard.press('`');
    assert.match(await type(page, 'kubectl get nodes -o wide'), /INTERNAL-IP[\s\S]*node1\s+Ready/);
    assert.match(await type(page, 'kubectl get ns'), /kube-node-lease\s+Active/);
    assert.match(await type(page, 'kubectl get events'), /LAST SEEN[\s\S]*pod\/web-node1/);
    assert.match(await type(page, 'get no node1 -o yaml'), /kind: Node[\s\S]*name: node1/);
    assert.match(await type(page, 'get cm nothing'), /\(NotFound\): configmaps "nothing" not found/);
  });
});

describe('pods, events and the log', () => {
  it('lead to their records, and a record to its line', async () => {
    const page = await visit();
    await command(page, 'scenario.load', { name: 'crash-loop' });
    await command(page, 'transport.go', { time: 40e6 });
    await idle(page);
    // The panel of the pods leads to their table; its tab is there while it is open.
    assert.equal(await page.getByTestId('tab-podTable').count(), 0);
    await page.getByTestId('open-pods').click();
    await page
      .locator('#sl-left')
      .getByRole('button', { name: /^Pod table/ })
      .click();
    assert.equal(await page.getByTestId('tab-podTable').getAttribute('aria-expanded'), 'true');
    await page.getByTestId('open-pods').click();
    const row = page.getByTestId('pod-table').locator('tbody tr');
    await row.getByText('2 (').waitFor();
    await row.getByRole('button', { name: 'crash-node1' }).click();
    await page.getByTestId('inspector').getByText('crash-node1').first().waitFor();

    await page.getByTestId('tab-events').click();
    await page.getByTestId('event-type').selectOption('Warning');
    const backOff = page.getByTestId('event-list').getByRole('button', { name: 'BackOff' });
    await backOff.click();
    assert.equal(await backOff.getAttribute('aria-pressed'), 'true');

    // The same record in the log: its line, or how far the log had come by then.
    await page.getByTestId('tab-log').click();
    await page.locator('[data-near], .sl-log[aria-pressed=true]').first().waitFor();
    await page.getByTestId('log-file').selectOption('event.go');
    const line = page.getByTestId('log').getByRole('button', { name: 'BackOff' }).last();
    await line.click();
    assert.equal(await line.getAttribute('aria-pressed'), 'true');
    assert.match(await page.getByTestId('inspector').innerText(), /event\.go|Event occurred/);
  });
});
