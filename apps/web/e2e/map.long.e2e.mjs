/** The fixed map once more, as `map.e2e.mjs` measures it: every panel at every level, in Chinese, on a dark screen. */
import { it } from 'node:test';
import { command, onStage } from './browser.mjs';
import { walkPanels } from './map-look.mjs';

const visit = onStage({ locale: 'zh-CN', colorScheme: 'dark' });

for (const level of ['story', 'loop', 'everything'])
  it(`no panel moves or covers anything of the map: ${level}`, async () => {
    const page = await visit();
    await walkPanels(page, [level], (_, panels) => panels);
  });

it('what is selected is in sight next to the panels that open with it, while the map still moves', async () => {
  const page = await visit({ viewport: { width: 1280, height: 720 }, reducedMotion: 'no-preference' });
  // Its first step selects the loop, and opens the inspector next to the lesson.
  await command(page, 'lesson.open', { name: 'syncloop' });
  await page.waitForFunction(() => {
    const box = document.querySelector('.react-flow__node[data-id=story-choice]')?.getBoundingClientRect();
    const left = document.querySelector('.sl-left')?.getBoundingClientRect();
    const right = document.querySelector('.sl-inspector')?.getBoundingClientRect();
    return box && left && right && box.left >= left.right && box.right <= right.left;
  });
});
