/**
 * Measures the verdict on a fleet: the logs of generated nodes are read by `syncloop explain`, in lines for each second
 * of a processor, with the largest memory of the process, and with what merging its parts costs; what each shard of an
 * exploration costs besides its schedules; and the page with 200 lanes. `SYNCLOOP_BENCH_FLEET=200x100` takes another
 * number of nodes and MB of each: of large logs ten are made, and the other nodes have links to them, so that the disk
 * needs room for ten. `SYNCLOOP_BENCH_SCHEDULES=20000` takes other schedules. Needs the build, and chromium.
 */
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, linkSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { open, start } from '../apps/web/e2e/browser.mjs';
import { drop } from '../apps/web/e2e/dropped.mjs';
import { causeNames, fleetLogs } from '../packages/observe/src/testing/fleet-logs.mjs';
import { machine } from './measure.mjs';

const PROGRAM = fileURLToPath(new URL('../apps/agent/bin/syncloop.mjs', import.meta.url));
const [NODES, MB] = (process.env.SYNCLOOP_BENCH_FLEET ?? '20x5').split('x').map(Number);
/** With `SYNCLOOP_BENCH_INGEST=1`, the logs are read once, and nothing else is measured. */
const ONLY_INGEST = process.env.SYNCLOOP_BENCH_INGEST === '1';
const SCHEDULES = Number(process.env.SYNCLOOP_BENCH_SCHEDULES ?? 200);
/** Bytes of an ordinary line of the generator, about. */
const LINE_BYTES = 190;
const MiB = 1024 * 1024;
/** MB of logs that are written at most, each by itself; of more, ten different ones. */
const MOST_WRITTEN = 1000;
const DIFFERENT = NODES * MB > MOST_WRITTEN ? Math.min(NODES, 10) : NODES;

/** Writes the logs into `folder`; returns the lines and bytes of all nodes. */
function writeFleet(folder) {
  const quiet = Math.round((MB * MiB) / LINE_BYTES);
  const written = [];
  const { nodes } = fleetLogs({ seed: 1, nodes: NODES, causes: causeNames, quiet });
  for (const [i, node] of nodes.entries()) {
    mkdirSync(join(folder, node.name));
    const path = join(folder, node.name, 'kubelet.log');
    const same = i < DIFFERENT ? undefined : written[i % DIFFERENT];
    if (same) linkSync(same.path, path);
    written.push(same ?? writeLog(path, node));
  }
  const sum = (of) => written.reduce((all, one) => all + one[of], 0);
  return { lines: sum('lines'), bytes: sum('bytes') };
}

/** Writes the log of a node; returns its place, lines and bytes. */
function writeLog(path, node) {
  let [lines, bytes] = [0, 0];
  const file = openSync(path, 'w');
  let piece = '';
  for (const line of node.lines()) {
    lines++;
    piece += line;
    if (piece.length < MiB) continue;
    bytes += writeSync(file, piece);
    piece = '';
  }
  bytes += writeSync(file, piece);
  closeSync(file);
  return { path, lines, bytes };
}

/** Runs the program; resolves with its output, its processor seconds, and the largest memory of a process of it, MB. */
async function measured(...args) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    text += piece;
  });
  let megabytes = 0;
  const pids = () => [child.pid, ...childrenOf(child.pid)];
  const timer = setInterval(() => {
    for (const pid of pids())
      try {
        // One that has ended and was not waited for has no memory.
        megabytes = Math.max(
          megabytes,
          Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
        );
      } catch {
        // It has ended.
      }
  }, 100);
  await new Promise((resolve) => child.once('close', resolve));
  clearInterval(timer);
  return { text, seconds: childSeconds(), megabytes: Math.round(megabytes) };
}

const childrenOf = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
};

let counted = 0;
/** Processor seconds of the children that have ended since the last call. */
function childSeconds() {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/\(.*\)/, '()')
    .split(' ');
  const [user, system] = fields.slice(15, 17).map(Number);
  const ticks = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  const all = (user + system) / ticks;
  const since = all - counted;
  counted = all;
  return since;
}

const LANES = 200;

