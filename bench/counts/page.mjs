/**
 * Counts of the built page's first load in a real browser: requests, and bytes as a server that packs would send them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DIST, idle, startStage } from '../web/stage.mjs';

/** Counts from the page's address to a session that is at its beginning; `executablePath` is the browser's. */
export async function pageCounts(executablePath, dist = DIST) {
  const stage = await startStage(executablePath, dist);
  try {
    // The service worker would fetch everything else behind it.
    const context = await stage.browser.newContext({ locale: 'en-GB', serviceWorkers: 'block' });
    const page = await context.newPage();
    await page.goto(`${stage.url}?testing=1`);
    await idle(page);
    await page.waitForLoadState('networkidle');
    const files = [...new Set(stage.asked)];
    const bytes = (wanted) =>
      files.filter((f) => wanted.test(f)).reduce((sum, f) => sum + gzipSync(readFileSync(join(dist, f))).length, 0);
    await context.close();
    return {
      firstLoadRequests: stage.asked.length,
      firstLoadScriptBytes: bytes(/\.js$/),
      firstLoadStyleBytes: bytes(/\.css$/),
      firstLoadBytes: bytes(/./),
    };
  } finally {
    await stage.close();
  }
}
