#!/usr/bin/env node
/**
 * Takes the pictures of docs/pictures from the built web app: `node scripts/screenshots.mjs [NAME...]`. All are WebP;
 * `state-NAME.webp` are the sheets of docs/developers/states.md, each with one state in all its looks. Needs `npm run
 * build` and a Chromium (CHROMIUM names another than /usr/bin/chromium); for the Chinese pictures a font with Chinese
 * characters.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { command, idle, load, open, start } from '../apps/web/e2e/browser.mjs';
import { bar, enter, serveClass } from '../apps/web/e2e/class-agent.mjs';
import { drop } from '../apps/web/e2e/dropped.mjs';
import { causeNames, fleetLogs } from '../packages/observe/src/testing/fleet-logs.mjs';
import { iterations, STATES, timeline } from './states.mjs';

const OUT = fileURLToPath(new URL('../docs/pictures/', import.meta.url));
/** The time for tokens to land and notices to fade, ms. */
const SETTLE_MILLIS = 700;
const WIDE = { viewport: { width: 1440, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** Height of a picture on a sheet, px. */
const HEIGHT = 600;

/** A team's own Deployment with an image that nobody else has: pasted, applied, running. */
async function ownDeployment(page) {
  const file = new URL('../packages/core/testdata/workloads/own-deployment.yaml', import.meta.url);
  await command(page, 'manifest.new.plain');
  await page.getByTestId('manifest-text').fill(await readFile(file, 'utf8'));
  await page.getByTestId('apply').click();
  await page.getByTestId('dropped').waitFor();
  const serves = () => Object.values(window.__syncloop.state.pods).some((p) => /checkout-/.test(p.pod) && p.ready);
  await command(page, 'transport.go', { time: 8e6 });
  await idle(page);
  if (!(await page.evaluate(serves))) await iterations(page, 10);
  await page.locator('.sl-notice').waitFor({ state: 'detached' });
}

/** Shows what some schedules break that the run as it is does not. */
async function explore(page) {
  await load(page, 'unfair-select');
  await command(page, 'view.explore');
  await page.getByTestId('explore-look').selectOption('never');
  await page.getByTestId('explore-example').selectOption('overwritten');
  await page.getByTestId('explore-schedules').fill('12');
  await page.getByTestId('explore-go').click();
  await page.getByTestId('explore-summary').waitFor();
}

/** Shows a presenter whose question has been answered and closed. */
async function classroom(stage, context) {
  const agent = await serveClass();
  const opened = [];
  try {
    const visit = async (options) => {
      const one = await open(stage, { ...context, ...options });
      opened.push(one);
      return one.page;
    };
    const presenter = await enter(visit, agent.presenter);
    await load(presenter, 'crash-loop');
    await iterations(presenter, 12);
    await command(presenter, 'class.present');
    await bar(presenter, 'on');
    const followers = [await enter(visit, agent.audience), await enter(visit, agent.audience)];
    for (const page of followers) await bar(page, 'live');
    await presenter.keyboard.press('q');
    await presenter.getByTestId('class-form-question').fill('Who has the container started again?');
    await presenter.getByTestId('class-form-option-0').fill('PLEG');
    await presenter.getByTestId('class-form-option-1').fill('SyncPod, once the worker gets ContainerDied');
    await presenter.getByTestId('class-form-send').click();
    for (const [i, page] of followers.entries()) {
      await page.getByTestId('class-poll').locator('input').nth(i).check();
      await page.getByTestId('class-answer').click();
    }
    await presenter.getByTestId('class-counts').getByText('1 of 2').nth(1).waitFor();
    await presenter.getByTestId('class-closed').click();
    await presenter.waitForTimeout(SETTLE_MILLIS);
    await webp(presenter, 'class', context.viewport);
    return opened.flatMap((o) => o.problems);
  } finally {
    for (const one of opened) await one.close();
    await agent.stop();
  }
}

const TWIN_LOG = new URL(
  '../packages/core/testdata/attach/v1.36-v4/static-pod-update/kubelet.v4.log.gz',
  import.meta.url,
);
const LOG = new URL('../packages/core/testdata/attach/v1.36-v4/crash-loop/kubelet.v4.log.gz', import.meta.url);
/** Shows the verdict on a real kubelet's log with a crash loop, and a moment of it with the lines of its evidence. */
async function yourOwnKubelet(page) {
  const chooser = page.waitForEvent('filechooser');
  const opened = command(page, 'files.choose');
  await (await chooser).setFiles(fileURLToPath(LOG));
  await opened;
  await page.waitForFunction(() => window.__syncloop.run.reading?.ended && window.__syncloop.idle());
  await page.getByTestId('incident').first().getByTestId('incident-go').first().click();
  await page.getByTestId('evidence').waitFor();
  await page.waitForFunction(() => window.__syncloop.idle());
}
/**
 * A real kubelet's static pod that was changed, and its twin: at one decision of both, in the twin, with the real run
 * laid over it.
 */
async function twin(page) {
  const chooser = page.waitForEvent('filechooser');
  const opened = command(page, 'files.choose');
  await (await chooser).setFiles(fileURLToPath(TWIN_LOG));
  await opened;
  await page.waitForFunction(() => window.__syncloop.run.reading?.ended && window.__syncloop.idle());
  await command(page, 'view.findings');
  await command(page, 'twin.make');
  await page.getByTestId('twin-verdict').waitFor({ timeout: 120_000 });
  const { verdict, ticks } = await page.evaluate(() => window.__syncloop.ask({ do: 'twin' }));
  // In the middle of the story: the old pod is killed.
  const kills = new Set(ticks.seen.filter(([kind]) => kind === KILL).map(([, seq]) => seq));
  const pair = verdict.pairs.find(({ seen }) => kills.has(seen)) ?? verdict.pairs[0];
  await command(page, 'twin.both');
  await command(page, 'twin.moment', pair);
  await page.getByTestId('twin-values').waitFor();
  await page.getByTestId('twin-moments').getByText('real run at').waitFor();
}
/** Place of kills among the kinds of decisions. */
const KILL = 4;

/** Shows generated logs of two dozen nodes on one clock, with a shared cause chosen. */
async function fleet(page) {
  const { nodes } = fleetLogs({ seed: 7, nodes: 24, causes: causeNames, quiet: 40 });
  await drop(page, ...nodes.map(({ name, lines }) => [`${name}.log`, [...lines()].join('')]));
  await page.getByTestId('fleet-lane').first().waitFor();
  await page.getByTestId('fleet-reading').waitFor({ state: 'detached' });
  await page.getByTestId('fleet-lanes').focus();
  for (const key of ['ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
  await page.getByTestId('fleet-details').waitFor();
}

/** Shows a learner's code in the running loop, stopped at a breakpoint. */
async function workshop(page) {
  const file = new URL('../packages/workshop/content/stages/01-pleg/reference.ts', import.meta.url);
  const code = await readFile(file, 'utf8');
  await page.keyboard.press('Shift+D');
  await page.getByTestId('workshop-code').focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(code);
  await page.keyboard.press('Control+Home');
  for (let line = code.split('\n').indexOf('  return events;'); line > 0; line--)
    await page.keyboard.press('ArrowDown');
  await page.keyboard.press('F9');
  await page.keyboard.press('Control+Shift+Enter');
  await page.getByTestId('code-at').waitFor();
  await idle(page);
  await page.locator('.sl-notice').waitFor({ state: 'detached' });
}

/** Whole pictures: each resolves with the page's complaints. */
const PICTURES = {
  'one-iteration': (stage) => picture(stage, 'one-iteration', {}, (page) => iterations(page, 3)),
  timeline: (stage) => picture(stage, 'timeline', {}, timeline),
  'your-own-kubelet': (stage) => picture(stage, 'your-own-kubelet', {}, yourOwnKubelet),
  twin: (stage) => picture(stage, 'twin', {}, twin),
  'own-deployment': (stage) => picture(stage, 'own-deployment', WIDE, ownDeployment),
  explore: (stage) => picture(stage, 'explore', WIDE, explore),
  fleet: (stage) => picture(stage, 'fleet', WIDE, fleet),
  workshop: (stage) => picture(stage, 'workshop', WIDE, workshop),
  class: (stage) => classroom(stage, WIDE),
  'narrow-loop': (stage) =>
    picture(stage, 'narrow-loop', { viewport: { width: 760, height: 900 } }, async (page) => {
      await command(page, 'view.level.loop');
      await iterations(page, 3);
    }),
};

async function picture(stage, name, options, prepare) {
  const { page, problems, close } = await open(stage, { ...options, reducedMotion: 'reduce' });
  await prepare(page);
  await page.waitForTimeout(SETTLE_MILLIS);
  await webp(page, name, page.viewportSize());
  await close();
  return problems;
}

/** Writes a page, or as much of it as `width` and `height` say, as WebP. Resolves with its size in bytes. */
async function webp(page, name, { width, height }, quality = 80) {
  const cdp = await page.context().newCDPSession(page);
  const { data } = await cdp.send('Page.captureScreenshot', {
    format: 'webp',
    quality,
    captureBeyondViewport: true,
    clip: { x: 0, y: 0, width, height, scale: 1 },
  });
  const bytes = Buffer.from(data, 'base64');
  await writeFile(`${OUT}${name}.webp`, bytes);
  return bytes.length;
}

/** One state: wide and narrow, in both languages, light and dark. */
async function looks(stage, { prepare }) {
  const taken = [];
  const complaints = [];
  for (const size of [WIDE, PHONE]) {
    const { page, problems, close } = await open(stage, { ...size, reducedMotion: 'reduce' });
    await prepare(page);
    for (const lang of ['en', 'zh-CN'])
      for (const colorScheme of ['light', 'dark']) {
        await command(page, 'settings.setLang', lang);
        await page.emulateMedia({ colorScheme });
        await page.waitForTimeout(SETTLE_MILLIS);
        taken.push({ lang, png: await page.screenshot() });
      }
    await close();
    complaints.push(...problems);
  }
  return { taken, complaints };
}

/** All looks on one sheet, English above Chinese, as WebP. */
async function sheet(stage, name, taken) {
  const context = await stage.browser.newContext({ viewport: { width: 2600, height: 1300 } });
  const page = await context.newPage();
  const row = (lang) =>
    taken
      .filter((x) => x.lang === lang)
      .map(({ png }) => `<img height=${HEIGHT} src="data:image/png;base64,${png.toString('base64')}">`)
      .join('');
  await page.setContent(
    `<body style="margin:0;background:#808890"><div id=sheet style="display:inline-grid;gap:12px;padding:12px">
    ${['en', 'zh-CN'].map((lang) => `<div style="display:flex;gap:12px">${row(lang)}</div>`).join('')}</div>`,
  );
  await page.waitForFunction(() => [...document.images].every((i) => i.complete));
  const { width, height } = await page.locator('#sheet').boundingBox();
  const bytes = await webp(page, `state-${name}`, { width, height }, 50);
  await context.close();
  return bytes;
}

const names = [...Object.keys(PICTURES), ...STATES.map((s) => `state-${s.name}`)];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`unknown picture ${unknown.join(', ')}; there are: ${names.join(', ')}`);
  process.exit(2);
}

await mkdir(OUT, { recursive: true });
const stage = await start();
try {
  for (const name of wanted.length > 0 ? wanted : names) {
    let complaints;
    let bytes;
    if (name in PICTURES) complaints = await PICTURES[name](stage);
    else {
      const state = STATES.find((s) => `state-${s.name}` === name);
      const made = await looks(stage, state);
      complaints = made.complaints;
      bytes = await sheet(stage, state.name, made.taken);
    }
    if (complaints.length > 0) throw new Error(`${name}: ${complaints.join('\n')}`);
    console.log(`docs/pictures/${name}.webp${bytes ? `, ${Math.round(bytes / 1000)} kB` : ''}`);
  }
} finally {
  await stage.close();
}
