/**
 * Measures what a first load sends over the wire: the page attached to an agent, which sends Brotli, as the browser
 * counts its bytes; and the page with its own worker from a static host, its files as gzip and as Brotli of the agent's
 * level. Without the service worker, which fetches the rest behind it. Needs the build, and chromium.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { chromium } from '../scripts/system.mjs';
import { Replay, scenarioRecords } from './page.mjs';
import { DIST, idle, startStage } from './web/stage.mjs';

/** The agent's level (apps/agent/src/server/static-files.ts). */
const QUALITY = 9;
const brotli = (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } });

/** Opens an address in a page without a service worker; resolves with what the browser received until it was idle. */
async function received(stage, url) {
  const context = await stage.browser.newContext({ locale: 'en-GB', serviceWorkers: 'block' });
  try {
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    await cdp.send('Network.enable');
    const sum = { bytes: 0, requests: 0 };
    cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
      sum.bytes += encodedDataLength;
      sum.requests++;
    });
    await page.goto(url);
    await idle(page);
    await page.waitForLoadState('networkidle');
    return sum;
  } finally {
    await context.close();
  }
}

async function attached(stage, dist) {
  const { serveSession } = await import('../apps/agent/dist/server/session-host.js');
  const replay = new Replay(scenarioRecords());
  const host = await serveSession(replay, { host: '127.0.0.1', port: 0, webRoot: dist, control: false, remedy: '' });
  try {
    // A page of a run that goes on, not of one that has no record yet.
    await replay.produce(1_000, 500);
    return await received(stage, host.link().replace('/#', '/?testing=1#'));
  } finally {
    await host.close();
  }
}

export async function run({ dist = DIST } = {}) {
  const executablePath = chromium();
  if (!executablePath) return { skipped: 'there is no chromium' };
  const stage = await startStage(executablePath, dist);
  try {
    const own = await received(stage, `${stage.url}?testing=1`);
    const files = [...new Set(stage.asked)];
    const packed = (pack) => files.reduce((sum, file) => sum + pack(readFileSync(join(dist, file))).length, 0);
    return {
      ownWorker: {
        // The browser does not count what its worker loads as the page's.
        requests: stage.asked.length,
        twice: stage.asked.length - files.length,
        pageRequests: own.requests,
        gzipBytes: packed(gzipSync),
        brotliBytes: packed(brotli),
      },
      attached: await attached(stage, dist),
    };
  } finally {
    await stage.close();
  }
}
