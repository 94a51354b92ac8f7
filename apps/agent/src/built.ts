import { existsSync } from 'node:fs';

/**
 * Where a program or thread of this package is that Node itself loads; `path` is below `src`, as `debugger/main.js`. Where this runs
 * from its sources (tests), it is the built one.
 */
export function built(path: string): URL {
  const beside = new URL(`./${path}`, import.meta.url);
  return existsSync(beside) ? beside : new URL(`../dist/${path}`, import.meta.url);
}
