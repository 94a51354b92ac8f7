#!/usr/bin/env node
/**
 * Takes docs/pictures/*.png from the built web app: `node scripts/screenshots.mjs [NAME...]`. Needs `npm run build` and a
 * Chromium (CHROMIUM names another than /usr/bin/chromium); for the Chinese pictures a font with Chinese characters.
 */
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { command, idle, open, start } from '../apps/web/e2e/browser.mjs';

const OUT = fileURLToPath(new URL('../docs/pictures/', import.meta.url));

/** Runs until the condition holds in the page, then stands still. */
async function until(page, condition) {
  await command(page, 'transport.toggle');
  await page.waitForFunction(condition, undefined, { timeout: 60_000, polling: 20 });
  await command(page, 'transport.toggle');
  await idle(page);
}
const load = async (page, name) => {
  await command(page, 'scenario.load', { name });
  await idle(page);
};
const iterations = async (page, n) => {
  for (let i = 0; i < n; i++) await command(page, 'transport.stepIteration');
  await idle(page);
};
const podRuns = () => Object.values(window.__syncloop.state.pods).some((p) => p.phase === 'Running');
const pulling = () => Object.values(window.__syncloop.state.containers).some((c) => c.state === 'running');

/** Name: how the page is opened, and what is done before the picture. */
const PICTURES = {
  'first-minute': { prepare: async () => {} },
  'one-iteration': { prepare: (page) => iterations(page, 3) },
  'running-dark': { context: { colorScheme: 'dark' }, prepare: (page) => until(page, podRuns) },
  'running-light': { prepare: (page) => until(page, podRuns) },
  'crash-loop': {
    prepare: async (page) => {
      await load(page, 'crash-loop');
      await command(page, 'transport.setSpeed', { mode: 'time', factor: 10 });
      await until(page, () =>
        Object.values(window.__syncloop.state.pods).some((p) => Object.values(p.backoffs).some((b) => b.active)),
      );
    },
  },
  why: {
    prepare: async (page) => {
      await until(page, podRuns);
      await page.getByTestId('sandbox').getByRole('button').last().click();
      await page.keyboard.press('w');
    },
  },
  timeline: {
    prepare: async (page) => {
      await load(page, 'crash-loop');
      await iterations(page, 30);
      await command(page, 'view.timeline');
      await idle(page);
    },
  },
  manifests: {
    context: { colorScheme: 'dark' },
    prepare: async (page) => {
      await until(page, pulling);
      await command(page, 'view.manifests');
      await command(page, 'view.log');
    },
  },
  chinese: { context: { locale: 'zh-CN' }, prepare: (page) => until(page, podRuns) },
  phone: {
    context: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true },
    prepare: (page) => until(page, podRuns),
  },
  wide: { context: { viewport: { width: 2560, height: 1440 } }, prepare: (page) => until(page, podRuns) },
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in PICTURES));
if (unknown.length > 0) {
  console.error(`unknown picture ${unknown.join(', ')}; there are: ${Object.keys(PICTURES).join(', ')}`);
  process.exit(2);
}

await mkdir(OUT, { recursive: true });
const stage = await start();
try {
  for (const name of wanted.length > 0 ? wanted : Object.keys(PICTURES)) {
    const { context, prepare } = PICTURES[name];
    const { page, problems, close } = await open(stage, context);
    await prepare(page);
    // What flies lands, notices fade.
    await page.waitForTimeout(700);
    await page.screenshot({ path: `${OUT}${name}.png` });
    await close();
    if (problems.length > 0) throw new Error(`${name}: ${problems.join('\n')}`);
    console.log(`docs/pictures/${name}.png`);
  }
} finally {
  await stage.close();
}
