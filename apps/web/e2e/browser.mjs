/** A headless browser on the built page, and the few moves that tests make on it. */
import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serve } from './serve.mjs';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

export async function start() {
  await access(fileURLToPath(new URL('../dist/index.html', import.meta.url))).catch(() => {
    throw new Error('the web app is not built: run "npm run build" first');
  });
  const server = await serve();
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  return {
    url: server.url,
    browser,
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** Opens the page; `problems` collects everything the console complains of. */
export async function open(stage, { hash = '', query = '?testing=1', ready = true, ...context } = {}) {
  const ctx = await stage.browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', ...context });
  const page = await ctx.newPage();
  page.setDefaultTimeout(30_000);
  const problems = [];
  page.on('console', (m) => {
    if (m.type() === 'error' || m.type() === 'warning') problems.push(m.text());
  });
  page.on('pageerror', (e) => problems.push(String(e)));
  await page.goto(`${stage.url}${query}${hash}`);
  if (ready) await page.waitForFunction(() => window.__syncloop?.idle());
  return { page, problems, close: () => ctx.close() };
}

/** What the page knows of the run, as numbers and texts. */
export const run = (page) => page.evaluate(() => window.__syncloop.run);
export const idle = (page) => page.waitForFunction(() => window.__syncloop.idle());
/** The same command that a button or key runs. */
export const command = (page, id, arg) => page.evaluate(([i, a]) => window.__syncloop.command(i, a), [id, arg]);
/** Waits until a pod of that name has that phase in the graph's lane. */
export const laneSays = (page, pod, text, timeout = 30_000) =>
  page.getByTestId(`lane-${pod}`).getByText(text, { exact: true }).first().waitFor({ timeout });
