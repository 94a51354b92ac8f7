/** A headless browser on the built page, and the few moves that tests make on it. */
import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { access, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before } from 'node:test';
import { chromium } from 'playwright-core';
import { anotherLink } from '../../agent/e2e/links.mjs';
import { DIST, serve } from './serve.mjs';

const SHELL = '/usr/bin/chromium-headless-shell';
/** The engine without a window's parts, if it is installed: it opens a page in half the processor time. */
export const executablePath = process.env.CHROMIUM ?? (existsSync(SHELL) ? SHELL : '/usr/bin/chromium');
export const CHROMIUM_ARGS = ['--no-sandbox', '--disable-gpu'];

/** Seconds of a processor that this suite's pages took in Chromium; at its end they are printed, for `npm test`. */
let pageSeconds = 0;
process.once('exit', () => {
  if (pageSeconds > 0) console.log(`pages in Chromium took ${pageSeconds.toFixed(1)} s of a processor`);
});
/** Adds what the process took that draws a page and runs its scripts and workers; other browsers do not tell. */
async function meter(page) {
  const measured = async () => {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    const { metrics } = await session.send('Performance.getMetrics');
    pageSeconds += metrics.find(({ name }) => name === 'ProcessTime')?.value ?? 0;
  };
  // One that has gone, or is too busy to answer, is closed without.
  const late = new Promise((resolve) => setTimeout(resolve, 2000).unref());
  await Promise.race([measured().catch(() => {}), late]);
}

/** The time between two looks at a page, ms: with each of its frames, as by default, it would draw for that alone. */
const POLL = { polling: 25 };

/** The least time between two frames for which a page's scripts ask, ms. */
const FRAME = 100;
/**
 * Runs in a page before its own scripts, and makes it draw as on a screen that is refreshed every `least` ms: a page
 * whose run moves on draws with each of its frames, which takes more than the run itself. A frame after a rest comes at
 * once.
 */
function drawSeldom(least) {
  const request = window.requestAnimationFrame.bind(window);
  const cancel = window.cancelAnimationFrame.bind(window);
  const waiting = new Map();
  let ids = 0;
  let last = Number.NEGATIVE_INFINITY;
  window.requestAnimationFrame = (callback) => {
    const id = ++ids;
    const ask = () => {
      const frame = request((time) => {
        waiting.delete(id);
        last = performance.now();
        callback(time);
      });
      waiting.set(id, () => cancel(frame));
    };
    const wait = last + least - performance.now();
    const timer = wait > 0 ? setTimeout(ask, wait) : null;
    if (timer === null) ask();
    else waiting.set(id, () => clearTimeout(timer));
    return id;
  };
  window.cancelAnimationFrame = (id) => {
    waiting.get(id)?.();
    waiting.delete(id);
  };
}

/** Throws with advice if there is no built page. */
export async function requireBuild() {
  await access(`${DIST}index.html`).catch(() => {
    throw new Error('the web app is not built: run "npm run build" first');
  });
}

/**
 * A browser and the built page's URL. With SHARED_STAGE it is the browser of shared-stage.mjs, in which each suite has
 * contexts of its own: closing ends these. `own`: a browser of its own in any case, for who reads the clipboard, which
 * all contexts share; so has who gives `args`, more arguments for the browser.
 */
