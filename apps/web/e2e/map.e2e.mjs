/**
 * One fixed map, measured: panels are opened and closed in three windows. No box moves relative to another, from window
 * to window and from Loop to Everything either; none is covered, and no label of a wire is touched; no letter that is
 * drawn is under 11 px, and at the size for a projector none under 18.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { command, onStage } from './browser.mjs';
import { drawn, look, WINDOWS, walkPanels } from './map-look.mjs';

const visit = onStage({ reducedMotion: 'reduce' });

it('nothing on the map moves, whatever is open and however large the window is', async () => {
  const page = await visit();
  // Each panel with the Loop in the smallest window, where they have least room; otherwise one on each side.
  const smallest = WINDOWS.at(-1);
  const learned = await walkPanels(page, ['loop', 'story', 'everything'], (level, panels, window) =>
    level === 'loop' && window === smallest ? panels : [panels[0], panels.at(-1)],
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
