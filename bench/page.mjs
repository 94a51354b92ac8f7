/**
 * Measures the way from the agent to a browser: the records of a simulated pod's crashes, over and over at a given
 * rate, through SessionServer and socket.io into the page in a real headless Chromium with all of its views. For each
 * rate: whether all of them came without a break in the stream, how old they were when the page had folded them into
 * its state (of a message's records the oldest counts for all), and how many frames a second it drew. Needs the build,
 * and chromium.
 */
import { fileURLToPath } from 'node:url';
import { RecordStore } from '@syncloop/core/debug';
import { findScenario, startScenario } from '@syncloop/core/scenario';
import { chromium } from 'playwright-core';
import { chromium as chromiumPath } from '../scripts/system.mjs';

const RATES = [1_000, 2_000, 5_000, 10_000, 20_000, 40_000];
/** The agent flushes at most this often, ms. */
const FLUSH = 30;
/** A rate is kept up if 99 of 100 records are in the page's state when younger than this, ms. */
const LIMIT = 100;

const wallMicros = () => Math.round((performance.timeOrigin + performance.now()) * 1000);

/** All records of a library scenario. */
export function scenarioRecords() {
  const records = [];
  startScenario(findScenario('crash-loop'), { seed: 1, sink: (record) => void records.push(record) }).run();
  return records;
}

/**
 * A session that sends `records` over and over, numbered on; their `time` is the wall clock's, so that the page knows
 * their age.
 */
export class Replay {
  store = new RecordStore();
  listeners = new Set();
  info = {
    id: 'bench',
    title: 'bench',
    capabilities: { control: false, speed: false, apply: false, intervene: false, choose: false, scenarios: false },
    scenario: '',
    seed: 0,
    runtime: '',
    node: '',
    epochMillis: 0,
    virtual: false,
  };
  constructor(records) {
    this.records = records;
  }
  runState() {
    const { last } = this.store;
    return {
      running: true,
      seq: last,
      time: last > 0 ? this.store.state.time : 0,
      steps: 0,
      iterations: 0,
      speed: { mode: 'time', factor: 1 },
      choice: null,
      next: '',
      stopped: '',
    };
  }
  execute(_command, reply) {
    reply({ ok: true, value: [] });
  }
  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
  push(time) {
    const seq = this.store.last + 1;
    const made = this.records[(seq - 1) % this.records.length];
    const on = seq - made.seq;
    const shifted = (n) => (n > 0 ? n + on : 0);
    const record = { ...made, seq, time, span: shifted(made.span), cause: shifted(made.cause) };
    if (made.kind === 'exit') record.of = shifted(made.of);
    if (made.kind === 'cri-return') record.call = shifted(made.call);
    this.store.push(record);
  }
  tell() {
    for (const listener of this.listeners) {
      listener('records');
      listener('run');
    }
  }
  async produce(rate, millis) {
    const start = performance.now();
    let made = 0;
    for (;;) {
      const elapsed = performance.now() - start;
      const due = Math.floor((Math.min(elapsed, millis) * rate) / 1000);
      const time = wallMicros();
      for (; made < due; made++) this.push(time);
      this.tell();
      if (elapsed >= millis) return made;
      await new Promise((resolve) => setTimeout(resolve, FLUSH));
    }
  }
}

/** Runs in the page, before its own code: looks at each message as soon as the page has taken it in. */
function probe() {
  const bench = { ages: [], frames: 0, welcomes: 0 };
  window.__bench = bench;
  const now = () => (performance.timeOrigin + performance.now()) * 1000;
  let seq = 0;
  const look = ({ data }) => {
    const head = String(data).slice(0, 200);
    if (head.includes('"welcome"')) bench.welcomes++;
    const oldest = /"type":"records".*?"time":(\d+)/.exec(head)?.[1];
    const state = window.__syncloop?.state;
    if (oldest === undefined || !state) return;
    bench.ages.push([now() - Number(oldest), state.seq - seq]);
    seq = state.seq;
  };
  window.WebSocket = class extends WebSocket {
    constructor(...args) {
      super(...args);
      // Later than socket.io's own, so that it is called after it.
      setTimeout(() => this.addEventListener('message', look));
    }
  };
  const frame = () => {
    bench.frames++;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

/** The quantile of [age, number of records] pairs in order of age, in ms with one decimal. */
function quantile(ages, q) {
  const total = ages.reduce((sum, [, n]) => sum + n, 0);
  let below = 0;
  for (const [age, n] of ages) {
    below += n;
    if (below >= total * q) return Math.round(age / 100) / 10;
  }
  return 0;
}

export async function run({ rates = RATES, millis = 4000 } = {}) {
  const executablePath = chromiumPath();
  if (!executablePath) return { skipped: 'there is no chromium' };
  const { serveSession } = await import('../apps/agent/dist/server/session-host.js');
  const replay = new Replay(scenarioRecords());
  const webRoot = fileURLToPath(new URL('../apps/web/dist/', import.meta.url));
  const host = await serveSession(replay, { host: '127.0.0.1', port: 0, webRoot, control: false, remedy: '' });
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const rows = [];
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.addInitScript(probe);
    await page.goto(host.link().replace('/#', '/?testing=1#'));
    await page.waitForFunction(() => window.__syncloop?.idle());
    // Compiled and warm before anything counts.
    await replay.produce(1_000, 1_000);
    for (const recordsPerSecond of rates) {
      await page.evaluate(() => void Object.assign(window.__bench, { ages: [], frames: 0, welcomes: 0 }));
      const cpu = process.cpuUsage();
      const made = await replay.produce(recordsPerSecond, millis);
      const used = process.cpuUsage(cpu);
      const { last } = replay.store;
      const caughtUp = await page
        .waitForFunction((seq) => window.__syncloop.state.seq >= seq, last, { timeout: 5_000 })
        .then(
          () => true,
          () => false,
        );
      const { ages, frames, welcomes } = await page.evaluate(() => window.__bench);
      ages.sort(([a], [b]) => a - b);
      const row = {
        recordsPerSecond,
        made,
        agentCPU: Number(((used.user + used.system) / 1000 / millis).toFixed(2)),
        caughtUp,
        breaks: welcomes,
        p50Millis: quantile(ages, 0.5),
        p99Millis: quantile(ages, 0.99),
        framesPerSecond: Math.round((frames * 1000) / millis),
      };
      rows.push(row);
      if (!caughtUp || welcomes > 0) break;
    }
  } finally {
    await browser.close();
    await host.close();
  }
  const kept = rows.filter((r) => r.caughtUp && r.breaks === 0 && r.p99Millis < LIMIT);
  return { limitMillis: LIMIT, highestKept: Math.max(0, ...kept.map((r) => r.recordsPerSecond)), rates: rows };
}
