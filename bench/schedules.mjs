/**
 * Measures schedules per second, each checked against all invariants of the kubelet: random schedules of random
 * scenarios (pods that come and go while everything goes wrong), and the library's scenarios explored. `twin`:
 * schedules of a twin that are compared with an observed run.
 *
 * `node bench/schedules.mjs --runs 10000 [--seed 1]` runs this many random scenarios instead, each under a random
 * schedule, and prints those that broke an invariant, with the plan to run them again; it exits 1 if there are any.
 * Needs the build of packages/core.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Exploration, scenarioStart } from '@syncloop/core/debug';
import { loadEras } from '@syncloop/core/kubelet';
import { library, parseScenario, startScenario } from '@syncloop/core/scenario';
import { judgeOf, TwinSearch } from '@syncloop/observe/twin/search';
import { build } from 'vite';

const top = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const seconds = (since) => (performance.now() - since) / 1000;

/** The random scenarios are a part of the tests, which are not built: this does. */
async function randomScenarios() {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'syncloop-schedules-'));
  try {
    await build({
      configFile: false,
      root: top,
      logLevel: 'error',
      ssr: { noExternal: true },
      build: {
        ssr: path.join(top, 'packages/core/src/conformance/invariants/testing/sample.ts'),
        outDir: dir,
        emptyOutDir: false,
        minify: false,
        rollupOptions: { output: { entryFileNames: 'sample.mjs' } },
      },
    });
    return await import(pathToFileURL(path.join(dir, 'sample.mjs')).href);
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

/** The share of each kind in the whole. */
const shares = { stormy: 0.75, calm: 0.15, restart: 0.1 };
/** Plans made at once. */
const CHUNK = 200;

function runSample({ plan, run }) {
  try {
    return run();
  } catch (error) {
    return { problems: [`${error}`], records: 0, plan };
  }
}

/** Runs random scenarios, each kind by its share, and collects those that break. */
async function many(runs, seed, tell) {
  const { samples } = await randomScenarios();
  const start = performance.now();
  const cpu = process.cpuUsage();
  const out = { runs: 0, byKind: {}, bySchedule: {}, records: 0, broken: [] };
  for (const [kind, share] of Object.entries(shares)) {
    const wanted =
      kind === 'stormy'
        ? runs - Math.floor(runs * shares.calm) - Math.floor(runs * shares.restart)
        : Math.floor(runs * share);
    for (let done = 0; done < wanted; ) {
      const count = Math.min(CHUNK, wanted - done);
      for (const sample of samples(kind, seed + done, count)) {
        const { problems, records } = runSample(sample);
        const { schedule } = sample.plan;
        out.runs++;
        out.records += records;
        out.byKind[kind] = (out.byKind[kind] ?? 0) + 1;
        out.bySchedule[schedule] = (out.bySchedule[schedule] ?? 0) + 1;
        if (problems.length > 0) out.broken.push({ kind, problems: problems.slice(0, 5), plan: sample.plan });
      }
      done += count;
      tell?.(`${kind}: ${done} of ${wanted}, ${out.broken.length} broke an invariant, ${Math.round(seconds(start))} s`);
    }
  }
  const { user, system } = process.cpuUsage(cpu);
  return {
    ...out,
    seconds: Math.round(seconds(start)),
    cpuSeconds: Math.round((user + system) / 1e6),
    schedulesPerSecond: Number((out.runs / seconds(start)).toFixed(1)),
    scheduleRecordsPerSecond: Math.round(out.records / seconds(start)),
  };
}

/** Runs random schedules of one library scenario, for about `limit` seconds. */
function explored(scenario, limit) {
  const exploration = new Exploration({ ...scenarioStart(scenario), maxSchedules: 1_000_000, shrink: false });
  const start = performance.now();
  while (seconds(start) < limit && exploration.step({ schedules: 1 }));
  const spent = seconds(start);
  const { schedules, distinct, choices, records, outcomes, findings } = exploration.report();
  return {
    schedulesPerSecond: Number((schedules / spent).toFixed(1)),
    recordsPerSecond: Math.round(records / spent),
    schedules,
    distinct,
    choices,
    outcomes: outcomes.length,
    broken: findings.length,
  };
}

/**
 * Schedules of a twin tried per second, for about `limit` seconds. What is looked for is not to be found: the observed
 * container ended with another exit code.
 */
function searched(limit) {
  const twin = {
    name: 'crash-loop',
    text: library.find((s) => s.name === 'crash-loop').text,
    seenFrom: 0,
    until: 30e6,
  };
  const seen = [];
  const scenario = parseScenario(twin.text.replaceAll('exit 1', 'exit 3'), 'seen.yaml');
  startScenario(scenario, { sink: (record) => void seen.push(record) }).run({ until: twin.until });
  const search = new TwinSearch({ twin, judge: judgeOf(seen, twin), budget: { tries: 1_000_000 } });
  const work = search.work();
  const start = performance.now();
  while (seconds(start) < limit && !work.next().done);
  const { tries, records } = search.report();
  return { triesPerSecond: Number((tries / seconds(start)).toFixed(1)), recordsPerTry: Math.round(records / tries) };
}

/** The rate of several processes at the same time, each with its own random scenarios. */
async function parallel(processes, runs) {
  const program = fileURLToPath(import.meta.url);
  const one = async (_, i) => {
    const argv = [program, '--runs', String(runs), '--seed', String(1 + i * runs)];
    const { stdout } = await promisify(execFile)(process.execPath, argv, { maxBuffer: 1e8 });
    return JSON.parse(stdout).schedulesPerSecond;
  };
  const rates = await Promise.all(Array.from({ length: processes }, one));
  return { processes, runs, schedulesPerSecond: Number(rates.reduce((sum, rate) => sum + rate, 0).toFixed(1)) };
}

/** `processes`: only random schedules, in so many processes at the same time, `runs` in each. */
export async function run({ processes = 0, runs: each = 60 } = {}) {
  if (processes > 0) return await parallel(processes, each);
  await loadEras();
  const random = await many(200, 1);
  const twin = searched(3);
  const perScenario = {};
  for (const { name } of library) perScenario[name] = explored(name, 0.5);
  const { schedulesPerSecond, scheduleRecordsPerSecond, runs, broken } = random;
  return { schedulesPerSecond, scheduleRecordsPerSecond, runs, broken: broken.length, twin, perScenario };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const option = (name, usual) => {
    const at = process.argv.indexOf(`--${name}`);
    const n = at < 0 ? usual : Number(process.argv[at + 1]);
    if (n !== null && !(Number.isInteger(n) && n > 0)) {
      console.error(`schedules: --${name} wants a whole number from 1 on`);
      process.exit(2);
    }
    return n;
  };
  const runs = option('runs', null);
  const result = runs === null ? await run() : await many(runs, option('seed', 1), (text) => console.error(text));
  console.log(JSON.stringify(result, null, 2));
  if (result.broken.length > 0) process.exitCode = 1;
}
