import { defineConfig } from 'vitest/config';

/** Rooms of the page that are pure functions; the modules of the others hold state: stores, the session, listeners. */
const pure = [
  'apps/web/src/{i18n,run,selection,units}/**',
  'apps/web/src/features/**/{geometry,logic,moves,parts}/**',
].map((room) => `${room}/*.test.{ts,tsx}`);
const page = 'apps/web/src/**/*.test.{ts,tsx}';
/** The page's texts, which each feature adds for itself when it is registered. */
const setupFiles = ['apps/web/src/fixtures/words.ts'];

/** `npm run check` leaves out the suites that are named long. */
const long = process.env.SYNCLOOP_QUICK === '1' ? ['**/*.long.test.ts'] : [];
const exclude = ['**/node_modules/**', '**/dist/**', ...long];

/** Tests run on the sources: the `source` condition of packages/core's exports skips the build. */
export default defineConfig({
  resolve: { conditions: ['source', 'module', 'node'] },
  ssr: { resolve: { conditions: ['source', 'module', 'node'] } },
  test: {
    testTimeout: 20_000,
    env: { TZ: 'UTC' },
    projects: [
      {
        extends: true,
        // No state outside what a test makes: modules are loaded once for all files, which saves a minute of imports.
        test: {
          name: 'plain',
          include: ['packages/*/src/**/*.test.ts', '{scripts,attack}/**/*.test.mjs', 'apps/agent/src/**/*.test.ts'],
          exclude,
          isolate: false,
        },
      },
      { extends: true, test: { name: 'pure', include: pure, exclude, isolate: false, setupFiles } },
      { extends: true, test: { name: 'page', setupFiles, include: [page], exclude: [...exclude, ...pure] } },
    ],
  },
});
