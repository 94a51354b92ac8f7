#!/usr/bin/env node
/**
 * Runs what each change must pass: installs what the suites need, builds, checks, unit and property tests, recordings
 * of a real kubelet on the mock and on a real containerd, the agent with a real runtime and kubectl, and the page in a
 * real browser. With `--all` also the suites that are named long (sweeps over versions and seeds, attacks, journeys,
 * reliability), which take three times as long: before a release and each night. With CI=true nothing may be skipped.
 *
 * After the build all kinds of suites run at the same time: those with a real runtime, in network namespaces of their
 * own, and those in the browser mostly wait, and the unit tests take what is left of the processors. How long each took
 * is kept for the next run, and the slowest are named. The last line is the totals, `N passed, N failed`.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { bin, build, checkNode, cpuSecondsIn, install, METERED, run, TSC_ARGS, top } from './lib.mjs';
import { provide } from './system.mjs';
import { bookTimes, readTimes, slowest } from './times.mjs';

const args = process.argv.slice(2);
if (args.some((arg) => arg !== '--all')) {
  console.error(`test: I do not know ${args.filter((arg) => arg !== '--all').join(' ')}; usage: npm test [-- --all]`);
  process.exit(2);
}
/** With the suites that are named long. */
const all = args.length > 0;
const ci = process.env.CI === 'true';
const totals = { passed: 0, failed: 0, skipped: 0 };
const report = [];
/** The names of the tests that failed. They stand at the end, where a log that was cut still has them. */
const failures = [];
/** Suites with real parts that were run a second time. */
const again = [];
const node = process.execPath;
/** The times that suites took: now, by name, and when they last ran. */
const took = {};
const before = readTimes().suites;

/** Books a suite's outcome; a suite that failed without counting anything counts as one failure. */
function book(name, { passed = 0, failed = 0, code = 0, skipped = '', since = 0, cpuSeconds = null }) {
  if (skipped) {
    if (ci) failed = 1;
    else totals.skipped++;
  } else if (code !== 0 && failed === 0) failed = 1;
  totals.passed += passed;
  totals.failed += failed;
  const counts = `${passed} passed, ${failed} failed${skipped ? ` (${skipped})` : ''}`;
  const seconds = (Date.now() - since) / 1000;
  if (since) took[name] = { seconds, cpuSeconds };
  report.push(
    `${failed ? 'FAIL' : skipped ? 'skip' : 'ok  '} ${name}: ${skipped && !failed ? skipped : counts}${since ? `, ${timesOf({ seconds, cpuSeconds })}` : ''}`,
  );
}
const timesOf = ({ seconds, cpuSeconds }) =>
  `${Math.round(seconds)} s${cpuSeconds === null ? '' : ` (${Math.round(cpuSeconds)} s of a processor)`}`;

/**
 * Runs one command with a network of its own. A real runtime creates and removes interfaces, which makes a browser in
 * the same network abort its loads.
 */
const apart = (command, args, setUp = '') => [
  'unshare',
  ['--net', '--', 'sh', '-c', `busybox ip link set lo up && ${setUp} exec "$@"`, 'sh', command, ...args],
];
/** A default route, from which a kubelet takes its node's address. The other end of v0 is veth0. */
const ROUTE =
  'busybox ip link add v0 type veth && busybox ip link set veth0 up && busybox ip link set v0 up && ' +
  'busybox ip addr add 192.0.2.1/24 dev v0 && busybox ip route add default via 192.0.2.2 &&';

/**
 * Runs one command at a lower priority than those that wait for a browser or a real runtime, which must not be late.
 */
const behind = (command, args) => ['nice', ['-n', '10', command, ...args]];

/** Seconds after which a suite is killed and has failed: one that hangs must not take the others' results with it. */
const SUITE_LIMIT = all ? 3600 : 1500;
const SUITE = { capture: true, quiet: true, metered: true, limit: SUITE_LIMIT };

