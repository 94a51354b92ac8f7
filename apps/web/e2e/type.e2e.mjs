/**
 * Type and overlap on the graph, measured in the states that have most to show: no text under 11 px, no box over
 * another, nothing selected out of sight, no text cut without its tooltip; and the ring at a browser zoom of 200 %.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { STATES } from '../../../scripts/states.mjs';
import { command, idle, onStage } from './browser.mjs';

const visit = onStage({ shared: true, frames: 'seldom' });
/** The states that have most to show. That panels and windows change nothing is `map.long.e2e.mjs`. */
const FULL = new Set(['why', 'full-node']);
const LEAST = 11;

/** Waits until the change is drawn, and the view has gone to the selection. */
async function drawn(page) {
  await idle(page);
  await page.locator('.sl-graph .sl-part-title').nth(5).waitFor();
  await page.evaluate(async () => {
    const view = () => document.querySelector('.react-flow__viewport')?.getAttribute('style');
    // The same for this many frames.
    for (let same = 0, last = ''; same < 6; ) {
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      const now = `${view()} ${document.querySelectorAll('.react-flow__node').length}`;
      same = now === last ? same + 1 : 0;
      last = now;
    }
  });
}

/** Opens the inspector on a pod, or on what is selected already. */
async function inspect(page) {
  const uid = await page.evaluate(() => Object.keys(window.__syncloop.state.pods).at(-1));
  const onWhy = await page.evaluate(() => document.querySelector('[data-testid=why-chain]') !== null);
  if (!onWhy) await command(page, 'view.select', { kind: 'pod', uid });
  if (!(await page.locator('.sl-inspector').count())) await command(page, 'view.inspector');
  await page.locator('.sl-inspector').waitFor();
}

/** Returns the problems of the present graph, each as a sentence. */
function faults(least) {
  const out = [];
  const stage = document.querySelector('.sl-graph');
  const bounds = stage.getBoundingClientRect();
  const zoom = new DOMMatrix(getComputedStyle(document.querySelector('.react-flow__viewport')).transform).a;
  const nodes = [...stage.querySelectorAll('.react-flow__node')];
  const boxes = nodes.filter((n) => !['wires', 'marks'].includes(n.dataset.id));
  if (boxes.length < 8) out.push(`there are only ${boxes.length} boxes`);
  const rects = boxes.map((b) => ({ id: b.dataset.id, r: b.getBoundingClientRect() }));
  for (const [i, { id, r }] of rects.entries())
    for (const { id: other, r: s } of rects.slice(i + 1))
      if (r.left + 1 < s.right && s.left + 1 < r.right && r.top + 1 < s.bottom && s.top + 1 < r.bottom)
        out.push(`${id} overlaps ${other}`);

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let texts = 0;
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const element = text.parentElement;
    const words = text.data.trim();
    if (words === '' || element.closest('.sl-visually-hidden, script, style, svg, .cm-editor')) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const at = range.getBoundingClientRect();
    const style = getComputedStyle(element);
    if (at.width === 0 || style.visibility === 'hidden') continue;
    const inWorld = element.closest('.react-flow__viewport') !== null;
    const size = Number.parseFloat(style.fontSize) * (inWorld ? zoom : 1);
    if (size < least - 0.01) out.push(`"${words}" is ${size.toFixed(1)} px`);
    const node = element.closest('.react-flow__node');
    if (!node || node.dataset.id === 'wires' || node.dataset.id === 'marks') continue;
    texts++;
    const box = element.closest('.sl-cell, .sl-part, .sl-channel, .sl-handler, .sl-strip-cell, .sl-lanes');
    if (!box || box.closest('.sl-strip')) continue;
    let cut = false;
    let left = false;
    for (let e = element; e && e !== node; e = e.parentElement) {
      const { right } = e.getBoundingClientRect();
      if (getComputedStyle(e).overflowX === 'hidden' && at.right > right + 1) {
        cut = true;
        left ||= at.left >= right - 1;
      }
      if (e === box) break;
    }
    // A line that is left out as a whole is older than those in sight.
    if (left) continue;
    const edge = box.getBoundingClientRect();
    if (!cut && at.right > edge.right + 1) out.push(`"${words}" runs out of its box in ${node.dataset.id}`);
    if (cut && element.matches('.sl-part-head > :first-child, .sl-channel-top > .sl-code, .sl-handler > .sl-code'))
      out.push(`the title "${words}" is cut`);
    if (cut) {
      // A text that is cut at the right shows the whole when it is pointed at.
      element.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
      if (!element.closest('[title]:not([title=""])')) out.push(`"${words}" is cut in ${node.dataset.id}`);
    }
    // A line is in its box, or, if there are more of them than there is room, not at all.
    const frame = element.closest('.sl-part, .sl-lane, .sl-handler')?.getBoundingClientRect();
    if (frame && at.top < frame.bottom - 2 * zoom && at.bottom > frame.bottom + 3 * zoom)
      out.push(`"${words}" is cut through at the lower edge of ${node.dataset.id}`);
  }
  if (texts < 15) out.push(`there are only ${texts} texts on the graph`);

  const covering = [...document.querySelectorAll('.sl-left, .sl-inspector')].map((p) => p.getBoundingClientRect());
  const selected = stage.querySelector(
    '.react-flow__node :is([aria-pressed=true], [aria-selected=true]):not(.sl-strip-sort *)',
  );
  if (selected) {
    const r = selected.getBoundingClientRect();
    const x = r.left + Math.min(r.width, 60) / 2;
    const y = r.top + Math.min(r.height, 20) / 2;
    const inside = x > bounds.left && x < bounds.right && y > bounds.top && y < bounds.bottom;
    const hidden = covering.some((p) => x > p.left && x < p.right && y > p.top && y < p.bottom);
    if (!inside || hidden) out.push(`what is selected is ${hidden ? 'below a panel' : 'out of sight'}`);
  }
  return [...new Set(out)];
}

describe('on Loop and Story', () => {
  for (const state of STATES.filter(({ name }) => FULL.has(name)))
    it(`text can be read and is not cut without its tooltip: ${state.title}`, async () => {
      const page = await visit();
      await state.prepare(page);
      for (const level of ['loop', 'story']) {
        await command(page, `view.level.${level}`);
        await inspect(page);
        await drawn(page);
        assert.deepEqual(await page.evaluate(faults, LEAST), [], level);
      }
    });
});

describe('at a browser zoom of 200 %', () => {
  it('the whole ring is in sight, in letters that can be read', async () => {
    // 1440x900 at 200 %.
    const page = await visit({ viewport: { width: 720, height: 450 } });
    await drawn(page);
    const found = await page.evaluate(faults, LEAST).then((all) => all.filter((f) => !f.startsWith('there are only')));
    assert.deepEqual(found, []);
    const stage = await page.getByTestId('graph').boundingBox();
    const boxes = await page.locator('.react-flow__node[data-id^="story-"]').all();
    assert.equal(boxes.length, 8);
    for (const box of boxes) {
      const at = await box.boundingBox();
      assert.ok(at.x >= stage.x && at.x + at.width <= stage.x + stage.width, JSON.stringify(at));
      assert.ok(at.y >= stage.y && at.y + at.height <= stage.y + stage.height, JSON.stringify(at));
    }
  });
});