export async function start({ args = [], own = args.length > 0 } = {}) {
  if (process.env.SHARED_STAGE && !own) {
    const { endpoint, url } = JSON.parse(process.env.SHARED_STAGE);
    const browser = await chromium.connect(endpoint);
    return { url, browser, close: () => browser.close() };
  }
  await requireBuild();
  const server = await serve();
  const browser = await chromium.launch({ executablePath, args: [...CHROMIUM_ARGS, ...args] });
  return {
    url: server.url,
    browser,
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/**
 * Opens the page; `problems` collects everything the console complains of. `init` runs in the page before its own
 * scripts, `ready: false` does not wait for a session, `pace: 'follow'` leaves it at the speed that it opens with
 * instead of real time, which takes a hundredth of it; `frames: 'seldom'` lets it draw ten times a second at most;
 * `asPrinted` opens the very link that was given; the other options are the browser context's.
 */
export async function open(
  stage,
  {
    url = stage.url,
    hash = '',
    query = '?testing=1',
    ready = true,
    pace = 'real',
    frames = 'all',
    init,
    asPrinted = false,
    ...context
  } = {},
) {
  // A page at rest takes a tenth of a processor for its motion; with `no-preference` a suite has it.
  const usual = { viewport: { width: 1440, height: 900 }, locale: 'en-GB', reducedMotion: 'reduce' };
  const ctx = await stage.browser.newContext({ ...usual, ...context });
  const page = await ctx.newPage();
  page.setDefaultTimeout(60_000);
  const problems = [];
  page.on('console', (m) => {
    if (m.type() === 'error' || m.type() === 'warning') problems.push(m.text());
  });
  page.on('pageerror', (e) => problems.push(String(e)));
  if (frames === 'seldom') await page.addInitScript(drawSeldom, FRAME);
  if (init) await page.addInitScript(init);
  // A link is usable once, and a test may open what an agent printed in several pages.
  const given = asPrinted || !/^#code=[\w-]{46}$/.test(hash) ? hash : new URL(anotherLink(`${url}${hash}`)).hash;
  await page.goto(`${url}${query}${given}`);
  if (ready) await page.waitForFunction(() => window.__syncloop?.idle(), undefined, POLL);
  if (ready && pace === 'real') {
    await command(page, 'transport.setSpeed', { mode: 'time', factor: 1 });
    await idle(page);
  }
  return {
    page,
    problems,
    async close() {
      await meter(page);
      await ctx.close();
    },
  };
}

/**
 * Puts a page back: nothing is open or selected, the first scenario is at its beginning, at real time, on the Loop.
 * Drafts and settings stay: a test that others follow puts back those that it changed.
 */
async function putBack(page) {
  await page.evaluate(async () => {
    const s = window.__syncloop;
    document.activeElement?.blur();
    if (s.run.running) await s.command('transport.toggle');
    // Each call closes one part; the last one, which finds none, a notice.
    const open = () => document.querySelector('#sl-left, #sl-bottom-body, .sl-inspector, dialog[open]');
    for (let i = 0; i < 10 && open(); i++) {
      await s.command('view.close');
      await new Promise((done) => setTimeout(done, 20));
    }
    await s.command('view.close');
    await s.command('view.level.loop');
  });
  await load(page, 'hello');
  await command(page, 'transport.setSpeed', { mode: 'time', factor: 1 });
  await command(page, 'view.fit');
  await idle(page);
  await page.evaluate(() => document.activeElement?.blur());
}

/**
 * For a file of tests: one browser for all of them, started before and closed after. Returns `visit(options)`, which
 * opens a page of its own (options as for `open`); after each test its pages are closed, and nothing may have
 * complained in them. `expected` (also per visit) is what may be complained of, `keep` leaves the pages open for the
 * tests that follow, `own` is as for `start`. With `shared`, visits without options go on in one page, which is put
 * back before each: opening one takes 1.5 s of a processor, more than most tests. After a failure it is another one.
 */
export function onStage({ keep = false, shared = false, own, expected: always, ...defaults } = {}) {
  let stage;
  const opened = [];
  /** The page in which visits without options go on. */
  let common = null;
  const close = async (kept = null) => {
    for (const o of opened.splice(0))
      if (o === kept) opened.push(o);
      else await o.close();
  };
  before(async () => {
    stage = await start({ own });
  });
  after(async () => {
    await close();
    await stage?.close();
  });
  afterEach(async ({ passed }) => {
    const problems = opened.flatMap((o) => o.problems.splice(0).filter((text) => !o.expected?.test(text)));
    if (passed === false || problems.length > 0) common = null;
    if (!keep) await close(common);
    assert.deepEqual(problems, []);
  });
  const another = async ({ expected = always, ...options } = {}) => {
    const o = { ...(await open(stage, { ...defaults, ...options })), expected };
    opened.push(o);
    return o;
  };
  return async function visit(options) {
    if (!shared || options) return (await another(options)).page;
    if (common) await putBack(common.page);
    else common = await another();
    return common.page;
  };
}

/** Saves a download, as a browser on another machine can, too; the file is gone when the process ends. */
export async function savedFile(download) {
  const folder = await mkdtemp(join(tmpdir(), 'syncloop-download-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'download');
  await download.saveAs(file);
  return file;
}

/** Returns the page's run, as numbers and texts. */
export const run = (page) => page.evaluate(() => window.__syncloop.run);
export const idle = (page) => page.waitForFunction(() => window.__syncloop.idle(), undefined, POLL);
/** Waits until the run is this many decisions on from where its scenario opened. */
export const stepped = (page, n) =>
  page.waitForFunction(
    (by) =>
      window.__syncloop.idle() && window.__syncloop.run.steps === (window.__syncloop.info?.opened?.step ?? 0) + by,
    n,
    POLL,
  );
/** Presses a key that moves the run, and waits until it has. */
export async function press(page, key) {
  const { seq } = await run(page);
  await page.keyboard.press(key);
  await page.waitForFunction((n) => window.__syncloop.idle() && window.__syncloop.run.seq !== n, seq, POLL);
}
/** Decisions taken since the scenario opened. */
export const ahead = (page) =>
  page.evaluate(() => window.__syncloop.run.steps - (window.__syncloop.info?.opened?.step ?? 0));
/** The same command that a button or key runs. */
export const command = (page, id, arg) => page.evaluate(([i, a]) => window.__syncloop.command(i, a), [id, arg]);
/** Loads a scenario, and waits until it is at its beginning. */
export async function load(page, name) {
  await command(page, 'scenario.load', { name });
  await idle(page);
}
/** Runs fast until the condition holds in the page, then stops. */
export async function until(page, condition, arg) {
  await command(page, 'transport.setSpeed', { mode: 'time', factor: 20 });
  await command(page, 'transport.toggle');
  await page.waitForFunction(condition, arg, { timeout: 60_000, polling: 20 });
  await command(page, 'transport.toggle');
  await idle(page);
}
/** Opens the manifests with a new one in the editor; until its name is there, the editor is that of another file. */
export async function newManifest(page) {
  await page.getByTestId('open-manifests').click();
  await page.getByTestId('add-manifest').click();
  await page.getByTestId('manifest-file').waitFor();
}
/** Waits until a pod of that name has that phase in the graph's lane. */
export const laneSays = (page, pod, text, timeout = 30_000) =>
  page.getByTestId(`lane-${pod}`).getByText(text, { exact: true }).first().waitFor({ timeout });
