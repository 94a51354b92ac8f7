/** Serves the built page in a headless Chromium; and measures the memory of its processes. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const DIST = fileURLToPath(new URL('../../apps/web/dist/', import.meta.url));
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** `asked`: the paths that were asked for, in order. */
export async function startStage(executablePath, dist = DIST) {
  const asked = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const inside = normalize(pathname.slice(1) || 'index.html');
    try {
      if (inside.startsWith('..')) throw new Error('outside');
      const body = await readFile(join(dist, inside));
      asked.push(inside);
      response.writeHead(200, { 'Content-Type': TYPES[extname(inside)] ?? 'application/octet-stream' }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  const url = `http://127.0.0.1:${server.address().port}/`;
  return {
    url,
    browser,
    asked,
    /** Opens a page of its own context, with `init` run before its code; it has not gone anywhere yet. */
    async blank(init) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
      const page = await context.newPage();
      if (init) await page.addInitScript(init);
      return page;
    },
    async close() {
      await browser.close();
      await new Promise((resolve) => server.close(resolve).closeAllConnections());
    },
  };
}

export const command = (page, id, arg) => page.evaluate(([i, a]) => window.__syncloop.command(i, a), [id, arg]);
export const idle = (page) => page.waitForFunction(() => window.__syncloop?.idle());

/** Bytes of script objects after a garbage collection, MiB. */
export async function heapMiB(cdp) {
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  return round(usedSize / 2 ** 20);
}

/** Returns the most memory that the process of a browser's tabs has had so far, MiB; null if unknown. */
export async function peakRSSMiB(browser) {
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
  let most = null;
  for (const { type, id } of processInfo) {
    if (type !== 'renderer') continue;
    try {
      const kib = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1]);
      most = Math.max(most ?? 0, Math.round(kib / 1024));
    } catch {
      // Only Linux has this file.
    }
  }
  return most;
}

export const round = (x) => Number(x.toFixed(1));
export function quantiles(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (q) => round(sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: round(sorted[sorted.length - 1] ?? 0) };
}
export const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
