#!/usr/bin/env node
/**
 * Types, lint, arrows, lines and unit tests: what to run before every commit. `--changed` checks what the work tree
 * changes against HEAD, `--changed=REV` against a commit: the tests that a change reaches by imports, the nearest
 * first, as many as MOST_SECONDS of a processor are enough for. One line per step; the output of a step is printed only
 * if it failed.
 */
import { existsSync } from 'node:fs';
import { ALL, changedFiles, MOST_SECONDS, relatedTests, within } from './changed.mjs';
import { bin, checkNode, content, install, run, TSC_ARGS } from './lib.mjs';
import { readTimes } from './times.mjs';

const USAGE = 'usage: npm run check [-- --changed[=REV]]';
const LINTED = /\.(tsx?|mjs|css|jsonc?)$/;

const args = process.argv.slice(2);
const flag = args.find((a) => /^--changed(=.+)?$/.test(a));
if (args.some((a) => a !== flag)) {
  console.error(`check: I do not know ${args.filter((a) => a !== flag).join(' ')}; ${USAGE}`);
  process.exit(2);
}

checkNode();
await install();
await content();

const vitest = (files = []) => [
  bin('vitest'),
  ['run', '--reporter=minimal', '--reporter=./scripts/times-reporter.mjs', ...files],
  { NO_COLOR: '1' },
];
const lint = (paths) => [
  bin('biome'),
  ['check', '--error-on-warnings', '--max-diagnostics=30', '--no-errors-on-unmatched', ...paths],
];

/** The steps' names, commands, arguments and environments. */
function steps() {
  const types = ['types', bin('tsc'), TSC_ARGS];
  const always = [
    ['arrows', process.execPath, ['scripts/arrows.mjs']],
    ['lines', process.execPath, ['scripts/lines.mjs']],
    ['words', process.execPath, ['scripts/words.mjs']],
  ];
  const changed = flag ? changedFiles(flag.split('=')[1] ?? 'HEAD') : [];
  const cause = changed.find((file) => ALL.test(file));
  if (cause) console.log(`${cause} was changed: everything is checked`);
  if (!flag || cause) {
    const [command, list, env] = vitest();
    // The suites named long are for `npm run test:all`.
    return [types, ['lint', ...lint(['.'])], ...always, ['unit tests', command, list, { ...env, SYNCLOOP_QUICK: '1' }]];
  }
  const linted = changed.filter((file) => LINTED.test(file) && existsSync(file));
  const tests = relatedTests(changed);
  const near = within(tests, readTimes().files).map(({ file }) => file);
  console.log(
    `${changed.length} changed files reach ${tests.length} files of tests${tests.length > near.length ? `; these are the nearest ${near.length}, for ${MOST_SECONDS} s of a processor, the others are for npm run check` : ''}`,
  );
  return [
    types,
    ...(linted.length > 0 ? [['lint', ...lint(linted)]] : []),
    ...always,
    ...(near.length > 0 ? [['unit tests', ...vitest(near)]] : []),
  ];
}

let failed = 0;
async function step([name, command, list, env]) {
  const started = Date.now();
  const { code, output } = await run(command, list, { env, capture: true, quiet: true });
  if (code !== 0) {
    failed++;
    console.log(output.trimEnd());
  }
  const passed = /Tests\s.*?(\d+) passed/.exec(output)?.[1];
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name}${passed ? `: ${passed} passed` : ''} (${seconds} s)`);
}

const all = steps();
// Tests wait now and then, and the compiler starts by reading: at the same time they leave no processor idle.
const tests = all.filter(([name]) => name === 'unit tests');
const others = all.filter(([name]) => name !== 'unit tests');
await Promise.all([
  (async () => {
    for (const one of others) await step(one);
  })(),
  ...tests.map(step),
]);
process.exit(failed ? 1 : 0);
