/**
 * Going back as a person does it, in a real page: `full-node` (110 pods) at some decisions, in the page's worker or in
 * `syncloop serve`. For each action: ms until the page shows the moment, the page's longest frame meanwhile, and how
 * long a ping (of the worker) or a request (to the agent) waited at most. The panels that ask at each stop are open.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { LINK } from '../../apps/agent/e2e/links.mjs';
import { command, idle, quantiles, round } from '../web/stage.mjs';

const PROGRAM = fileURLToPath(new URL('../../apps/agent/bin/syncloop.mjs', import.meta.url));
/** A step is taken this long after the one before was shown: the panels ask meanwhile. */
const PAUSE = 350;

/** Runs in the page before its code. */
function probe() {
  const bench = { gaps: [], pings: [] };
  window.__travel = bench;
  let last = 0;
  const frame = (now) => {
    if (last > 0) bench.gaps.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  setInterval(() => {
    const begun = performance.now();
    window.__syncloop?.ping()?.then(() => bench.pings.push(performance.now() - begun));
  }, 50);
}

/** A moment is shown when the command has its answer, and the page the records up to there. */
async function shown(page, what) {
  return await page.evaluate(async (asked) => {
    const { __travel: bench, __syncloop: app } = window;
    await new Promise(requestAnimationFrame);
    bench.gaps.length = 0;
    bench.pings.length = 0;
    const begun = performance.now();
    await (asked.id ? app.command(asked.id, asked.arg) : app.ask(asked));
    const frame = () => new Promise(requestAnimationFrame);
    await frame();
    await frame();
    // The page may still be taking records up to the moment.
    while (app.state.seq !== app.run.seq) await frame();
    const millis = performance.now() - begun;
    await new Promise((then) => setTimeout(then, 200));
    return { millis, gaps: [...bench.gaps], pings: [...bench.pings] };
  }, what);
}

async function measured(page, request, actions) {
  const all = [];
  for (const action of actions) {
    const waits = request ? request.begin() : null;
    all.push({ ...(await shown(page, action)), waits: waits ? await waits.end() : [] });
    await page.waitForTimeout(PAUSE);
  }
  const { p50, max } = quantiles(all.map((a) => a.millis));
  const frames = quantiles(all.flatMap((a) => a.gaps));
  const pings = all.flatMap((a) => [...a.pings, ...a.waits]);
  return { n: all.length, p50, max, frameP95: frames.p95, frameMax: frames.max, pingMax: round(Math.max(0, ...pings)) };
}

const times = (n, action) => Array.from({ length: n }, () => action);

/** The ways to go from `at`, in this order: each begins where the one before has ended. */
function waysFrom({ step, time, few }) {
  const go = (to) => ({ id: 'transport.go', arg: to });
  const status = { do: 'search', breakpoint: { on: 'record', kind: 'status' }, limit: 50, backwards: true };
  return {
    stepBack: times(few ? 2 : 8, { id: 'transport.backDecision' }),
    iterationBack: times(few ? 2 : 8, { id: 'transport.backIteration' }),
    jumpNear: [1, 2, 3, 4, 5].map((n) => go({ step: step - 500 * n })),
    searchNear: times(3, status),
    searchNothing: [{ ...status, breakpoint: { on: 'log', message: 'no such message' } }],
    filter: null,
    jumpFar: [0.75, 0.5, 0.25].map((part) => go({ step: Math.round(step * part) })),
    stepBackThere: times(4, { id: 'transport.backDecision' }),
    jumpToTime: [go({ time: Math.round(time / 3) })],
    backToTheEnd: [go({ step })],
  };
}

async function travels(page, request, at) {
  const out = {};
  for (const [name, actions] of Object.entries(waysFrom(at))) {
    if (at.actions && !at.actions.includes(name)) continue;
    out[name] = actions ? await measured(page, request, actions) : await filtered(page, request);
  }
  // Runs have followed by now; in a longer run that takes minutes.
  if (at.step > 100_000 || at.actions) return out;
  await shown(page, { id: 'transport.go', arg: { step: at.step - 100 } });
  out.actNear = await measured(page, request, [{ do: 'branch' }]);
  return out;
}

/** Sets the timeline's filter, and waits until it has looked at all records of the page. */
async function filtered(page, request) {
  if ((await page.locator('[data-testid=timeline]').count()) === 0) await command(page, 'view.timeline');
  await page.waitForSelector('canvas[data-behind=false]', { timeout: 120_000 });
  const waits = request ? request.begin() : null;
  await page.evaluate(() => {
    window.__travel.gaps.length = 0;
    window.__travel.pings.length = 0;
  });
  const begun = performance.now();
  await page.locator('#sl-filter').focus();
  await page.keyboard.type('evict');
  await page.waitForSelector('[data-testid=timeline-found]', { timeout: 120_000 });
  const first = performance.now() - begun;
  await page.waitForSelector('canvas[data-behind=false]', { timeout: 120_000 });
  const millis = performance.now() - begun;
  const { gaps, pings } = await page.evaluate(() => ({ ...window.__travel }));
  const frames = quantiles(gaps);
  const all = [...pings, ...(waits ? await waits.end() : [])];
  await page.keyboard.press('Escape');
  await command(page, 'view.timeline');
  return {
    firstMillis: round(first),
    millis: round(millis),
    frameP95: frames.p95,
    frameMax: frames.max,
    pingMax: round(Math.max(0, ...all)),
  };
}

/** Requests to the agent, one after the other, while something is done. */
function requests(url) {
  return {
    begin() {
      const waits = [];
      let over = false;
      const work = (async () => {
        while (!over) {
          const begun = performance.now();
          await fetch(url).then((r) => r.arrayBuffer());
          waits.push(performance.now() - begun);
          await new Promise((then) => setTimeout(then, 30));
        }
      })();
      return {
        async end() {
          over = true;
          await work;
          return waits;
        },
      };
    },
  };
}

async function agent() {
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  const url = await new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      printed += text;
      const found = LINK.exec(printed)?.[0];
      if (found) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`syncloop serve ended with ${code}: ${printed}`)));
  });
  const over = new Promise((resolve) => child.once('exit', resolve));
  return {
    url,
    close: () => {
      child.kill('SIGTERM');
      return over;
    },
  };
}

/**
 * `at`: the position; its `few`: only few of the tests that may take minutes each; its `actions`: only these. `where`:
 * `worker`, or `agent`.
 */
export async function pageAt(stage, where, at) {
  const served = where === 'agent' ? await agent() : null;
  try {
    const page = await stage.blank(probe);
    const address = served ? served.url.replace('/#', '/?testing=1#') : `${stage.url}?testing=1`;
    await page.goto(address);
    await idle(page);
    await command(page, 'transport.setSpeed', { mode: 'max' });
    const loaded = performance.now();
    await page.evaluate((to) => window.__syncloop.ask({ do: 'load', scenario: 'full-node', to }), {
      step: at.step,
      seq: at.seq,
    });
    const loadMillis = Math.round(performance.now() - loaded);
    await idle(page);
    await command(page, 'view.branches').catch(() => {});
    await page
      .locator('[data-testid=who-goes-next]')
      .click({ timeout: 3000 })
      .catch(() => {});
    await page.waitForTimeout(1000);
    const out = {
      decisions: at.step,
      loadMillis,
      ...(await travels(page, served && requests(new URL('/', served.url)), at)),
    };
    await page.context().close();
    return out;
  } finally {
    await served?.close();
  }
}