/** Runs a command whose last line `N passed, N failed` is its totals; prints its output when it is done. */
async function totalsOf(name, command, args) {
  const { code, output, cpuSeconds } = await run(command, args, SUITE);
  console.log(`\n=== ${name}\n${output.trimEnd()}`);
  const last = [...output.matchAll(/(\d+) passed, (\d+) failed/g)].at(-1);
  return { passed: Number(last?.[1] ?? (code === 0 ? 1 : 0)), failed: Number(last?.[2] ?? 0), code, cpuSeconds };
}

/** Runs a file of node's own test runner; its output is shown only if something failed. */
async function tap(name, command, args, env) {
  const { code, output, cpuSeconds } = await run(command, args, { ...SUITE, env });
  const count = (what) => Number([...output.matchAll(new RegExp(`^# ${what} (\\d+)`, 'gm'))].at(-1)?.[1] ?? 0);
  const failed = count('fail') + count('cancelled') + (ci ? count('skipped') : 0);
  if (code !== 0 || failed) {
    failures.push(...[...output.matchAll(/^ *not ok \d+ - (.*)$/gm)].map(([, title]) => `${name}: ${title}`));
    console.log(`\n=== ${name}\n${output}`);
  } else console.log(`\n=== ${name}: ${count('pass')} passed, 0 failed`);
  // The times of a suite contain nothing of a browser that it shares with others.
  const pages = Number(/pages in Chromium took ([\d.]+) s/.exec(output)?.[1] ?? 0);
  return { passed: count('pass'), failed, code, cpuSeconds: cpuSeconds === null ? null : cpuSeconds + pages };
}

/** Books the result of `once`; if it fails, that of a second run if there are to be `tries`. */
async function booked(name, once, tries = 1) {
  const since = Date.now();
  let outcome = await once();
  if (tries > 1 && (outcome.code !== 0 || outcome.failed)) {
    again.push(name);
    outcome = await once();
  }
  book(name, { ...outcome, since });
}
const suite = (name, command, args, tries = 1) => booked(name, () => totalsOf(name, command, args), tries);
/**
 * With a browser or a runtime a busy machine may fail a test: a second failure is a defect; the first one is reported,
 * not hidden.
 */
const twice = (name, command, args, env = {}) => booked(name, () => tap(name, command, args, env), 2);

/** Runs `suites`, `{ name, start }[]`, this many at a time, the longest first. */
async function atATime(width, suites) {
  const queue = suites
    .map((one) => ({ ...one, seconds: before[one.name]?.seconds ?? one.expected ?? 0 }))
    .sort((a, b) => b.seconds - a.seconds);
  const lane = async () => {
    for (let one = queue.shift(); one; one = queue.shift()) await one.start();
  };
  await Promise.all(Array.from({ length: width }, lane));
}
const tapArgs = (file) => ['--test', '--test-reporter=tap', file];
const e2e = (dir) =>
  fs
    .readdirSync(path.join(top, dir))
    .filter((f) => f.endsWith('.e2e.mjs') && (all || !f.endsWith('.long.e2e.mjs')))
    .map((f) => ({ name: f.replace(/(\.long)?\.e2e\.mjs$/, ''), file: path.join(dir, f) }));

/** Runs a check without a browser or a runtime. */
const check = (name, command, args) => suite(name, ...behind(command, args));
/** Checks of the sources that need no packages: they run while those are installed. */
const ofSources = Promise.all(['arrows', 'lines', 'words'].map((name) => check(name, node, [`scripts/${name}.mjs`])));

checkNode();
await install();
const { missing } = await provide({ ci, all });
const lacks = (...names) => names.filter((n) => missing.includes(n));
const lacksRuntime = lacks('containerd', 'runc', 'cni', 'busybox', 'root');
/** For a network of its own. */
const lacksNetwork = lacks('busybox', 'root');
const lacksBrowser = lacks('chromium');

const since = Date.now();
const built = await build();
book('build', { passed: built === 0 ? 1 : 0, code: built, since });
if (built === 0) process.env.SYNCLOOP_BUILT = '1';