/** The page with many lanes: milliseconds of its main thread for each step. A machine with other work takes longer. */
export async function lanes() {
  const stage = await start();
  try {
    const { page, close } = await open(stage);
    const nodes = fleetLogs({ seed: 7, nodes: LANES, causes: causeNames, quiet: 50 }).nodes;
    await drop(page, ...nodes.map(({ name, lines }) => [`${name}.log`, [...lines()].join('')]));
    await page.getByTestId('fleet-lane').first().waitFor();
    await page.getByTestId('fleet-reading').waitFor({ state: 'detached', timeout: 300_000 });
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    const metrics = async () =>
      Object.fromEntries(
        (await session.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]),
      );
    const each = async (steps, work) => {
      const before = await metrics();
      await work(steps);
      const after = await metrics();
      const of = (...names) =>
        rounded((names.reduce((sum, name) => sum + after[name] - before[name], 0) * 1000) / steps);
      return {
        all: of('TaskDuration'),
        script: of('ScriptDuration'),
        layout: of('LayoutDuration', 'RecalcStyleDuration'),
      };
    };
    const scroll = (steps) =>
      page.evaluate(async (n) => {
        const list = document.querySelector('[data-testid=fleet-lanes]');
        for (let i = 0; i < n; i++) {
          list.scrollTop += 30;
          await new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)));
        }
      }, steps);
    const keys = (key) => async (steps) => {
      await page.getByTestId('fleet-lanes').focus();
      for (let i = 0; i < steps; i++) await page.keyboard.press(key);
    };
    const found = {
      lanes: LANES,
      scroll: await each(120, scroll),
      arrowDown: await each(60, keys('ArrowDown')),
      zoom: await each(10, keys('+')),
      drawn: await page.getByTestId('fleet-lane').count(),
      heapMegabytes: Math.round((await metrics()).JSHeapUsedSize / 1e6),
    };
    await close();
    return found;
  } finally {
    await stage.close();
  }
}

const rounded = (n) => Number(n.toPrecision(3));

const ingestOf = ({ lines, bytes }, { seconds, megabytes }) => ({
  nodes: NODES,
  differentLogs: DIFFERENT,
  megabytes: Math.round(bytes / 1e6),
  lines,
  processorSeconds: rounded(seconds),
  linesPerProcessorSecond: Math.round(lines / seconds),
  largestMegabytes: megabytes,
});

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-bench-fleet-'));
  try {
    const logs = join(folder, 'nodes');
    mkdirSync(logs);
    const { lines, bytes } = writeFleet(logs);
    childSeconds();
    const limits = ['--time-limit', '0', '--size-limit', '64Gi'];
    const whole = await measured('explain', logs, '--format', 'json', ...limits);
    if (ONLY_INGEST) return { machine: machine(), ingest: ingestOf({ lines, bytes }, whole) };
    const parts = [];
    for (let i = 1; i <= 4; i++) {
      const part = join(folder, `part-${i}.json`);
      parts.push(await measured('explain', logs, '--shard', `${i}/4`, '--output', part, ...limits));
    }
    const merged = await measured('merge', ...parts.map((_, i) => join(folder, `part-${i + 1}.json`)), '--json');
    const explored = [];
    for (const of of [1, 8])
      for (let i = 1; i <= of; i++)
        explored.push({
          of,
          ...(await measured(
            ...['explore', 'killer-explore', '--schedules', String(SCHEDULES), '--shard', `${i}/${of}`],
          )),
        });
    const secondsOf = (of) => explored.filter((one) => one.of === of).reduce((sum, { seconds }) => sum + seconds, 0);
    return {
      machine: machine(),
      ingest: {
        ...ingestOf({ lines, bytes }, whole),
        inFourShards: rounded(parts.reduce((sum, { seconds }) => sum + seconds, 0)),
        largestMegabytesOfShard: Math.max(...parts.map(({ megabytes }) => megabytes)),
        mergeSeconds: rounded(merged.seconds),
        same: merged.text === whole.text,
      },
      page: await lanes(),
      explore: {
        schedules: SCHEDULES,
        oneShard: rounded(secondsOf(1)),
        eightShards: rounded(secondsOf(8)),
        secondsOfEachMore: rounded((secondsOf(8) - secondsOf(1)) / 7),
      },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
