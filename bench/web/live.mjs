/** 110 pods at full activity: how evenly the page draws, and how soon a click shows. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, idle, quantiles, round } from './stage.mjs';

const MODES = [
  // The start of 110 pods, stretched: thousands of records a second all the time.
  { name: 'start, 10 times slower', speed: { mode: 'time', factor: 0.1 }, from: 1_000_000, millis: 10_000 },
  { name: 'all of it, in real time', speed: { mode: 'time', factor: 1 }, from: 0, millis: 9_000 },
];
/** Cases for the level Everything: 60 frames a second are the goal of the first, 30 of the second. */
export const EVERYTHING = [
  { name: 'everything, in real time', speed: { mode: 'time', factor: 1 }, from: 30_000_000, millis: 9_000 },
  { name: 'everything, at full speed', speed: { mode: 'max' }, from: 5_000_000, millis: 9_000 },
];
const CLICK_EVERY = 400;
/** A folder for a profile of the page's thread in each mode; none are taken without it. */
const PROFILES = process.env.SYNCLOOP_BENCH_PROFILES;

/** Runs in the page before its code. */
function probe() {
  const bench = { deltas: [], long: [], events: [] };
  window.__live = bench;
  let last = 0;
  const frame = (now) => {
    if (last > 0) bench.deltas.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) bench.long.push(entry.duration);
  }).observe({ type: 'longtask' });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (entry.name === 'click') bench.events.push(entry.duration);
  }).observe({ type: 'event', durationThreshold: 16 });
}

export async function liveGraph(stage, { modes = MODES, url = stage.url, level = '' } = {}) {
  const page = await stage.blank(probe);
  await page.goto(`${url}?testing=1`);
  await idle(page);
  await command(page, 'scenario.load', { name: 'full-node' });
  await idle(page);
  if (level !== '') await command(page, `view.level.${level}`);
  // A share of processor time, not of wall time, because the machine may be busy with other programs.
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const profiler = await page.context().newCDPSession(page);
  if (PROFILES) await profiler.send('Profiler.enable');
  const used = async () => {
    const { metrics } = await cdp.send('Performance.getMetrics');
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value * 1000]));
  };
  const rows = [];
  for (const { name, speed, from, millis } of modes) {
    await command(page, 'transport.restart');
    await idle(page);
    if (from > 0) {
      await command(page, 'transport.setSpeed', { mode: 'max' });
      await command(page, 'transport.toggle');
      await page.waitForFunction((t) => window.__syncloop.run.time >= t, from, { polling: 'raf' });
      await command(page, 'transport.toggle');
      await idle(page);
    }
    await command(page, 'transport.setSpeed', speed);
    await page.evaluate(() => {
      window.__live.deltas.length = 0;
      window.__live.long.length = 0;
      window.__live.events.length = 0;
    });
    const before = await page.evaluate(() => window.__syncloop.state.seq);
    const cpu = await used();
    if (PROFILES) await profiler.send('Profiler.start');
    await command(page, 'transport.toggle');
    const start = performance.now();
    let clicks = 0;
    while (performance.now() - start < millis) {
      // Clicks go to cells of the strip, if it is there; else to the graph.
      await page.mouse.click(820 + ((clicks * 97) % 500), 200 + ((clicks * 53) % 220));
      clicks++;
      await page.waitForTimeout(CLICK_EVERY);
    }
    const cpuAfter = await used();
    if (PROFILES) {
      const { profile } = await profiler.send('Profiler.stop');
      writeFileSync(join(PROFILES, `${name.replace(/\W+/g, '-')}.cpuprofile`), JSON.stringify(profile));
    }
    const after = await page.evaluate(() => ({ ...window.__live, seq: window.__syncloop.state.seq }));
    await command(page, 'transport.toggle');
    await idle(page);
    await page.keyboard.press('Escape');
    const seconds = (performance.now() - start) / 1000;
    const { p50, ...rest } = quantiles(after.deltas);
    const perFrame = (metric) => round((cpuAfter[metric] - cpu[metric]) / after.deltas.length);
    rows.push({
      name,
      recordsPerSecond: Math.round((after.seq - before) / seconds),
      frameMillis: { median: p50, ...rest },
      framesPerSecond: round(after.deltas.length / seconds),
      mainThreadCPUMillisPerFrame: {
        all: perFrame('TaskDuration'),
        script: perFrame('ScriptDuration'),
        layout: perFrame('LayoutDuration'),
        style: perFrame('RecalcStyleDuration'),
      },
      longTasks: { count: after.long.length, ...quantiles(after.long) },
      // The browser does not report clicks that were shown within 16 ms.
      clickToPaintMillis: quantiles([...after.events, ...Array(Math.max(0, clicks - after.events.length)).fill(16)]),
    });
  }
  const shown = await page.evaluate(() => document.querySelectorAll('.react-flow__node *').length);
  await page.context().close();
  return { pods: 110, elementsInTheGraph: shown, goalFrameMillis: { median: 16.7, p95: 33 }, modes: rows };
}
