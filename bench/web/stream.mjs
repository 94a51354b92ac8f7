/**
 * Measures a long live session in little time: records from an agent at a high rate, and the page's memory after a
 * garbage collection. Its memory must not grow once its ring of records is full.
 */
import { Replay, scenarioRecords } from '../page.mjs';
import { command, heapMiB, idle } from './stage.mjs';

const RATE = 15_000;
const SAMPLES = 8;

export async function liveStream(stage, { rate = RATE, millis = 90_000, dist } = {}) {
  const { serveSession } = await import('../../apps/agent/dist/server/session-host.js');
  const replay = new Replay(scenarioRecords());
  const host = await serveSession(replay, { host: '127.0.0.1', port: 0, webRoot: dist, control: false, remedy: '' });
  try {
    const page = await stage.blank();
    await page.goto(host.url.replace('/#', '/?testing=1#'));
    await idle(page);
    const cdp = await page.context().newCDPSession(page);
    await command(page, 'view.records');
    const samples = [];
    for (let i = 0; i < SAMPLES; i++) {
      await replay.produce(rate, millis / SAMPLES);
      const { last } = replay.store;
      await page.waitForFunction((seq) => window.__syncloop.state.seq >= seq, last, { timeout: 60_000 });
      samples.push({ records: last, heapMiB: await heapMiB(cdp) });
    }
    await page.context().close();
    const { last } = replay.store;
    // The ring is full from the third on.
    const [, , from] = samples;
    const to = samples[samples.length - 1];
    return {
      recordsPerSecond: rate,
      records: last,
      minutesAtAThousandASecond: Math.round(last / 60_000),
      samples,
      growthMiB: Math.round((to.heapMiB - from.heapMiB) * 10) / 10,
    };
  } finally {
    await host.close();
  }
}
