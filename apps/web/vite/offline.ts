/** Adds the service worker to the build: one file without imports, with the list of all the other files in it. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';

const SOURCE = resolve(import.meta.dirname, '../src/features/offline/service-worker.ts');
const FILE = 'service-worker.js';
/** Stands in the source for the list. */
const PLACE = '__SYNCLOOP_FILES__';

export function offline(): Plugin {
  let publicDir = '';
  return {
    name: 'syncloop-offline',
    apply: 'build',
    enforce: 'post',
    configResolved(config) {
      publicDir = config.publicDir;
    },
    buildStart() {
      this.emitFile({ type: 'chunk', id: SOURCE, fileName: FILE });
    },
    generateBundle(_options, bundle) {
      const hash = createHash('sha256');
      const files: string[] = [];
      const add = (name: string, content: string | Uint8Array) => {
        files.push(name);
        hash.update(`${name}\0`).update(content);
      };
      for (const name of Object.keys(bundle).sort()) {
        const file = bundle[name];
        if (!file || name === FILE || name.endsWith('.map')) continue;
        add(name, file.type === 'chunk' ? file.code : file.source);
      }
      for (const entry of readdirSync(publicDir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        add(path.slice(publicDir.length + 1).replaceAll('\\', '/'), readFileSync(path));
      }
      const worker = bundle[FILE];
      if (worker?.type !== 'chunk') this.error(`${FILE} was not built`);
      if (worker.imports.length > 0 || worker.exports.length > 0)
        this.error(
          `${FILE} must stand alone, and imports ${worker.imports.join(', ')}: let nothing else use its modules`,
        );
      if (!files.includes('index.html')) this.error(`there is no index.html yet to be listed in ${FILE}`);
      // The worker's own code belongs to the version: another code is another worker.
      const version = hash.update(worker.code).digest('hex').slice(0, 16);
      if (!worker.code.includes(PLACE)) this.error(`${FILE} has no place for its list`);
      worker.code = worker.code.replaceAll(PLACE, () => JSON.stringify({ version, files: files.sort() }));
    },
  };
}
