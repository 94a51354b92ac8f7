#!/usr/bin/env node
import { existsSync } from 'node:fs';

const built = new URL('../dist/main.js', import.meta.url);
if (!existsSync(built)) {
  process.stderr.write('syncloop: not built yet: run "npm run build" in the repository\n');
  process.exit(1);
}
(await import(new URL('../dist/base/engine.js', import.meta.url).href)).optimizeLater();
const { main } = await import(built.href);
process.exitCode = await main(process.argv.slice(2));