async function unitTests() {
  const json = path.join(top, 'node_modules', '.cache', 'vitest.json');
  fs.rmSync(json, { force: true });
  const since = Date.now();
  const reporters = ['--reporter=dot', '--reporter=json', '--reporter=./scripts/times-reporter.mjs'];
  const args = ['run', '--maxWorkers=2', ...reporters, `--outputFile.json=${json}`];
  const { code, output, cpuSeconds } = await run(...behind(bin('vitest'), args), {
    ...SUITE,
    env: all ? {} : { SYNCLOOP_QUICK: '1' },
  });
  console.log(`\n=== unit and property tests\n${output.trimEnd()}`);
  const counted = fs.existsSync(json)
    ? JSON.parse(fs.readFileSync(json, 'utf8'))
    : { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0 };
  for (const { name, status, message, assertionResults } of counted.testResults ?? []) {
    const file = path.relative(top, name);
    const tests = assertionResults.filter((one) => one.status === 'failed');
    failures.push(...tests.map(({ fullName }) => `${file}: ${fullName}`));
    if (status === 'failed' && tests.length === 0) failures.push(`${file}: ${message.split('\n')[0]}`);
  }
  const { numPassedTests: passed, numFailedTests, numPendingTests } = counted;
  book('unit and property tests', {
    passed,
    failed: numFailedTests + (ci ? numPendingTests : 0),
    code,
    since,
    cpuSeconds,
  });
}

const conformance = ['scripts/conformance.mjs'];
const contract = [...conformance, '--contract', '--runtime'];

/** Runs the other checks without a browser or a runtime, one after the other, while the unit tests run. */
async function checks() {
  await check('types', bin('tsc'), TSC_ARGS);
  await check('lint', bin('biome'), ['check', '--error-on-warnings', '--max-diagnostics=30', '.']);
  if (built !== 0) return;
  await check('recordings of a real kubelet, on the mock', node, [...conformance, '--runtime', 'mock']);
  await check('recordings of a real v1.21', node, [...conformance, '--runtime', 'mock', '--era', 'v1.21']);
  await check('contract of a container runtime, mock over gRPC', node, [...contract, 'mock']);
  await check('counts', node, ['scripts/bench.mjs', '--check']);
}

/**
 * The recordings that `npm test` repeats on a real containerd, in real time: a pod from a file and from an API server,
 * init and sidecar containers, a probe and a hook that fail, a new kubelet. All of them run on the mock each time, and
 * with `--all` on containerd.
 */
const ON_CONTAINERD = [
  'api-pod-life',
  'api-update',
  'init-containers',
  'kubelet-restart',
  'liveness-failure',
  'post-start-fails',
  'sidecar',
  'single-pod-lifecycle',
].map((name) => `packages/core/testdata/golden/${name}.json`);

/** The agent's suites that use the mock runtime or a played kubelet. */
const WITHOUT_RUNTIME = /^(api-returns|comes-back|device-plugin-dies|killed|kubectl-plugin|twin)$/;

/** Suites with a real runtime: each starts a containerd of its own, in a network of its own, and mostly waits. */
const realRuntime = () => {
  const suites = [
    {
      name: 'recordings, on a real containerd',
      // Two recordings have a status that appears only if a relist falls into 0.2 s of a container's life, or a removal
      // comes late; next to the unit tests they need a second try in every other run, the others none.
      run: (name) =>
        suite(
          name,
          ...apart(node, [...conformance, '--runtime', 'cri', '--tries', '5', ...(all ? [] : ON_CONTAINERD)]),
          2,
        ),
      expected: all ? 300 : 120,
    },
    {
      name: 'contract of a container runtime, real containerd',
      run: (name) => suite(name, ...apart(node, [...contract, 'cri']), 2),
      expected: 60,
      long: true,
    },
    {
      name: 'attacks, a short run',
      run: (name) => suite(name, ...apart(node, ['scripts/attack.mjs', '--short'])),
      needs: lacksNetwork,
      expected: 60,
      long: true,
    },
    ...e2e('apps/agent/e2e').map(({ name, file }) => ({
      name: `agent: ${name}`,
      run: (title) => twice(title, ...apart(node, tapArgs(file))),
      needs: WITHOUT_RUNTIME.test(name) ? lacksNetwork : lacksRuntime,
      expected: name === 'reliability' ? 200 : 30,
    })),
  ];
  return atATime(
    3,
    suites
      .filter(({ long }) => all || !long)
      .map(({ name, run, needs = lacksRuntime, expected }) => {
        const wants = [...needs, ...(/kubectl/.test(name) ? lacks('kubectl') : [])];
        const start = async () =>
          wants.length ? book(name, { skipped: `missing: ${wants.join(', ')}` }) : await run(name);
        return { name, start, expected };
      }),
  );
};

