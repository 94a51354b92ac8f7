import { defineConfig } from 'vitest/config';

/** Tests run on the sources: the `source` condition of packages/core's exports skips the build. */
export default defineConfig({
  resolve: { conditions: ['source', 'module', 'node'] },
  ssr: { resolve: { conditions: ['source', 'module', 'node'] } },
  test: {
    exclude: ['**/node_modules/**', '**/dist/**', '**/*.e2e.test.ts'],
    testTimeout: 20_000,
    env: { TZ: 'UTC' },
    projects: [
      {
        extends: true,
        // Core has no state of its own outside what a test makes: its modules are loaded once for all files.
        test: { name: 'core', include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.mjs'], isolate: false },
      },
      { extends: true, test: { name: 'apps', include: ['apps/*/src/**/*.test.{ts,tsx}'] } },
    ],
  },
});
