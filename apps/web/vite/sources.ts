/**
 * Puts our own sources into the page: `virtual:sources` has the index of named calls and the text of each file that it
 * names.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Plugin } from 'vite';
import { indexSources, isIndexed } from '../src/features/source/logic/source-index.ts';

const core = resolve(import.meta.dirname, '../../../packages/core/src');
const ID = 'virtual:sources';

/**
 * Returns our sources that the trace may name, by path below packages/core/src; without tests and files that only they
 * use.
 */
export function readSources(top = core): Record<string, string> {
  const files: Record<string, string> = {};
  for (const folder of ['kubelet', 'kernel', 'cri'])
    for (const entry of readdirSync(join(top, folder), { recursive: true, withFileTypes: true })) {
      const path = relative(top, join(entry.parentPath, entry.name)).replaceAll('\\', '/');
      if (!entry.isFile() || !isIndexed(path)) continue;
      files[path] = readFileSync(join(top, path), 'utf8');
    }
  return files;
}

export function sources(): Plugin {
  return {
    name: 'syncloop-sources',
    resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
    load(id) {
      if (id !== `\0${ID}`) return undefined;
      const files = readSources();
      const { index, eras } = indexSources(files);
      const all = [index, ...Object.values(eras)];
      const places = all.flatMap(({ functions, steps }) => [...Object.values(functions), ...steps]);
      const named = new Set(places.map((place) => place.file));
      for (const path of named) this.addWatchFile(join(core, path));
      const texts = Object.fromEntries(Object.entries(files).filter(([path]) => named.has(path)));
      return `export const sources = ${JSON.stringify({ index, eras, texts })};`;
    },
  };
}
