/** A long recording in the page: from the choice of a file to a view that can be used, then to and fro in it. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { write } from '../recording.mjs';
import { command, heapMiB, idle, peakRSSMiB, quantiles } from './stage.mjs';

const SEEKS = 200;

export async function longRecording(stage, { records = 1_000_000, url = stage.url } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-bench-'));
  const file = join(folder, 'bench.syncloop');
  try {
    write(file, records);
    const page = await stage.blank();
    await page.goto(`${url}?testing=1`);
    await idle(page);
    const chooser = page.waitForEvent('filechooser');
    // It ends when the file is there.
    const opened = command(page, 'files.choose');
    const picked = await chooser;
    const start = performance.now();
    await picked.setFiles(file);
    await page.waitForFunction(() => window.__syncloop.info?.title === 'bench' && window.__syncloop.idle(), undefined, {
      polling: 'raf',
    });
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    const openMillis = Math.round(performance.now() - start);
    await opened;
    const last = await page.evaluate(() => window.__syncloop.run.end.seq);
    const seek = (seq) =>
      page.evaluate(async (to) => {
        const t = performance.now();
        await window.__syncloop.command('timeline.go', to);
        while (window.__syncloop.state.seq !== to || !window.__syncloop.idle())
          await new Promise((resolve) => setTimeout(resolve, 0));
        const known = performance.now() - t;
        // The frame with the page has been drawn when a message that is posted in it is handled.
        await new Promise((resolve) =>
          requestAnimationFrame(() => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = resolve;
            port2.postMessage(0);
          }),
        );
        return { known, painted: performance.now() - t };
      }, seq);
    let x = 42;
    const moment = () => {
      x = (Math.imul(x, 1103515245) + 12345) & 0x7fffffff;
      return 1 + (x % last);
    };
    for (let i = 0; i < 10; i++) await seek(moment());
    const times = [];
    for (let i = 0; i < SEEKS; i++) times.push(await seek(moment()));
    const cdp = await page.context().newCDPSession(page);
    const out = {
      records: last,
      fileMiB: Math.round(statSync(file).size / 2 ** 20),
      goalOpenMillis: 3_000,
      openMillis,
      goalSeekMillis: 50,
      seekKnownMillis: quantiles(times.map((t) => t.known)),
      seekPaintedMillis: quantiles(times.map((t) => t.painted)),
      heapMiB: await heapMiB(cdp),
      // Memory of the processes of the page, its worker and the renderer.
      peakRSSMiB: await peakRSSMiB(stage.browser),
    };
    await page.context().close();
    return out;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
