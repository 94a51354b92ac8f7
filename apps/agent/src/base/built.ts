import { existsSync } from 'node:fs';

/**
 * The URL of a program or thread of this package that Node itself loads; `path` is relative to `src`, such as
 * `debugger/main.js`. Tests run from the sources; for them it is the file in `dist`.
 */
export function built(path: string): URL {
  const own = new URL(`../${path}`, import.meta.url);
  return existsSync(own) ? own : new URL(`../../dist/${path}`, import.meta.url);
}