/**
 * Starts one browser and one file server for all suites of the page; resolves with their environment and a function
 * that ends them.
 */
async function sharedStage() {
  const since = Date.now();
  const child = spawn('sh', [...METERED, node, 'apps/web/e2e/shared-stage.mjs'], {
    cwd: top,
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
  });
  let times = '';
  child.stdio[3].setEncoding('utf8').on('data', (text) => {
    times += text;
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let last = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    last = text;
  });
  const stage = await new Promise((resolve) => {
    child.stdout.once('data', resolve);
    // Without it each suite starts its own, and reports why that fails.
    child.once('close', () => resolve(''));
  });
  const end = async () => {
    child.stdin.end();
    await ended;
    const { cpuSeconds = null } = last === stage ? {} : JSON.parse(last);
    took['the browser that suites share, with its pages'] = {
      seconds: (Date.now() - since) / 1000,
      cpuSeconds: cpuSeconds ?? cpuSecondsIn(times),
    };
  };
  return { env: { SHARED_STAGE: stage.trim() }, end };
}

/** The parts that suites of other engines than Chromium lack. */
const OTHER_ENGINES = { firefox: lacks('firefox'), webkit: lacks('webkit', 'xvfb') };

async function pages() {
  const suites = e2e('apps/web/e2e').map(({ name: of, file }) => ({
    name: `browser: ${of}`,
    file,
    withRuntime: /containerd/.test(of),
    wants: OTHER_ENGINES[of] ?? [...lacksBrowser, ...(/containerd/.test(of) ? lacksRuntime : [])],
  }));
  for (const { name, wants } of suites) if (wants.length) book(name, { skipped: `missing: ${wants.join(', ')}` });
  const possible = suites.filter(({ wants }) => wants.length === 0);
  if (possible.length === 0) return;
  const stage = await sharedStage();
  // Pages mostly wait for their own clocks: two at a time fit two cores.
  await atATime(
    2,
    possible.map(({ name, file, withRuntime }) => ({
      name,
      // The suite whose runtime is in its network has a browser of its own.
      start: () =>
        withRuntime ? twice(name, ...apart(node, tapArgs(file), ROUTE)) : twice(name, node, tapArgs(file), stage.env),
    })),
  );
  await stage.end();
}

await Promise.all([ofSources, checks(), unitTests(), ...(built === 0 ? [realRuntime(), pages()] : [])]);

bookTimes({ suites: took });
const lines = (times) => slowest(times, 20).map(([name, one]) => `  ${name}: ${timesOf(one)}`);
console.log(`\nslowest suites\n${lines(took).join('\n')}`);
console.log(`\nslowest files of unit tests\n${lines(readTimes().files).join('\n')}`);
console.log(`\n${report.join('\n')}`);
if (failures.length) console.log(`failed\n${failures.map((one) => `  ${one}`).join('\n')}`);
if (again.length) console.log(`passed or failed only at a second try: ${again.join(', ')}`);
if (totals.skipped) console.log(`${totals.skipped} suites skipped`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exit(totals.failed ? 1 : 0);
