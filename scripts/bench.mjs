#!/usr/bin/env node
/**
 * `npm run bench [-- kernel core recording schedules pipe page web class tap node log attach twin api workshop fleet]`:
 * installs and builds what is missing, runs the benchmarks (all of them without names) and prints one JSON object.
 * `--check` compares counts, not times, with bench/counts.json and fails on a loss; `--update` keeps today's.
 * `twin --eras`: how well kubelets of the older versions are re-enacted. `twin --large`: how long a first comparison
 * takes of a part of a log of 2.4 million records.
 */
import { build, checkNode, install } from './lib.mjs';

const all = [
  'kernel',
  'core',
  'recording',
  'travel',
  'schedules',
  'pipe',
  'page',
  'web',
  'class',
  'tap',
  'node',
  'log',
  'attach',
  'twin',
  'api',
  'workshop',
  'fleet',
];
const names = process.argv.slice(2).filter((a) => !a.startsWith('--'));
const flags = process.argv.slice(2).filter((a) => a.startsWith('--'));
const check = flags.includes('--check');
for (const name of names)
  if (!all.includes(name)) {
    console.error(`bench: there is no benchmark ${name}; there are ${all.join(', ')}`);
    process.exit(2);
  }

const eras = flags.includes('--eras');
const large = flags.includes('--large');
const ofTwin = (f) => (f === '--eras' || f === '--large') && names.join() === 'twin';
const unknown = flags.find((f) => f !== '--check' && f !== '--update' && !ofTwin(f));
if (unknown || (flags.includes('--update') && !check) || (check && names.length > 0)) {
  console.error(
    `bench: ${unknown ?? flags.concat(names).join(' ')}: it is NAME..., twin --eras, twin --large, or --check [--update]`,
  );
  process.exit(2);
}

checkNode();
await install();
const code = await build();
if (code !== 0) process.exit(code);
if (check) {
  const { checkCounts } = await import('../bench/counts/check.mjs');
  process.exit(await checkCounts({ update: flags.includes('--update') }));
}
const { machine } = await import('../bench/measure.mjs');

const results = { machine: machine() };
for (const name of names.length > 0 ? names : all) {
  const { run } = await import(`../bench/${name}.mjs`);
  results[name] = await run({ eras, large });
}
console.log(JSON.stringify(results, null, 2));
