import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Rolldown } from 'vite';
import { content } from './vite/content.ts';
import { offline } from './vite/offline.ts';
import { sources } from './vite/sources.ts';

const WORKER_SCRIPT = /\/session-worker\.ts$/;
/** A script of its own, which shares nothing with the page. */
const SERVICE_WORKER = /\/offline\/(plan|service-worker)\.ts$/;

/** QuickJS asks for Node's modules only where it runs in Node. */
const QUICKJS = /Module "module" has been externalized .*quickjs/;
const onwarn: NonNullable<Rolldown.RolldownOptions['onwarn']> = (warning, warn) => {
  if (!QUICKJS.test(typeof warning === 'string' ? warning : warning.message)) warn(warning);
};

/**
 * A static build with relative paths, so that it works from any folder of any file server. The `source` condition
 * bundles core's TypeScript.
 */
export default defineConfig({
  base: './',
  plugins: [react(), content(), sources(), offline()],
  resolve: { conditions: ['source', ...defaultClientConditions], dedupe: ['react', 'react-dom', 'zustand'] },
  worker: {
    format: 'es',
    // As for the page: code that every session needs is one file, not one for each part that shares something. The
    // worker's own script stays apart, because no part may import it.
    rolldownOptions: {
      checks: { pluginTimings: false },
      onwarn,
      output: {
        codeSplitting: { groups: [{ name: 'first', tags: ['$initial'], test: (id) => !WORKER_SCRIPT.test(id) }] },
      },
    },
  },
  optimizeDeps: { exclude: ['@syncloop/core', '@syncloop/observe', '@syncloop/workshop'] },
  build: {
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // The budget of the first load is in bench/counts.json; nothing here is for who only starts the program.
    chunkSizeWarningLimit: 4096,
    rolldownOptions: {
      checks: { pluginTimings: false },
      onwarn,
      output: {
        codeSplitting: {
          groups: [
            // Code that every page needs is one file, and so is a translation, whose texts stand with their features.
            { name: 'first', tags: ['$initial'], test: (id) => !SERVICE_WORKER.test(id) },
            { name: 'zh-cn', test: /\/zh-cn\.ts$/ },
          ],
        },
      },
    },
  },
});
