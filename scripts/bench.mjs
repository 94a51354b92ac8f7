/**
 * npm run bench [-- kernel core pipe]: runs the benchmarks on the built packages and prints one JSON object. Build first
 * (npx tsc -b packages/core). Without names: all of them.
 */
import { machine } from '../bench/measure.mjs';

const all = ['kernel', 'core', 'pipe'];
const names = process.argv.slice(2);
for (const name of names)
  if (!all.includes(name)) {
    console.error(`bench: there is no benchmark ${name}; there are ${all.join(', ')}`);
    process.exit(2);
  }

const results = { machine: machine() };
for (const name of names.length > 0 ? names : all) {
  const { run } = await import(`../bench/${name}.mjs`);
  results[name] = await run();
}
console.log(JSON.stringify(results, null, 2));
