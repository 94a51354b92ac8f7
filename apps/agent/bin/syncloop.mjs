#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { isBundleFresh } from './bundled.mjs';

const dist = new URL(isBundleFresh() ? '../dist/bundle/' : '../dist/', import.meta.url);
if (!existsSync(new URL('main.js', dist))) {
  process.stderr.write('syncloop: not built yet: run "npm run build" in the repository\n');
  process.exit(1);
}
(await import(new URL('base/engine.js', dist).href)).optimizeLater();
const { main } = await import(new URL('main.js', dist).href);
process.exitCode = await main(process.argv.slice(2));
