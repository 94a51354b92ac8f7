/** In development, makes scenarios and lessons again when one of their files changes. */
import { resolve } from 'node:path';
import type { Plugin } from 'vite';
import { writeContent } from '../../../scripts/content.mjs';

const FOLDER = resolve(import.meta.dirname, '../../../packages/core/content');

export function content(): Plugin {
  return {
    name: 'syncloop-content',
    buildStart: () => writeContent(),
    configureServer({ watcher, config }) {
      watcher.add(FOLDER);
      watcher.on('all', (_event, file) => {
        if (!file.startsWith(FOLDER)) return;
        writeContent().catch((error: unknown) => config.logger.error(String(error)));
      });
    },
  };
}
