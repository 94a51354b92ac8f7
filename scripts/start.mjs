#!/usr/bin/env node
/** Installs, builds, and serves the debugger on the embedded mock runtime. Flags go to `syncloop serve`. */
import { buildToRun, checkNode, install, run } from './lib.mjs';

checkNode();
await install({ tools: false });
const code = await buildToRun();
if (code !== 0) process.exit(code);
// The child ends on the terminal's Ctrl+C itself; we wait for it, so that its last words are seen.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});
process.exit((await run(process.execPath, ['apps/agent/bin/syncloop.mjs', 'serve', ...process.argv.slice(2)])).code);
