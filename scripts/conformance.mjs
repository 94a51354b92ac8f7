#!/usr/bin/env node
/** `npm run -s conformance -- [flags] [FILE...]`: see `syncloop conformance --help`. */
import { build, checkNode, install, run } from './lib.mjs';

checkNode();
await install();
const code = await build({ web: false });
if (code !== 0) process.exit(code);
process.exit(
  (await run(process.execPath, ['apps/agent/bin/syncloop.mjs', 'conformance', ...process.argv.slice(2)])).code,
);
