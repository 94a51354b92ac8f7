/**
 * Measures the first load: the bytes of the page's script over the wire, and the time until it can be used, with a
 * processor slowed down.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { median, round } from './stage.mjs';

const LOADS = 5;
/** The slowdown compared with this machine, and the time to be usable that is aimed at, ms. */
const SLOWDOWN = 4;
const GOAL = 2_000;

/** Runs before the page: notes when it can first be used. */
function probe() {
  const bench = { largest: 0, usable: 0 };
  window.__load = bench;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) bench.largest = entry.startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  const look = () => {
    if (window.__syncloop?.idle()) {
      // The page's content is painted after this frame.
      requestAnimationFrame(() => {
        bench.usable = performance.now();
      });
    } else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

const kiB = (bytes) => round(bytes / 1024);
const gzipped = (dist, files) => files.reduce((sum, f) => sum + gzipSync(readFileSync(join(dist, f))).length, 0);

/** The scripts that a file imports before it runs, itself among them. */
function withImports(dist, file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(join(dist, file), 'utf8');
  for (const [, name] of text.matchAll(/(?:\bfrom|\bimport)\s*"\.\/([\w.-]+\.js)"/g))
    withImports(dist, `assets/${name}`, found);
  return found;
}

/** `loads`: how many; the times are their medians. */
export async function firstLoad(stage, dist, loads = LOADS) {
  const html = readFileSync(join(dist, 'index.html'), 'utf8');
  const entry = [...html.matchAll(/(?:src|href)="\.\/(assets\/[\w.-]+\.js)"/g)].flatMap(([, f]) => [
    ...withImports(dist, f),
  ]);
  const all = readdirSync(join(dist, 'assets'))
    .filter((f) => f.endsWith('.js'))
    .map((f) => `assets/${f}`);
  const measured = [];
  let fetched = [];
  for (let i = 0; i < loads; i++) {
    stage.asked.length = 0;
    const page = await stage.blank(probe);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    await page.goto(`${stage.url}?testing=1`);
    await page.waitForFunction(() => window.__load.usable > 0, undefined, { timeout: 60_000 });
    fetched = [...new Set(stage.asked.filter((f) => f.endsWith('.js')))];
    const stepped = await page.evaluate(async () => {
      const t = performance.now();
      await window.__syncloop.command('transport.stepDecision');
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      return performance.now() - t;
    });
    measured.push({ ...(await page.evaluate(() => ({ ...window.__load }))), stepped });
    await page.context().close();
  }
  // The main thread's own time until then, not slowed down: on a machine that is busy otherwise this is more reliable.
  const page = await stage.blank(probe);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(`${stage.url}?testing=1`);
  await page.waitForFunction(() => window.__load.usable > 0, undefined, { timeout: 60_000 });
  const { metrics } = await cdp.send('Performance.getMetrics');
  const spent = (metric) => Math.round((metrics.find((m) => m.name === metric)?.value ?? 0) * 1000);
  await page.context().close();
  return {
    mainThreadCPUMillis: {
      all: spent('TaskDuration'),
      script: spent('ScriptDuration'),
      layout: spent('LayoutDuration'),
      style: spent('RecalcStyleDuration'),
    },
    slowdown: SLOWDOWN,
    goalUsableMillis: GOAL,
    usableMillis: Math.round(median(measured.map((l) => l.usable))),
    largestContentfulPaintMillis: Math.round(median(measured.map((l) => l.largest))),
    firstStepMillis: Math.round(median(measured.map((l) => l.stepped))),
    scriptGzipKiB: {
      entry: kiB(gzipped(dist, [...new Set(entry)])),
      /** The simulation's worker is in it. */
      firstLoad: kiB(gzipped(dist, fetched)),
      all: kiB(gzipped(dist, all)),
    },
  };
}
