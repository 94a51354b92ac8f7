/**
 * Bundles the agent's programs and threads, and what they have of core, observe and workshop, into few files next to
 * the compiled ones: loading a thousand modules takes twice the processor time. Packages of others stay where they are.
 */
import path from 'node:path';
import { build } from 'vite';

const AGENT = path.resolve(import.meta.dirname, '../apps/agent');
const DIST = path.join(AGENT, 'dist');
/** The programs, and the threads that they start by path: see apps/agent/src/base/built.ts. */
const PROGRAMS = [
  'main',
  'main-bounded',
  'debugger/main',
  'api-data/data-worker',
  'recording/recorder-worker',
  'simulation/simulation-thread',
  'tap/aside-worker',
  'twin/live-worker',
];
/** They find files by their own place, so they must be as deep below `dist` as they are when they are not bundled. */
const PLACED = /\/agent\/dist\/(base\/(built|version)|commands\/web-root|conformance\/places)\.js$/;

/** Throws an Error that names the module if one would no longer find its files. */
export async function bundleAgent() {
  const { output } = await build({
    root: AGENT,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: [/^@syncloop\//] },
    build: {
      ssr: true,
      outDir: path.join(DIST, 'bundle'),
      emptyOutDir: true,
      minify: false,
      target: 'node20.19',
      rolldownOptions: {
        input: Object.fromEntries(PROGRAMS.map((name) => [name, path.join(DIST, `${name}.js`)])),
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          codeSplitting: { groups: [{ name: 'placed', test: PLACED }] },
        },
      },
    },
  });
  for (const { name, code, moduleIds } of output)
    if (name !== 'placed' && code?.includes('import.meta.url'))
      throw new Error(
        `one of ${moduleIds.map((id) => path.relative(DIST, id)).join(', ')} uses import.meta.url: add it to PLACED in scripts/bundle.mjs`,
      );
}
