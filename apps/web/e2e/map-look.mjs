/** What `map.long.e2e.mjs` measures on the map. */
import assert from 'node:assert/strict';
import { runs } from '../../../scripts/states.mjs';
import { command, idle } from './browser.mjs';

const WINDOWS = [
  { width: 1440, height: 900 },
  { width: 1280, height: 720 },
  { width: 1024, height: 768 },
];

/** Waits until the view stands still for a few frames. */
export async function drawn(page) {
  await idle(page);
  await page.locator('.sl-graph .react-flow__node .sl-part-title').nth(5).waitFor({ state: 'attached' });
  await page.evaluate(async () => {
    for (let same = 0, last = ''; same < 3; ) {
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      const boxes = document.querySelectorAll('.react-flow__node').length;
      const now = `${document.querySelector('.react-flow__viewport')?.getAttribute('style')} ${boxes}`;
      same = now === last ? same + 1 : 0;
      last = now;
    }
  });
}

/** Returns where each box and heading is on the map, and what is wrong with what is drawn, each as a sentence. */
export function look(least) {
  const wrong = [];
  const stage = document.querySelector('.sl-graph');
  const world = new DOMMatrix(getComputedStyle(document.querySelector('.react-flow__viewport')).transform);
  const origin = stage.getBoundingClientRect();
  const panels = [...document.querySelectorAll('.sl-left, .sl-inspector, .sl-below')].map((p) =>
    p.getBoundingClientRect(),
  );
  const at = {};
  const nodes = [...stage.querySelectorAll('.react-flow__node:not([data-id=wires], [data-id=marks])')];
  const rects = nodes.map((n) => [n.dataset.id, n.getBoundingClientRect()]);
  for (const heading of stage.querySelectorAll('.sl-heading')) {
    const r = heading.getBoundingClientRect();
    if (r.width > 0) at[`heading ${heading.textContent}`] = place(r).slice(0, 2);
  }
  function place(r) {
    return [
      (r.left - origin.left - world.e) / world.a,
      (r.top - origin.top - world.f) / world.a,
      r.width / world.a,
      r.height / world.a,
    ].map((n) => Math.round(n) || 0);
  }
  for (const [i, [id, r]] of rects.entries()) {
    at[id] = place(r);
    for (const [other, s] of rects.slice(i + 1))
      if (r.left + 1 < s.right && s.left + 1 < r.right && r.top + 1 < s.bottom && s.top + 1 < r.bottom)
        wrong.push(`${id} covers ${other}`);
  }
  // Labels of wires and words of marks: neither covers the other, nor a heading.
  const drawn = (selector) =>
    [...stage.querySelectorAll(selector)].flatMap((e) => {
      const range = document.createRange();
      range.selectNodeContents(e);
      const { left, right, top, bottom } = range.getBoundingClientRect();
      // Its letters, without the room of the line above and below them.
      return right > left
        ? [{ text: e.textContent, left, right, top: top + 2 * world.a, bottom: bottom - 2 * world.a }]
        : [];
    });
  const over = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const labels = drawn('.sl-wire-label');
  const headings = drawn('.sl-heading');
  const words = drawn('.sl-here-word, .sl-next-word');
  for (const [i, label] of labels.entries()) {
    for (const [id, r] of rects) if (over(label, r)) wrong.push(`the label ${label.text} touches ${id}`);
    for (const other of [...labels.slice(i + 1), ...headings, ...words])
      if (over(label, other)) wrong.push(`the label ${label.text} touches "${other.text}"`);
  }
  for (const word of words)
    for (const heading of headings)
      if (over(word, heading)) wrong.push(`the mark "${word.text}" covers the heading ${heading.text}`);
  // The map has the room that panels leave, and uses it.
  const free = { left: origin.left, right: origin.right };
  for (const p of panels) {
    if (p.top >= origin.bottom - 1 || p.bottom <= origin.top) continue;
    if (p.left <= origin.left + 1 && p.right < origin.right) free.left = Math.max(free.left, p.right);
    else if (p.right >= origin.right - 1 && p.left > origin.left) free.right = Math.min(free.right, p.left);
  }
  const left = Math.min(...rects.map(([, r]) => r.left));
  const right = Math.max(...rects.map(([, r]) => r.right));
  const room = free.right - free.left;
  if (right - left <= room && (left < free.left - 1 || right > free.right + 1)) wrong.push('a panel covers the map');
  if (right - left > room && (left > free.left + 40 || right < free.right - 40)) wrong.push('the map wastes its room');

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let texts = 0;
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const element = text.parentElement;
    if (text.data.trim() === '' || element.closest('.sl-visually-hidden, script, style, svg, .cm-editor')) continue;
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    if (range.getBoundingClientRect().width === 0) continue;
    const inWorld = element.closest('.react-flow__viewport') !== null;
    const size = Number.parseFloat(getComputedStyle(element).fontSize) * (inWorld ? world.a : 1);
    if (size < least - 0.05) wrong.push(`"${text.data.trim()}" is ${size.toFixed(1)} px`);
    if (inWorld) texts++;
  }
  if (texts < 15) wrong.push(`there are only ${texts} texts on the map`);
  return { at, wrong: [...new Set(wrong)] };
}

/**
 * Opens and closes panels in each window at each of the levels, and asserts that nothing moves. `panelsAt` chooses
 * those of a level. Returns where boxes and headings are, by level.
 */
export async function walkPanels(page, levels, panelsAt) {
  await runs(page);
  const press = (selector) => page.evaluate((s) => document.querySelector(s).click(), selector);
  const names = (selector) =>
    page.evaluate((s) => [...document.querySelectorAll(s)].map((b) => `[data-testid="${b.dataset.testid}"]`), selector);
  const panels = [...(await names('.sl-rail [data-testid]')), ...(await names('.sl-bottom [data-testid^="tab-"]'))];
  assert.ok(panels.length >= 15, panels.join());
  const learned = {};
  const check = async (level, what) => {
    // Its boxes are loaded when it is first shown.
    if (level === 'everything')
      await page
        .getByTestId(/^extra-/)
        .nth(9)
        .waitFor({ state: 'attached' });
    await drawn(page);
    const { at, wrong } = await page.evaluate(look, 11);
    assert.deepEqual(wrong, [], `${level}, ${what}`);
    // Far away the headings are not drawn.
    const known = { ...at, ...learned[level] };
    assert.deepEqual({ ...known, ...at }, known, `${level}, ${what}`);
    learned[level] = known;
  };
  for (const level of levels) {
    await command(page, `view.level.${level}`);
    for (const window of WINDOWS) {
      const size = `${window.width}x${window.height}`;
      await page.setViewportSize(window);
      await command(page, 'view.fit');
      await check(level, size);
      for (const panel of panelsAt(level, panels)) {
        await press(panel);
        await check(level, `${panel} at ${size}`);
        await press(panel);
      }
      await command(page, 'view.select', { kind: 'part', part: 'pleg' });
      if (!(await page.locator('.sl-inspector').count())) await command(page, 'view.inspector');
      await check(level, `the inspector at ${size}`);
      await command(page, 'view.inspector');
      await command(page, 'view.select', null);
      await check(level, `${size}, everything closed again`);
    }
    // Marks at other places.
    for (let i = 0; i < 6; i++) {
      await command(page, 'transport.stepIteration');
      await check(level, `iteration ${i + 1}`);
    }
  }
  return learned;
}
