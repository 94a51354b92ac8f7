#!/usr/bin/env node
/**
 * `npm run bench`: installs and builds what is missing, and runs benchmarks, compares counts, or makes the table of
 * docs/performance/README.md. `npm run bench -- --help` prints what it takes; bench/arguments.mjs reads it.
 */
import { parse, USAGE } from '../bench/arguments.mjs';
import { jobs } from '../bench/table/jobs.mjs';
import { build, checkNode, install } from './lib.mjs';

const asked = parse(process.argv.slice(2), Object.keys(jobs));
if (asked.do === 'help') {
  console.log(USAGE);
  process.exit(0);
}
if (asked.do === 'fail') {
  console.error(`bench: ${asked.error}\n${USAGE}`);
  process.exit(2);
}

checkNode();
await install();
const ways = {
  async check({ update }) {
    const { checkCounts } = await import('../bench/counts/check.mjs');
    return await checkCounts({ update });
  },
  async table(options) {
    const { makeTable } = await import('../bench/table/table.mjs');
    return await makeTable(options);
  },
  async remake(options) {
    const { remake } = await import('../bench/table/table.mjs');
    return remake(options);
  },
  async run({ names, eras, large }) {
    const { machine } = await import('../bench/measure.mjs');
    const results = { machine: machine() };
    for (const name of names) {
      const { run } = await import(`../bench/${name}.mjs`);
      results[name] = await run({ eras, large });
    }
    console.log(JSON.stringify(results, null, 2));
    return 0;
  },
};
if (asked.do !== 'remake') {
  const code = await build();
  if (code !== 0) process.exit(code);
}
try {
  process.exit(await ways[asked.do](asked));
} catch (err) {
  // A sentence for a folder that cannot be used; the trace for everything else.
  console.error(asked.do === 'remake' || asked.do === 'table' ? `bench: ${err.message}` : err);
  process.exit(1);
}
