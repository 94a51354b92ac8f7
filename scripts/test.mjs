#!/usr/bin/env node
/**
 * Everything: installs what the suites need, builds, checks, unit and property tests, recordings of a real kubelet on
 * the mock and on a real containerd, the agent with a real runtime and kubectl, and the page in a real browser. With
 * CI=true nothing may be skipped. Suites with a real runtime have a network namespace of their own and run beside all
 * others: they mostly wait. The last line is the totals, `N passed, N failed`.
 */
import fs from 'node:fs';
import path from 'node:path';
import { bin, build, checkNode, install, run, top } from './lib.mjs';
import { provide } from './system.mjs';

const ci = process.env.CI === 'true';
const totals = { passed: 0, failed: 0, skipped: 0 };
const report = [];
/** Suites with real parts that were run a second time. */
const again = [];
const node = process.execPath;

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

/**
 * Runs one command with a network of its own. A real runtime makes and removes interfaces, at which a browser beside it
 * would give up what it is loading.
 */
const apart = (command, args) => [
  'unshare',
  ['--net', '--', 'sh', '-c', 'busybox ip link set lo up && exec "$@"', 'sh', command, ...args],
];

/** Runs a command whose last `N passed, N failed` line are its totals; prints what it said when it is done. */
async function totalsOf(name, command, args) {
  const { code, output } = await run(command, args, { capture: true, quiet: true });
  console.log(`\n=== ${name}\n${output.trimEnd()}`);
  const last = [...output.matchAll(/(\d+) passed, (\d+) failed/g)].at(-1);
  return { passed: Number(last?.[1] ?? (code === 0 ? 1 : 0)), failed: Number(last?.[2] ?? 0), code };
}
/** The same, booked; with `tries` 2 as {@link twice}. */
async function suite(name, command, args, tries = 1) {
  const since = Date.now();
  let outcome = await totalsOf(name, command, args);
  if (tries > 1 && (outcome.code !== 0 || outcome.failed)) {
    again.push(name);
    outcome = await totalsOf(name, command, args);
  }
  book(name, { ...outcome, since });
}

/** Runs a file of node's own test runner; all that it printed is shown only where something failed. */
async function tap(name, command, args) {
  const { code, output } = await run(command, args, { capture: true, quiet: true });
  const count = (what) => Number([...output.matchAll(new RegExp(`^# ${what} (\\d+)`, 'gm'))].at(-1)?.[1] ?? 0);
  const failed = count('fail') + count('cancelled') + (ci ? count('skipped') : 0);
  if (code !== 0 || failed) console.log(`\n=== ${name}\n${output}`);
  else console.log(`\n=== ${name}: ${count('pass')} passed, 0 failed`);
  return { passed: count('pass'), failed, code };
}
/**
 * The same, booked. With a browser or a runtime a busy machine has its bad moments: a second failure is a defect; the
 * first one is told, not hidden.
 */
async function twice(name, command, args) {
  const since = Date.now();
  let outcome = await tap(name, command, args);
  if (outcome.code !== 0 || outcome.failed) {
    again.push(name);
    outcome = await tap(name, command, args);
  }
  book(name, { ...outcome, since });
}
const tapArgs = (file) => ['--test', '--test-reporter=tap', file];
const e2e = (dir) =>
  fs
    .readdirSync(path.join(top, dir))
    .filter((f) => f.endsWith('.e2e.mjs'))
    .map((f) => ({ name: f.replace('.e2e.mjs', ''), file: path.join(dir, f) }));

checkNode();
await install();
const { missing } = await provide({ ci });
const lacks = (...names) => names.filter((n) => missing.includes(n));
const lacksRuntime = lacks('containerd', 'runc', 'cni', 'busybox', 'root');
/** For a network of its own. */
const lacksNetwork = lacks('busybox', 'root');
const lacksBrowser = lacks('chromium');

const since = Date.now();
const built = await build();
book('build', { passed: built === 0 ? 1 : 0, code: built, since });

await suite('types', bin('tsc'), ['-b']);
await suite('lint', bin('biome'), ['check', '--error-on-warnings', '--max-diagnostics=30', '.']);
await suite('arrows', node, ['scripts/arrows.mjs']);
await suite('lines', node, ['scripts/lines.mjs']);

