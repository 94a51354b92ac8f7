/**
 * One fixed map, measured: panels are opened and closed in three windows. No box moves relative to another, from window
 * to window and from Loop to Everything either; none is covered, and no label of a wire is touched; no letter that is
 * drawn is under 11 px, and at the size for a projector none under 18. Once more in Chinese, on a dark screen.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { command, onStage } from './browser.mjs';
import { drawn, look, walkPanels } from './map-look.mjs';

const visit = onStage();
const CHINESE = { locale: 'zh-CN', colorScheme: 'dark' };

for (const level of ['story', 'loop', 'everything'])
  it(`no panel moves or covers anything of the map: ${level}, in Chinese`, async () => {
    const page = await visit(CHINESE);
    await walkPanels(page, [level], (_, panels) => panels);
  });

it('nothing on the map moves, whatever is open and however large the window is', async () => {
  const page = await visit();
  const learned = await walkPanels(page, ['loop', 'story', 'everything'], (level, panels) =>
    level === 'loop' ? panels : [panels[0], panels.at(-1)],
  );
  for (const [id, place] of Object.entries(learned.loop))
    assert.deepEqual(learned.everything[id], place, `${id} in both`);

  // The size for a projector.
  await page.setViewportSize({ width: 1920, height: 1080 });
  for (const level of ['loop', 'story', 'everything']) {
    await command(page, `view.level.${level}`);
    if (level === 'loop') await command(page, 'view.present');
    await drawn(page);
    const { at, wrong } = await page.evaluate(look, 18);
    assert.deepEqual(wrong, [], `${level}, presented`);
    for (const [id, place] of Object.entries(at)) assert.deepEqual(place, learned[level][id], `${id}, presented`);
  }
});

it('what is selected is in sight next to the panels that open with it, while the map still moves', async () => {
  const page = await visit({ ...CHINESE, viewport: { width: 1280, height: 720 }, reducedMotion: 'no-preference' });
  // Its first step selects the loop, and opens the inspector next to the lesson.
  await command(page, 'lesson.open', { name: 'syncloop' });
  await page.waitForFunction(() => {
    const box = document.querySelector('.react-flow__node[data-id=story-choice]')?.getBoundingClientRect();
    const left = document.querySelector('.sl-left')?.getBoundingClientRect();
    const right = document.querySelector('.sl-inspector')?.getBoundingClientRect();
    return box && left && right && box.left >= left.right && box.right <= right.left;
  });
});
