/** A bare page of React Flow for comparison with our graph: how evenly it draws about as much. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { quantiles, round, startStage } from './stage.mjs';

const WARM = 1500;

export async function bareGraph(executablePath, { millis = 6000 } = {}) {
  const dist = mkdtempSync(join(tmpdir(), 'syncloop-bare-'));
  let stage;
  try {
    await build({
      configFile: false,
      root: fileURLToPath(new URL('./bare', import.meta.url)),
      base: './',
      logLevel: 'error',
      define: { 'process.env.NODE_ENV': '"production"' },
      build: { outDir: dist, emptyOutDir: true },
    });
    stage = await startStage(executablePath, dist);
    const page = await stage.blank();
    await page.goto(stage.url);
    await page.locator('.react-flow__node').first().waitFor();
    await page.waitForTimeout(WARM);
    const deltas = await page.evaluate(
      (span) =>
        new Promise((resolve) => {
          const found = [];
          const begun = performance.now();
          let last = begun;
          const frame = () => {
            const now = performance.now();
            found.push(now - last);
            last = now;
            if (now - begun < span) requestAnimationFrame(frame);
            else resolve(found);
          };
          requestAnimationFrame(frame);
        }),
      millis,
    );
    const elements = await page.evaluate(() => document.querySelectorAll('.react-flow__node *').length);
    const seconds = deltas.reduce((sum, delta) => sum + delta, 0) / 1000;
    return { elements, framesPerSecond: round(deltas.length / seconds), frameMillis: quantiles(deltas) };
  } finally {
    await stage?.close();
    rmSync(dist, { recursive: true, force: true });
  }
}
