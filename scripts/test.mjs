#!/usr/bin/env node
/**
 * Everything: installs what the suites need, builds, checks, unit and property tests, recordings of a real kubelet on the
 * mock and on a real containerd, and the page in a real browser. With CI=true nothing may be skipped.
 * The last line is the totals, `N passed, N failed`.
 */
import fs from 'node:fs';
import path from 'node:path';
import { bin, build, checkNode, install, run, top } from './lib.mjs';
import { provide } from './system.mjs';

const ci = process.env.CI === 'true';
const totals = { passed: 0, failed: 0, skipped: 0 };
const report = [];

/** Books a suite's outcome; a suite that failed without counting anything counts as one failure. */
function book(name, { passed = 0, failed = 0, code = 0, skipped = '', since = 0 }) {
  if (skipped) {
    if (ci) failed = 1;
    else totals.skipped++;
  } else if (code !== 0 && failed === 0) failed = 1;
  totals.passed += passed;
  totals.failed += failed;
  report.push(
    `${failed ? 'FAIL' : skipped ? 'skip' : 'ok  '} ${name}: ${skipped && !failed ? skipped : `${passed} passed, ${failed} failed${skipped ? ` (${skipped})` : ''}`}${since ? `, ${Math.round((Date.now() - since) / 1000)} s` : ''}`,
  );
}

/** Runs a command whose last `N passed, N failed` line are its totals. */
async function suite(name, command, args, env) {
  console.log(`\n=== ${name}`);
  const since = Date.now();
  const { code, output } = await run(command, args, { capture: true, env });
  const lines = [...output.matchAll(/(\d+) passed, (\d+) failed/g)];
  const last = lines.at(-1);
  book(name, { passed: Number(last?.[1] ?? (code === 0 ? 1 : 0)), failed: Number(last?.[2] ?? 0), code, since });
}

checkNode();
await install();
const { missing } = await provide({ ci });

console.log('\n=== build');
const since = Date.now();
const built = await build();
book('build', { passed: built === 0 ? 1 : 0, code: built, since });

await suite('types', bin('tsc'), ['-b']);
await suite('lint', bin('biome'), ['check', '--max-diagnostics=30', '.']);
await suite('arrows', process.execPath, ['scripts/arrows.mjs']);

console.log('\n=== unit and property tests');
const json = path.join(top, 'node_modules', '.cache', 'vitest.json');
fs.rmSync(json, { force: true });
const unitSince = Date.now();
const unit = await run(bin('vitest'), ['run', '--reporter=dot', '--reporter=json', `--outputFile.json=${json}`]);
const counted = fs.existsSync(json)
  ? JSON.parse(fs.readFileSync(json, 'utf8'))
  : { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0 };
book('unit and property tests', {
  passed: counted.numPassedTests,
  failed: counted.numFailedTests + (ci ? counted.numPendingTests : 0),
  code: unit.code,
  since: unitSince,
});

const conformance = ['scripts/conformance.mjs'];
if (built === 0) {
  await suite('recordings of a real kubelet, on the mock', process.execPath, [...conformance, '--runtime', 'mock']);
  const contract = [...conformance, '--contract', '--runtime'];
  await suite('contract of a container runtime, mock over gRPC', process.execPath, [...contract, 'mock']);
  const need = (...names) => names.filter((n) => missing.includes(n));
  const lacksRuntime = need('containerd', 'runc', 'cni', 'busybox', 'root');
  const realRuntime = async () => {
    for (const [name, args] of [
      ['recordings, on a real containerd', [...conformance, '--runtime', 'cri']],
      ['contract of a container runtime, real containerd', [...contract, 'cri']],
    ])
      if (lacksRuntime.length) book(name, { skipped: `missing: ${lacksRuntime.join(', ')}` });
      else await suite(name, process.execPath, args);
  };
  const lacksBrowser = need('chromium');
  const browserSuite = async (file) => {
    const name = `browser: ${file.replace('.e2e.mjs', '')}`;
    if (lacksBrowser.length) return book(name, { skipped: 'missing: chromium' });
    if (/containerd/.test(file) && lacksRuntime.length)
      return book(name, { skipped: `missing: ${lacksRuntime.join(', ')}` });
    const since = Date.now();
    const { code, output } = await run(
      process.execPath,
      ['--test', '--test-reporter=tap', path.join('apps/web/e2e', file)],
      { capture: true, quiet: true },
    );
    const count = (what) => Number([...output.matchAll(new RegExp(`^# ${what} (\\d+)`, 'gm'))].at(-1)?.[1] ?? 0);
    const failed = count('fail') + count('cancelled') + (ci ? count('skipped') : 0);
    console.log(`\n=== ${name}: ${count('pass')} passed, ${failed} failed`);
    if (code !== 0 || failed) console.log(output);
    book(name, { passed: count('pass'), failed, code, since });
  };
  await realRuntime();
  const suites = fs.readdirSync(path.join(top, 'apps/web/e2e')).filter((f) => f.endsWith('.e2e.mjs'));
  // A real runtime makes and removes network interfaces, at which a browser gives up what it is loading: nothing beside it.
  for (const file of suites.filter((f) => /containerd/.test(f))) await browserSuite(file);
  // Pages mostly wait for their own clocks: two at a time fit two cores.
  const queue = suites.filter((f) => !/containerd/.test(f));
  const lane = async () => {
    for (let file = queue.shift(); file; file = queue.shift()) await browserSuite(file);
  };
  await Promise.all([lane(), lane()]);
}

console.log(`\n${report.join('\n')}`);
if (totals.skipped) console.log(`${totals.skipped} suites skipped`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exit(totals.failed ? 1 : 0);
