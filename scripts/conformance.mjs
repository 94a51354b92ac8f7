#!/usr/bin/env node
// Replays golden recordings against our kubelet and compares: npm run -s conformance -- [--runtime mock|cri] FILE...
import { existsSync } from 'node:fs';

const built = new URL('../apps/agent/dist/conformance/main.js', import.meta.url);
if (!existsSync(built)) {
  console.error('conformance: not built yet: run "npm run build" first');
  process.exit(2);
}
const { main } = await import(built.href);
process.exitCode = await main(process.argv.slice(2));
