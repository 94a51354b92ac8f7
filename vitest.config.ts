import { defineConfig } from 'vitest/config';
import { writeContent } from './scripts/content.mjs';

await writeContent();

/** Folders of the page whose modules hold state: stores, the session, what listens to the window. */
const stateful = 'apps/web/src/{app-logic,class,connection,offline,panels,recordings,store,worker}/**';

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
          include: ['packages/*/src/**/*.test.ts', '{scripts,attack}/**/*.test.mjs', 'apps/*/src/**/*.test.{ts,tsx}'],
          exclude: [...exclude, stateful],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'page', include: [`${stateful}/*.test.{ts,tsx}`], exclude } },
    ],
  },
});
