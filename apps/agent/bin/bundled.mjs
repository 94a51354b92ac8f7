import { statSync } from 'node:fs';

/**
 * Returns true if the bundle is of what was compiled last: `tsc` alone makes none. A package has no trace of the
 * compiler. `bin`: the folder of the program.
 */
export function isBundleFresh(bin = new URL('.', import.meta.url)) {
  const time = (file) => statSync(new URL(file, bin), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const made = time('../dist/bundle/main.js');
  const compiled = [
    '../dist',
    '../../../packages/core/dist',
    '../../../packages/observe/dist',
    '../../../packages/workshop/dist',
  ];
  return made > 0 && compiled.every((dist) => time(`${dist}/.tsbuildinfo`) <= made);
}
