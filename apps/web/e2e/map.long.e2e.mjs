/** The fixed map once more, as `map.e2e.mjs` measures it: every panel at every level, in Chinese, on a dark screen. */
import { it } from 'node:test';
import { onStage } from './browser.mjs';
import { walkPanels } from './map-look.mjs';

const visit = onStage({ locale: 'zh-CN', colorScheme: 'dark' });

for (const level of ['story', 'loop', 'everything'])
  it(`no panel moves or covers anything of the map: ${level}`, async () => {
    const page = await visit();
    await walkPanels(page, [level], (_, panels) => panels);
  });
