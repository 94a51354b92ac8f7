/**
 * The page around the graph: menus by keyboard, sizes, what survives a reload, undo, and texts that are longer than
 * ours.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ahead, command, idle, onStage, run } from './browser.mjs';

const visit = onStage({ shared: true, frames: 'seldom' });
const iterations = async (page, n) => {
  for (let i = 0; i < n; i++) await command(page, 'transport.stepIteration');
  await idle(page);
};
const kept = (page, key) => page.evaluate((k) => sessionStorage.getItem(`syncloop.${k}`), key);
const focused = (page) => page.evaluate(() => document.activeElement?.getAttribute('data-testid'));

it('has high contrast where the system asks for it', async () => {
  // The page hears of the system's wish a moment after it has changed.
  const strong = (page) => page.locator('html[data-contrast="more"]').waitFor({ state: 'attached' });
  const page = await visit();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.contrast), undefined);
  await page.emulateMedia({ contrast: 'more' });
  await strong(page);
  await page.reload();
  await strong(page);
  await page.emulateMedia({ contrast: 'no-preference' });
  await page.locator('html:not([data-contrast])').waitFor({ state: 'attached' });
  await page.waitForFunction(() => window.__syncloop?.idle());
});

describe('menus and panels', () => {
  it('are worked by keys, and the focus comes back', async () => {
    const page = await visit();
    await page.getByTestId('menu-view').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    assert.equal(await focused(page), 'item-settings.contrast');
    await page.keyboard.press('ArrowDown');
    assert.equal(await focused(page), 'item-view.level.story');
    await page.keyboard.press('Escape');
    assert.equal(await focused(page), 'menu-view');
    await page.keyboard.press('Enter');
    await page.keyboard.press('d');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    assert.equal(await page.getByRole('menu').count(), 0);
    assert.equal(await focused(page), 'menu-view');
    await command(page, 'settings.theme.system');
  });

  it('have sizes that are changed by keys and pointer, and kept', async () => {
    const page = await visit();
    await command(page, 'view.pods');
    const width = () => page.locator('#sl-left').evaluate((e) => e.getBoundingClientRect().width);
    const before = await width();
    await page.getByRole('separator', { name: 'Width of the left panel' }).press('ArrowRight');
    assert.equal(await width(), before + 24);
    const edge = await page.getByRole('separator').boundingBox();
    await page.mouse.move(edge.x + 4, edge.y + 200);
    await page.mouse.down();
    await page.mouse.move(edge.x + 54, edge.y + 200);
    await page.mouse.up();
    assert.equal(Math.round(await width()), before + 74);
    await page.reload();
    await page.waitForFunction(() => window.__syncloop?.idle());
    assert.equal(Math.round(await width()), before + 74);
  });
});

describe('a reload', () => {
  it('keeps the run, where it stands, and what is open', async () => {
    const page = await visit();
    await command(page, 'scenario.load', { name: 'crash-loop', seed: 3 });
    await iterations(page, 4);
    await command(page, 'view.records');
    await command(page, 'view.select', { kind: 'part', part: 'pleg' });
    const { steps, seq } = await run(page);
    await page.waitForFunction(() => sessionStorage.getItem('syncloop.moment') !== null);
    await page.waitForTimeout(700);
    await page.reload();
    await page.getByText('The page is as it was before the reload.').waitFor();
    await idle(page);
    const again = await run(page);
    assert.deepEqual([again.steps, again.seq], [steps, seq]);
    assert.equal(await page.evaluate(() => window.__syncloop.info.scenario), 'crash-loop');
    await page.locator('#sl-bottom-body').waitFor();
    await page.getByTestId('inspector').getByRole('heading', { name: 'PLEG' }).waitFor();
  });

  it('drops what it cannot use, says so, and opens as always', async () => {
    const page = await visit();
    // At the beginning of the next load: until then the page itself keeps, or forgets, its moment.
    await page.addInitScript(() => {
      sessionStorage.setItem('syncloop.moment', JSON.stringify({ link: '', moment: 'v1.jnonsense' }));
      sessionStorage.setItem('syncloop.view', '{"left":"nowhere","bottom":7,"filter":');
      localStorage.setItem('syncloop.sizes', 'null]');
      localStorage.setItem('syncloop.theme', 'loud');
    });
    await page.reload();
    await page.getByText('could not be restored and was dropped').waitFor();
    await idle(page);
    assert.equal(await ahead(page), 0);
    assert.equal(await kept(page, 'moment'), null);
  });
});

it('what was removed comes back with the button that is offered, and by Mod+Z', async () => {
  const page = await visit();
  await iterations(page, 2);
  await page.getByTestId('open-manifests').click();
  await page.getByTestId('files').getByText('hello.yaml').waitFor();
  await command(page, 'manifest.delete', 'hello.yaml');
  await page.waitForFunction(() => !document.querySelector('[data-testid=files]')?.textContent.includes('hello.yaml'));
  await page.getByTestId('notice-action').click();
  await page.getByTestId('files').getByText('hello.yaml').waitFor();
  await command(page, 'manifest.delete', 'hello.yaml');
  await page.keyboard.press('Control+z');
  await page.getByTestId('files').getByText('hello.yaml').waitFor();
});

describe('texts that are 40 % longer', () => {
  const query = '?testing=1&lang=pseudo';
  /** Texts in sight, and names, that are neither in the catalogue nor the kubelet's own. */
  const strangers = (page) =>
    page.evaluate(() => {
      // Data: names of the kubelet's own, the narrator's sentences, keys, numbers.
      const DATA =
        'code, kbd, pre, .sl-code, .sl-said, .sl-said-why, .sl-what-card dd, .sl-next, .sl-session, .sl-graph, .sl-brand h1, .sl-speed-text, .sl-rows, .sl-card, .sl-tree, .sl-branch, .sl-inspector h2, .sl-inspector [data-testid=changed], option';
      const found = [];
      const own = (text) => !/\p{L}{2}/u.test(text) || text.includes('⟦') || text.includes('⟧');
      const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walk.nextNode()) {
        const { parentElement: parent, textContent: text } = walk.currentNode;
        if (!parent?.checkVisibility() || parent.closest(`${DATA}, noscript, script`)) continue;
        if (!own(text) && !own(parent.textContent)) found.push(`text: ${text}`);
      }
      for (const attribute of ['aria-label', 'title', 'placeholder', 'aria-valuetext'])
        for (const element of document.querySelectorAll(`[${attribute}]`)) {
          if (!element.checkVisibility() || element.closest(DATA)) continue;
          const text = element.getAttribute(attribute);
          if (!own(text)) found.push(`${attribute}: ${text}`);
        }
      return [...new Set(found)];
    });
  /** Returns what sticks out of the window to the side, if nothing scrolls it. */
  const sticksOut = (page) =>
    page.evaluate(() => {
      const out = [];
      if (document.documentElement.scrollWidth > innerWidth) out.push(`page: ${document.documentElement.scrollWidth}`);
      for (const e of document.querySelectorAll('button, input, h1, h2, p, [role=menuitem], [role=menuitemradio]')) {
        if (
          !e.checkVisibility() ||
          e.closest('.sl-graph, .sl-tabs, .sl-second, .sl-rows, .sl-visually-hidden, .sl-skips')
        )
          continue;
        const { left, right, width } = e.getBoundingClientRect();
        if (width > 1 && (left < -0.5 || right > innerWidth + 0.5))
          out.push(`${e.className || e.tagName}: ${Math.round(left)} to ${Math.round(right)}`);
      }
      return out;
    });
  const PANELS = [
    'view.scenarios',
    'view.pods',
    'view.records',
    'view.branches',
    'view.breakpoints',
    'inspector.changed',
  ];

  for (const [name, context] of [
    ['a wide window', {}],
    ['a phone', { viewport: { width: 360, height: 720 }, hasTouch: true, isMobile: true }],
  ])
    it(`have room in ${name}, and all come from the catalogue`, async () => {
      const page = await visit({ ...context, query });
      await iterations(page, 3);
      const found = [];
      const look = async (where) => {
        await page.waitForTimeout(100);
        found.push(...(await strangers(page)).map((x) => `${where}: ${x}`));
        found.push(...(await sticksOut(page)).map((x) => `${where} sticks out: ${x}`));
      };
      await look('page');
      for (const menu of ['session', 'share', 'view']) {
        await page.getByTestId(`menu-${menu}`).click();
        await look(menu);
        await page.keyboard.press('Escape');
      }
      await page.getByTestId('other-steps').click();
      await look('steps');
      await page.keyboard.press('Escape');
      for (const panel of PANELS) {
        await command(page, panel);
        await look(panel);
      }
      for (const dialog of ['view.palette', 'view.shortcuts', 'session.liveNode']) {
        await command(page, dialog);
        await page.getByRole('dialog').waitFor();
        await look(dialog);
        await page.keyboard.press('Escape');
      }
      assert.deepEqual(found, []);
    });
});