async function unitTests() {
  const json = path.join(top, 'node_modules', '.cache', 'vitest.json');
  fs.rmSync(json, { force: true });
  const since = Date.now();
  const args = ['run', '--maxWorkers=2', '--reporter=dot', '--reporter=json', `--outputFile.json=${json}`];
  // Behind whatever waits for a real runtime, which must not be late.
  const { code, output } = await run('nice', ['-n', '10', bin('vitest'), ...args], { capture: true, quiet: true });
  console.log(`\n=== unit and property tests\n${output.trimEnd()}`);
  const counted = fs.existsSync(json)
    ? JSON.parse(fs.readFileSync(json, 'utf8'))
    : { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0 };
  const { numPassedTests: passed, numFailedTests, numPendingTests } = counted;
  book('unit and property tests', { passed, failed: numFailedTests + (ci ? numPendingTests : 0), code, since });
}

const conformance = ['scripts/conformance.mjs'];
const contract = [...conformance, '--contract', '--runtime'];

/** Suites with a real runtime, in two rows: each starts a containerd of its own, in a network of its own. */
async function realRuntime() {
  const rows = [
    [
      [
        'recordings, on a real containerd',
        (name) => suite(name, ...apart(node, [...conformance, '--runtime', 'cri', '--tries', '5']), 2),
      ],
      [
        'contract of a container runtime, real containerd',
        (name) => suite(name, ...apart(node, [...contract, 'cri']), 2),
      ],
      // On the mock runtime, but like the others beside the unit tests.
      ['attacks, a short run', (name) => suite(name, ...apart(node, ['scripts/attack.mjs', '--short'])), lacksNetwork],
    ],
    e2e('apps/agent/e2e').map(({ name, file }) => [
      `agent: ${name}`,
      (title) => twice(title, ...apart(node, tapArgs(file))),
      // These have the mock runtime, or a kubelet that is played.
      ...(/^(api-returns|comes-back|device-plugin-dies|twin)$/.test(name) ? [lacksNetwork] : []),
    ]),
  ];
  await Promise.all(
    rows.map(async (suites) => {
      for (const [name, start, needs = lacksRuntime] of suites) {
        const wants = [...needs, ...(/kubectl/.test(name) ? lacks('kubectl') : [])];
        if (wants.length) book(name, { skipped: `missing: ${wants.join(', ')}` });
        else await start(name);
      }
    }),
  );
}

async function browserSuite({ name: of, file }) {
  const name = `browser: ${of}`;
  const wants = [...lacksBrowser, ...(/containerd/.test(of) ? lacksRuntime : [])];
  if (wants.length) return book(name, { skipped: `missing: ${wants.join(', ')}` });
  await twice(name, node, tapArgs(file));
}

async function pages() {
  const suites = e2e('apps/web/e2e');
  // Its browser and its runtime share a network: nothing beside it.
  for (const file of suites.filter((f) => /containerd/.test(f.name))) await browserSuite(file);
  // Pages mostly wait for their own clocks: two at a time fit two cores.
  const queue = suites.filter((f) => !/containerd/.test(f.name));
  const lane = async () => {
    for (let file = queue.shift(); file; file = queue.shift()) await browserSuite(file);
  };
  await Promise.all([lane(), lane()]);
}

if (built !== 0) await unitTests();
else
  await Promise.all([
    realRuntime(),
    (async () => {
      await suite('recordings of a real kubelet, on the mock', node, [...conformance, '--runtime', 'mock']);
      await suite('recordings of a real v1.21', node, [...conformance, '--runtime', 'mock', '--era', 'v1.21']);
      await suite('contract of a container runtime, mock over gRPC', node, [...contract, 'mock']);
      await suite('counts', node, ['scripts/bench.mjs', '--check']);
      await unitTests();
      await pages();
    })(),
  ]);

console.log(`\n${report.join('\n')}`);
if (again.length) console.log(`passed or failed only at a second try: ${again.join(', ')}`);
if (totals.skipped) console.log(`${totals.skipped} suites skipped`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exit(totals.failed ? 1 : 0);
