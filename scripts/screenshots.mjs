#!/usr/bin/env node
/**
 * Takes the pictures of docs/pictures from the built web app: `node scripts/screenshots.mjs [NAME...]`. Those of the
 * README are PNG; `state-NAME.webp` are the sheets of docs/states.md, each with one state in all its looks. Needs
 * `npm run build` and a Chromium (CHROMIUM names another than /usr/bin/chromium); for the Chinese pictures a font with
 * Chinese characters.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { command, open, start } from '../apps/web/e2e/browser.mjs';
import { iterations, STATES, timeline } from './states.mjs';

const OUT = fileURLToPath(new URL('../docs/pictures/', import.meta.url));
/** What flies lands, notices fade. */
const SETTLE_MILLIS = 700;
const WIDE = { viewport: { width: 1440, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** Height of a picture on a sheet, px. */
const HEIGHT = 600;

/** Whole pictures, for the README. */
const PICTURES = { 'one-iteration': (page) => iterations(page, 3), timeline, 'your-own-kubelet': yourOwnKubelet };

const LOG = new URL('../packages/core/testdata/attach/v1.36-v4/crash-loop/kubelet.v4.log.gz', import.meta.url);
/** A crash loop of a real kubelet, seen from its log: what went wrong, and a moment of it with the lines it rests on. */
async function yourOwnKubelet(page) {
  const chooser = page.waitForEvent('filechooser');
  const opened = command(page, 'observed.open');
  await (await chooser).setFiles(fileURLToPath(LOG));
  await opened;
  await page.waitForFunction(() => window.__syncloop.run.reading?.ended && window.__syncloop.idle());
  await page.getByTestId('finding-next').first().click();
  await page.getByTestId('finding-next').first().click();
  await page.getByTestId('evidence').waitFor();
  await command(page, 'view.timeline');
  await page.waitForFunction(() => window.__syncloop.idle());
}

async function picture(stage, name) {
  const { page, problems, close } = await open(stage);
  await PICTURES[name](page);
  await page.waitForTimeout(SETTLE_MILLIS);
  await page.screenshot({ path: `${OUT}${name}.png` });
  await close();
  return problems;
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
  const cdp = await context.newCDPSession(page);
  const { data } = await cdp.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 50,
    captureBeyondViewport: true,
    clip: { x: 0, y: 0, width, height, scale: 1 },
  });
  const bytes = Buffer.from(data, 'base64');
  await writeFile(`${OUT}state-${name}.webp`, bytes);
  await context.close();
  return bytes.length;
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
    if (name in PICTURES) complaints = await picture(stage, name);
    else {
      const state = STATES.find((s) => `state-${s.name}` === name);
      const made = await looks(stage, state);
      complaints = made.complaints;
      bytes = await sheet(stage, state.name, made.taken);
    }
    if (complaints.length > 0) throw new Error(`${name}: ${complaints.join('\n')}`);
    console.log(`docs/pictures/${name}${bytes ? `.webp, ${Math.round(bytes / 1000)} kB` : '.png'}`);
  }
} finally {
  await stage.close();
}
