/**
 * The timeline in a real browser: it shows the run, selects, measures, searches, and goes back in time and on again.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { command, idle, onStage, run } from './browser.mjs';

const open = onStage();

/** A run of some seconds with the timeline open. */
async function visit(iterations = 12) {
  const page = await open();
  for (let i = 0; i < iterations; i++) await command(page, 'transport.stepIteration');
  await page.keyboard.press('t');
  await page.getByTestId('timeline-canvas').waitFor();
  await settled(page);
  return page;
}
const drawn = (page) =>
  page.evaluate(() => ({ ...document.querySelector('[data-testid=timeline-canvas] canvas').dataset }));
/** Waits until the picture shows the page's state. */
async function settled(page) {
  await idle(page);
  await page.waitForFunction(() => {
    const { records, behind } = document.querySelector('[data-testid=timeline-canvas] canvas')?.dataset ?? {};
    return behind === 'false' && Number(records) >= window.__syncloop.state.seq;
  });
}
const box = (page) => page.getByTestId('timeline-canvas').boundingBox();
const spoken = (page) => page.getByTestId('timeline-spoken').textContent();

describe('the timeline', () => {
  it('shows every record, and grows with the run', async () => {
    const page = await visit(3);
    const { seq } = await run(page);
    assert.equal(Number((await drawn(page)).records), seq);
    await command(page, 'transport.stepIteration');
    await settled(page);
    const after = await run(page);
    assert.ok(after.seq > seq);
    assert.equal(Number((await drawn(page)).records), after.seq);
  });

  it('zooms at the pointer, pans, and shows all again', async () => {
    const page = await visit();
    const view = async () => (await drawn(page)).view;
    const first = await view();
    const b = await box(page);
    await page.mouse.move(b.x + 200, b.y + 60);
    await page.mouse.wheel(0, -600);
    await page.waitForFunction((v) => document.querySelector('.sl-timeline canvas').dataset.view !== v, first);
    const zoomed = await view();
    assert.ok(Number(zoomed.split(' ')[2]) > Number(first.split(' ')[2]) * 2);
    await page.mouse.down();
    await page.mouse.move(b.x + 100, b.y + 60, { steps: 4 });
    await page.mouse.up();
    await page.waitForFunction((v) => document.querySelector('.sl-timeline canvas').dataset.view !== v, zoomed);
    assert.equal((await view()).split(' ')[2], zoomed.split(' ')[2]);
    await command(page, 'timeline.fit');
    await page.waitForFunction((v) => document.querySelector('.sl-timeline canvas').dataset.view === v, first);
    await page.getByTestId('timeline-records').click();
    await page.waitForFunction(() => document.querySelector('.sl-timeline canvas').dataset.view.startsWith('records'));
  });

  it('selects by pointer and by keys, and says what is selected', async () => {
    const page = await visit();
    await page.getByTestId('timeline-records').click();
    const loop = await page
      .getByTestId('timeline')
      .getByRole('button', { name: 'syncLoop', exact: true })
      .boundingBox();
    const b = await box(page);
    await page.mouse.click(b.x + b.width / 2, loop.y + 24);
    await page.getByTestId('inspector').waitFor();
    assert.match(await spoken(page), /syncLoop/);
    await page.getByTestId('timeline-canvas').focus();
    const said = await spoken(page);
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction((s) => document.querySelector('[data-testid=timeline-spoken]').textContent !== s, said);
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction((s) => document.querySelector('[data-testid=timeline-spoken]').textContent === s, said);
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction((s) => document.querySelector('[data-testid=timeline-spoken]').textContent !== s, said);
    // The keys are the timeline's while it has the focus: nothing has stepped.
    assert.equal((await run(page)).iterations, 13);
  });

  it('measures a range', async () => {
    const page = await visit();
    const b = await box(page);
    await page.keyboard.down('Shift');
    await page.mouse.move(b.x + 100, b.y + 80);
    await page.mouse.down();
    await page.mouse.move(b.x + 700, b.y + 90, { steps: 5 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    const counts = page.getByTestId('timeline-range');
    await counts.getByText(/^[1-9][\d.]* (m?s) /).waitFor();
    assert.match(await counts.textContent(), /[1-9]\d* records, \d+ calls, \d+ to the CRI, \d+ messages/);
    await page.getByTestId('timeline-canvas').focus();
    await page.keyboard.press('Escape');
    await counts.waitFor({ state: 'detached' });
  });

  it('goes back in time, keeps what was seen, and goes to the end again', async () => {
    const page = await visit();
    const end = await run(page);
    const b = await box(page);
    await page.mouse.dblclick(b.x + b.width / 2, b.y + 80);
    await page.waitForFunction((seq) => window.__syncloop.run.seq < seq && window.__syncloop.idle(), end.seq);
    await settled(page);
    assert.equal(Number((await drawn(page)).records), end.seq);
    // Along the ruler.
    const middle = await run(page);
    await page.mouse.move(b.x + b.width / 2, b.y + 8);
    await page.mouse.down();
    await page.mouse.move(b.x + b.width / 4, b.y + 8, { steps: 8 });
    await page.mouse.up();
    await page.waitForFunction((seq) => window.__syncloop.run.seq < seq && window.__syncloop.idle(), middle.seq);
    await page.getByTestId('to-end').click();
    await page.waitForFunction((seq) => window.__syncloop.run.seq === seq && window.__syncloop.idle(), end.end.seq);
    // Another way from the past: earlier records are not the next ones any more.
    await command(page, 'timeline.go', Math.floor(end.seq / 2));
    await settled(page);
    await command(page, 'manifest.delete', 'hello.yaml');
    await settled(page);
    await page.waitForFunction(
      (seq) => Number(document.querySelector('.sl-timeline canvas').dataset.records) < seq,
      end.seq,
    );
  });

  it('marks what a search finds, and folds groups', async () => {
    const page = await visit();
    await page.locator('#sl-filter').fill('RunPodSandbox');
    const found = page.getByTestId('timeline-found');
    await found.getByText(/^[1-9]\d* found$/).waitFor();
    await found.getByRole('button', { name: 'Timeline: next match' }).click();
    await found.getByText(/^1 of \d+$/).waitFor();
    assert.match(await spoken(page), /RunPodSandbox/);
    const timeline = page.getByTestId('timeline');
    await timeline.getByRole('button', { name: 'Unfold Sources' }).click();
    await timeline.getByRole('button', { name: 'sourceFile', exact: true }).waitFor();
    await timeline.getByRole('button', { name: 'Fold Sources' }).click();
    await timeline.getByRole('button', { name: 'sourceFile', exact: true }).waitFor({ state: 'detached' });
  });
});
