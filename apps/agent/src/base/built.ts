import { existsSync } from 'node:fs';

/** From this module to the programs: if it is bundled with them, if it is compiled, and if it is a test's source. */
const PLACES = ['./', '../', '../../dist/'];

/**
 * The URL of a program or thread of this package that Node itself loads; `path` is relative to `src`, such as
 * `debugger/main.js`. Tests run from the sources; for them it is the file in `dist`.
 */
export function built(path: string): URL {
  const urls = PLACES.map((place) => new URL(place + path, import.meta.url));
  return urls.find((url) => existsSync(url)) ?? (urls[0] as URL);
}
