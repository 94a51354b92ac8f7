/**
 * The page by keyboard alone: every stop of Tab can be seen, none is a trap, and every part that closes gives the focus
 * back.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { idle, onStage, press, run } from './browser.mjs';

const visit = onStage({ own: true, permissions: ['clipboard-read', 'clipboard-write'] });

/**
 * The element with the focus, within the editor's shadow root too: its name, the region that it is in, how it shows.
 */
const stop = (page) =>
  page.evaluate(() => {
    let e = document.activeElement;
    while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
    if (!e || e === document.body) return null;
    const { x, y, width, height } = e.getBoundingClientRect();
    const outline = [null, '::after'].map((pseudo) => getComputedStyle(e, pseudo));
    return {
      id: e.getAttribute('data-testid') ?? e.id,
      name: e.getAttribute('aria-label') ?? e.textContent?.trim().slice(0, 40),
      region:
        e.closest('.sl-skips, .sl-header, .sl-rail, aside, main, .sl-below, dialog')?.className.split(' ')[0] ?? '',
      // A separator shows it by its line.
      marked:
        outline.some((s) => s.outlineStyle !== 'none' && Number.parseFloat(s.outlineWidth) > 0) ||
        (e.role === 'separator' && outline[1]?.backgroundColor !== 'rgba(0, 0, 0, 0)'),
      inSight: x < innerWidth && y < innerHeight && x + width > 0 && y + height > 0,
    };
  });
/** The name of the element with the focus, without how it shows, which the page would compute for each stop. */
const at = (page) =>
  page.evaluate(() => {
    let e = document.activeElement;
    while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
    return e && e !== document.body ? (e.getAttribute('data-testid') ?? e.id) : null;
  });
const focused = (page, id) =>
  page.waitForFunction((i) => [document.activeElement?.dataset.testid, document.activeElement?.id].includes(i), id);
/** Presses Tab until the focus is at that place. */
async function tabTo(page, id, key = 'Tab') {
  for (let i = 0; i < 120; i++) {
    await page.keyboard.press(key);
    if ((await at(page)) === id) return;
  }
  throw new Error(`${key} does not come to ${id}`);
}
/** Presses Escape until that panel is gone: notices and overlays go first. */
async function leave(page, panel) {
  for (let i = 0; i < 5 && (await page.locator(panel).count()) > 0; i++) await page.keyboard.press('Escape');
  assert.equal(await page.locator(panel).count(), 0);
}
/** All stops of Tab from the page's beginning until it is left. */
async function walk(page) {
  await page.evaluate(() => document.activeElement?.blur());
  await page.getByRole('button', { name: 'Skip to the transport controls' }).focus();
  const stops = [await stop(page)];
  for (let i = 0; i < 250; i++) {
    await page.keyboard.press('Tab');
    const s = await stop(page);
    if (s === null) return stops;
    stops.push(s);
  }
  throw new Error(`Tab never leaves: ${stops.slice(-5).map((s) => s.name)}`);
}
/** All of them marked and in sight, region after region as they are on the page. */
function good(stops) {
  assert.deepEqual(
    stops.filter((s) => !s.marked || !s.inSight).map((s) => `${s.region} ${s.id} ${s.name}`),
    [],
  );
  return stops.map((s) => s.region).filter((region, i, all) => region !== all[i - 1]);
}

it('Tab goes through the page as it is read, seen at each stop, and out again', async () => {
  const page = await visit();
  for (let i = 0; i < 6; i++) await page.keyboard.press('Shift+ArrowRight');
  await page.waitForFunction(() => window.__syncloop.run.iterations === 7 && window.__syncloop.idle());
  const regions = ['sl-skips', 'sl-header', 'sl-rail', 'sl-main', 'sl-below'];
  assert.deepEqual(good(await walk(page)), regions);
  await page.keyboard.press('p');
  await page.keyboard.press('r');
  await page.locator('#sl-left-body .sl-card').first().waitFor();
  await page.getByTestId('pleg').getByRole('button').first().focus();
  await page.keyboard.press('Enter');
  await page.getByTestId('inspector').waitFor();
  assert.deepEqual(good(await walk(page)), [
    ...['sl-skips', 'sl-header', 'sl-rail', 'sl-panel', 'sl-main', 'sl-panel', 'sl-below'],
  ]);
});

