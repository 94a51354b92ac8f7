import { existsSync } from 'node:fs';

/**
 * Where a program or thread of this package lies that Node itself loads; `path` is relative to `src`, such as
 * `debugger/main.js`. In tests, which run from the sources, it is the one in `dist`.
 */
export function built(path: string): URL {
  const beside = new URL(`../${path}`, import.meta.url);
  return existsSync(beside) ? beside : new URL(`../../dist/${path}`, import.meta.url);
}
