import { defineConfig } from 'vitest/config';
import { engineFlags } from './apps/agent/src/base/engine.js';
import { BUILT, builtModules } from './scripts/built-modules.mjs';
import { writeContent } from './scripts/content.mjs';
import LongestFirst from './scripts/times-sequencer.mjs';

/** Only `npm run test:all` runs the suites that are named long; a path names any. */
const long = process.env.SYNCLOOP_QUICK === '1' ? ['**/*.long.test.{ts,mjs}'] : [];

/**
 * Tests run on the sources: the `source` condition of the packages' exports skips the build. After a build, as `npm test`
 * does one, they run on what was compiled.
 */
const isBuilt = process.env.SYNCLOOP_BUILT === '1';
/** Vitest reads this file once for each project, in one process: the content's modules are made the first time alone. */
const shared = globalThis as { contentModules?: Promise<void> };
// After a build they are there.
if (!isBuilt) shared.contentModules ??= writeContent();
await shared.contentModules;
const conditions = [...(isBuilt ? [] : ['source']), 'module', 'node'];

export default defineConfig({
  plugins: isBuilt ? [builtModules] : [],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // What a busy machine does late is not wrong: these end only what hangs, a poll as soon as it holds. No test has a
    // shorter one of its own; with SYNCLOOP_RUNS properties take longer.
    testTimeout: 900_000 + Number(process.env.SYNCLOOP_RUNS ?? 0) * 2_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 120_000 } },
    env: { TZ: 'UTC' },
    exclude: ['**/node_modules/**', '**/dist/**', ...long],
    // Files share their worker's process: starting one for each file would take longer than the tests.
    isolate: false,
    // Most of what a test allocates is garbage at once: with a larger nursery less of it is copied, which takes a tenth
    // less of a processor. Much code runs a few hundred times: optimizing it late saves a tenth.
    execArgv: ['--max-semi-space-size=64', ...engineFlags()],
    server: { deps: { external: [BUILT] } },
    sequence: { sequencer: LongestFirst },
    setupFiles: ['scripts/times-setup.mjs'],
    // Transformed modules are kept between runs, unless there are few: after a build keeping them costs more.
    experimental: { fsModuleCache: !isBuilt, fsModuleCachePath: 'node_modules/.cache/vitest' },
    projects: [
      {
        extends: true,
        // Modules hold no state, so they are loaded once for all files.
        test: {
          name: 'plain',
          include: [
            'packages/*/src/**/*.test.ts',
            'apps/agent/src/**/*.test.ts',
            '{scripts,attack,bench}/**/*.test.mjs',
          ],
        },
      },
      {
        extends: true,
        // The page's stores are modules with state: each file loads them anew.
        test: {
          name: 'page',
          include: ['apps/web/src/**/*.test.{ts,tsx}'],
          setupFiles: ['scripts/fresh-modules.mjs'],
        },
      },
    ],
  },
});
