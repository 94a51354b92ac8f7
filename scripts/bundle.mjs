/**
 * Bundles the agent's programs and threads, and what they have of core, observe and workshop, into few files next to
 * the compiled ones: loading a thousand modules takes twice the processor time. Packages of others stay where they are.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, defaultServerConditions } from 'vite';

const AGENT = path.resolve(import.meta.dirname, '../apps/agent');
const DIST = path.join(AGENT, 'dist');
/** The programs, and the threads that they start by path: see apps/agent/src/base/built.ts. */
const PROGRAMS = [
  'base/engine',
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
const PLACED = /\/agent\/(dist|src)\/(base\/(built|version)|commands\/web-root|conformance\/places)\.[jt]s$/;

/**
 * Bundles what was compiled, or with `sources` the sources themselves, whose types nobody checks then, into a folder
 * of `dist`. Throws an Error that names the module if one would no longer find its files.
 */
export async function bundleAgent({ sources = false, folder = 'bundle' } = {}) {
  const input = (name) => (sources ? path.join(AGENT, 'src', `${name}.ts`) : path.join(DIST, `${name}.js`));
  const conditions = [...(sources ? ['source'] : []), ...defaultServerConditions];
  const { output } = await build({
    root: AGENT,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: [/^@syncloop\//], resolve: { conditions } },
    resolve: { conditions },
    build: {
      ssr: true,
      outDir: path.join(DIST, folder),
      emptyOutDir: true,
      minify: false,
      target: 'node20.19',
      rolldownOptions: {
        input: Object.fromEntries(PROGRAMS.map((name) => [name, input(name)])),
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
        `one of ${moduleIds.map((id) => path.relative(AGENT, id)).join(', ')} uses import.meta.url: add it to PLACED in scripts/bundle.mjs`,
      );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleAgent({ sources: true });
