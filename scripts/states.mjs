#!/usr/bin/env node
/**
 * The ten states that the page is judged by: name, title, and the way to it. Each is drawn in every look for
 * docs/developers/states.md, and compared with kept pictures by apps/web/e2e/states.long.e2e.mjs. Run by itself it
 * compares them: `node scripts/states.mjs [--update] [NAME...]`; `--update` keeps the present pictures.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { command, idle, load } from '../apps/web/e2e/browser.mjs';

/** When most of the 110 pods run, microseconds. */
const FULL_NODE = 8e6;

/** The first scenario once its pod runs. */
export async function runs(page) {
  await command(page, 'transport.go', { time: 4e6 });
  await idle(page);
}

export async function iterations(page, n) {
  for (let i = 0; i < n; i++) await command(page, 'transport.stepIteration');
  await idle(page);
}

/** The crash-loop scenario with its container in back-off. */
export async function crashed(page) {
  await load(page, 'crash-loop');
  await command(page, 'transport.go', { time: 40e6 });
  await idle(page);
}

export async function why(page) {
  await load(page, 'crash-loop');
  const again = () =>
    Object.values(window.__syncloop.state.containers).find((c) => c.attempt === 1 && c.state === 'running');
  // Near to it at once, then decision by decision: it does not run for long.
  await command(page, 'inspector.goTo', 700);
  for (let i = 0; i < 400 && !(await page.evaluate(again)); i++) {
    await command(page, 'transport.stepDecision');
    await idle(page);
  }
  const { id } = await page.evaluate(again);
  await command(page, 'view.select', { kind: 'container', id });
  await command(page, 'view.why');
  await page.getByTestId('why-chain').getByRole('listitem').first().waitFor();
}

export async function timeline(page) {
  await load(page, 'crash-loop');
  await iterations(page, 30);
  await command(page, 'view.timeline');
  await idle(page);
  await page.waitForFunction(() => {
    const { records, behind } = document.querySelector('[data-testid=timeline-canvas] canvas')?.dataset ?? {};
    return behind === 'false' && Number(records) >= window.__syncloop.state.seq;
  });
}

export const STATES = [
  { name: 'first-minute', title: 'The first minute', prepare: async () => {} },
  { name: 'step', title: 'A step of the loop', prepare: (page) => iterations(page, 3) },
  { name: 'running', title: 'A pod runs', prepare: runs },
  { name: 'why', title: 'A crash loop, and why', prepare: why },
  { name: 'timeline', title: 'The timeline', prepare: timeline },
  {
    name: 'lesson',
    title: 'A lesson asks',
    prepare: async (page) => {
      await command(page, 'transport.setSpeed', { mode: 'max' });
      await command(page, 'lesson.open', { name: 'syncloop', step: 4 });
      await page.locator('.sl-lesson[data-phase=reading][data-step="5"] [data-known]').waitFor();
    },
  },
  {
    name: 'full-node',
    title: '110 pods',
    prepare: async (page) => {
      await load(page, 'full-node');
      await command(page, 'transport.go', { time: FULL_NODE });
      await idle(page);
    },
  },
  {
    name: 'console',
    title: 'The console',
    prepare: async (page) => {
      await crashed(page);
      await command(page, 'view.console');
      for (const line of ['kubectl get pods', 'crictl ps -a', 'why crash-node1'])
        await command(page, 'console.run', line);
      await page.locator('.sl-console-entry').nth(2).waitFor();
    },
  },
  {
    name: 'manifests',
    title: 'The manifest editor',
    prepare: async (page) => {
      await runs(page);
      await command(page, 'view.manifests');
      await page.getByTestId('manifest-text').waitFor();
    },
  },
  {
    name: 'story',
    title: 'The story, as on a phone',
    prepare: async (page) => {
      await command(page, 'view.level.story');
      await runs(page);
    },
  },
];

async function main() {
  const { start } = await import('../apps/web/e2e/browser.mjs');
  const { compareState, LOOKS, UNHINTED } = await import('../apps/web/e2e/states.mjs');
  const args = process.argv.slice(2);
  const update = args.includes('--update');
  const names = args.filter((a) => a !== '--update');
  const unknown = names.filter((name) => !STATES.some((s) => s.name === name));
  if (unknown.length > 0) {
    console.error(`states: there is no ${unknown.join(', ')}; there are ${STATES.map((s) => s.name).join(', ')}`);
    return 2;
  }
  let failed = 0;
  const stage = await start({ args: UNHINTED });
  try {
    const tools = await stage.browser.newPage();
    for (const state of STATES.filter((s) => names.length === 0 || names.includes(s.name)))
      for (const look of Object.keys(LOOKS)) {
        const { share, problem } = await compareState(stage, tools, state, look, { update });
        if (problem) failed++;
        console.log(problem || `${state.name}, ${look}: ${update ? 'kept' : `${(share * 100).toFixed(3)} % differ`}`);
      }
  } finally {
    await stage.close();
  }
  return failed > 0 ? 1 : 0;
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) process.exit(await main());
