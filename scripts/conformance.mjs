#!/usr/bin/env node
/**
 * `npm run -s conformance -- [--runtime mock|cri] [FLAGS] [FILE...]`: replays recordings of a real kubelet against ours
 * and compares.
 */
import { build, checkNode, install, top } from './lib.mjs';

checkNode();
await install();
const code = await build({ web: false });
if (code !== 0) process.exit(code);
const { main } = await import(`${top}/apps/agent/dist/conformance/main.js`);
process.exitCode = await main(process.argv.slice(2));