it('a learner’s way: run, step, back, select, why, breakpoint, timeline, console, lessons, link', async () => {
  const page = await visit();
  const steps = async () => (await run(page)).steps;

  // By the skip link to the transport, and by its buttons.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await tabTo(page, 'step');
  await press(page, 'Space');
  assert.equal(await at(page), 'step');
  const { seq } = await run(page);
  await press(page, 'ArrowRight');
  await press(page, 'ArrowLeft');
  assert.equal((await run(page)).seq, seq);
  await press(page, 'Alt+ArrowRight');
  await press(page, 'Alt+ArrowLeft');

  // From elsewhere Space runs and pauses.
  await page.keyboard.press('Control+k');
  await focused(page, 'palette-input');
  await page.keyboard.press('Escape');
  await focused(page, 'step');
  await tabTo(page, 'toggle', 'Shift+Tab');
  await page.keyboard.press('Space');
  await page.waitForFunction(() => Object.values(window.__syncloop.state.pods).some((p) => p.phase === 'Running'));
  await page.keyboard.press('Space');
  await idle(page);
  assert.equal((await run(page)).running, false);
  assert.ok((await steps()) > 10);

  // The pod by name; why it is as it is; back to the selection before.
  await page.keyboard.press('Control+k');
  await focused(page, 'palette-input');
  await page.keyboard.type('hello-node1');
  await page.getByRole('option', { name: 'hello-node1', exact: true }).waitFor();
  await page.keyboard.press('Enter');
  const inspector = page.getByTestId('inspector');
  await inspector.getByRole('heading', { name: 'hello-node1' }).waitFor();
  await page.keyboard.press('w');
  await page.getByTestId('why-chain').waitFor();
  await focused(page, 'toggle');
  await tabTo(page, 'sl-tab-why');
  await page.keyboard.press('ArrowRight');
  await focused(page, 'sl-tab-changed');
  await page.keyboard.press('Escape');
  await inspector.waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.activeElement !== document.body);

  // A box of the graph, a breakpoint on it, and the list of them.
  const channel = page.getByTestId('channel-plegCh').getByRole('button').first();
  await channel.focus();
  await page.keyboard.press('Enter');
  await inspector.waitFor();
  await page.keyboard.press('b');
  await page.keyboard.press('k');
  await page.getByTestId('breakpoint-b1').waitFor();
  await leave(page, '#sl-bottom-body');
  assert.ok(await channel.evaluate((e) => e === document.activeElement), 'the focus is where it was');

  // The timeline has keys of its own, and lets go.
  await page.keyboard.press('t');
  await page.getByTestId('timeline-canvas').waitFor();
  await tabTo(page, 'timeline-canvas');
  await page.keyboard.press('ArrowLeft');
  const before = await steps();
  await page.waitForFunction(() => document.querySelector('[data-testid=timeline-spoken]')?.textContent !== '');
  assert.equal(await steps(), before);
  await page.keyboard.press('Tab');
  assert.notEqual(await at(page), 'timeline-canvas');
  await page.keyboard.press('t');
  await page.getByTestId('timeline-canvas').waitFor({ state: 'detached' });

  // The console takes letters; Escape leaves it, and closes it.
  await page.keyboard.press('`');
  await focused(page, 'sl-console-input');
  await page.keyboard.type('get pods');
  await page.keyboard.press('Enter');
  await page.locator('.sl-console-entry').getByText('hello-node1').first().waitFor();
  await leave(page, '#sl-bottom-body');
  await page.waitForFunction(() => document.activeElement !== document.body);

  // A lesson by its name in the list, and out of it again.
  await page.keyboard.press('Shift+S');
  await page.getByTestId('begin-syncloop').waitFor();
  await tabTo(page, 'begin-syncloop');
  await page.keyboard.press('Enter');
  await page.locator('.sl-lesson[data-phase=reading] [data-known]').waitFor();
  await focused(page, 'lesson-next');
  await tabTo(page, 'lesson-leave', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByTestId('begin-syncloop').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('#sl-left').waitFor({ state: 'detached' });

  // The link to this very moment.
  await page.keyboard.press('c');
  await page.getByText('The link is copied').waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /#.*run=/);
});

it('dialogs hold the focus, close with Escape, and give it back', async () => {
  const page = await visit();
  await page.getByTestId('menu-view').focus();
  for (const key of ['Control+k', '?', 'x']) {
    await page.keyboard.press(key);
    await page.waitForFunction(() => document.activeElement?.closest('dialog') !== null);
    // Around: nothing of the page behind it, at most the browser's own.
    for (let i = 0; i < 5; i++) {
      await page.keyboard.press('Tab');
      const s = await stop(page);
      assert.ok(s === null || s.region === 'sl-dialog', `${key}: ${s?.name}`);
    }
    await page.keyboard.press('Escape');
    await focused(page, 'menu-view');
  }
  // A menu is left by Tab, too.
  await page.keyboard.press('ArrowDown');
  assert.match(await at(page), /^item-/);
  await page.keyboard.press('Tab');
  assert.equal(await page.getByRole('menu').count(), 0);
  // The edge of a panel by its arrows.
  await page.keyboard.press('s');
  await page.locator('#sl-left').waitFor();
  const edge = page.getByRole('separator');
  await edge.focus();
  const width = await edge.getAttribute('aria-valuenow');
  await page.keyboard.press('ArrowRight');
  assert.notEqual(await edge.getAttribute('aria-valuenow'), width);
  assert.ok((await stop(page)).marked);
});
