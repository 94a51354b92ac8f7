#!/usr/bin/env node
/** Types, lint, arrows and unit tests: what to run before every commit. */
import { bin, checkNode, content, install, run } from './lib.mjs';

checkNode();
await install();
await content();
const steps = [
  ['types', bin('tsc'), ['-b']],
  ['lint', bin('biome'), ['check', '--error-on-warnings', '--max-diagnostics=30', '.']],
  ['arrows', process.execPath, ['scripts/arrows.mjs']],
  // The suites named long are for npm test.
  ['unit tests', bin('vitest'), ['run', '--reporter=dot'], { env: { SYNCLOOP_QUICK: '1' } }],
];
let failed = 0;
for (const [name, command, args, options] of steps) {
  const started = Date.now();
  const { code } = await run(command, args, options);
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  if (code !== 0) failed++;
}
process.exit(failed ? 1 : 0);
