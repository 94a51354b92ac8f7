#!/usr/bin/env node
/**
 * `npm run attack -- [TARGET | TARGET/FUZZER...]`: attacks what was built; attack/README.md reports it. Each replay
 * file of the corpus first, then each fuzzer against each target that it knows. Prints a JSON object for each, and
 * words on stderr. Exits with 1 when something was found.
 *
 * `npm run attack -- sizes [import|twin|open...]` attacks nothing: it measures memory and time by the size of a log.
 *
 * --seconds N      how long each pair is attacked (default 20)
 * --packets N      or how many packets it gets
 * --seed S         (default 1) the same seed sends the same
 * --replay FILE    performs what was found once more; may be given several times
 * --short          for the tests: few inputs, and generous with time
 * --no-corpus      leaves the corpus out
 * --shrink-seconds N   how long one finding is made smaller (default 90)
 * --rss-mb N, --late-ms N   other budgets
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { campaign } from '../attack/campaign.mjs';
import { all, fuzzers, targets } from '../attack/index.mjs';
import { replay, replayMany } from '../attack/replay.mjs';
import { measureSizes, SIZED } from '../attack/sizes.mjs';
import { build, checkNode, install, top } from './lib.mjs';

const say = (text) => process.stderr.write(`${text}\n`);
const fail = (text) => {
  say(`attack: ${text}`);
  process.exit(2);
};

let parsed;
try {
  parsed = parseArgs({
    allowPositionals: true,
    options: {
      ...Object.fromEntries(
        ['seconds', 'packets', 'seed', 'shrink-seconds', 'rss-mb', 'late-ms'].map((name) => [name, { type: 'string' }]),
      ),
      replay: { type: 'string', multiple: true },
      short: { type: 'boolean' },
      'no-corpus': { type: 'boolean' },
    },
  });
} catch (error) {
  fail(error.message);
}
const { values: flags, positionals } = parsed;
const number = (name, otherwise) => {
  if (flags[name] === undefined) return otherwise;
  const n = Number(flags[name]);
  if (n > 0) return n;
  return fail(`--${name} is ${JSON.stringify(flags[name])}; it must be a number above 0`);
};
const byName = (list, name, what) =>
  list.find((one) => one.name === name) ??
  fail(`there is no ${what} ${name}; there are ${list.map((one) => one.name).join(', ')}`);
const fuzzerNamed = (name) => byName([...fuzzers, all], name, 'fuzzer');

const sizes = positionals[0] === 'sizes';
for (const name of sizes ? positionals.slice(1) : [])
  if (!SIZED.includes(name)) fail(`sizes are measured of ${SIZED.join(', ')}, not of ${name}`);
const chosen = (sizes ? [] : positionals).map((text) => {
  const [target, fuzzer] = text.split('/');
  return { target: byName(targets, target, 'target'), fuzzer: fuzzer && fuzzerNamed(fuzzer) };
});
const isChosen = (target, fuzzer) =>
  chosen.length === 0 || chosen.some((c) => c.target === target && (!c.fuzzer || c.fuzzer === fuzzer));

/**
 * A test on a busy machine must not fail for a second of delay; a program that hangs is late for longer. Commands that
 * go on until their own time limit have a short one there.
 */
const budgets = {
  ...(flags.short && { lateMs: 15_000, commandMs: 30_000, readSeconds: 2 }),
  ...(flags['rss-mb'] && { rssMB: number('rss-mb') }),
  ...(flags['late-ms'] && { lateMs: number('late-ms') }),
};
const patience = flags['shrink-seconds'] ? { tries: 1000, seconds: number('shrink-seconds') } : {};
/** Inputs of the short run, a target. */
const SHORT_INPUTS = { serve: 24, class: 18, kubelet: 18, commands: 18, starts: 1 };

let passed = 0;
let failed = 0;
function book(ok, name, words) {
  if (ok) passed++;
  else failed++;
  say(`${ok ? 'ok  ' : 'FAIL'} ${name}${words ? `: ${words}` : ''}`);
}
const described = ({ kind, what }) => `${kind}: ${what.slice(0, 400)}`;
const read = (file) => {
  const saved = JSON.parse(readFileSync(file, 'utf8'));
  const target = byName(targets, saved.target, 'target');
  return { name: path.basename(file), file, saved, target, fuzzer: fuzzerNamed(saved.fuzzer) };
};

async function attack(target, fuzzer) {
  const summary = await campaign(target, fuzzer, {
    seed: flags.seed ?? '1',
    seconds: number('seconds', flags.short ? 60 : 20),
    packets: number('packets'),
    ...(flags.short && { inputs: SHORT_INPUTS[target.name], most: 1 }),
    budgets,
    patience,
    say,
  });
  const { packets, seconds, rssPeakMB, healthzMaxMs } = summary;
  const memory = Object.entries(rssPeakMB).map(([name, mb]) => `${name} ${mb} MB`);
  book(
    summary.found.length === 0,
    `${target.name}/${fuzzer.name}`,
    `${packets} packets in ${seconds} s, ${memory.join(', ')}, answers within ${healthzMaxMs} ms`,
  );
  console.log(JSON.stringify(summary));
}

checkNode();
await install();
if ((await build()) !== 0) process.exit(1);

if (sizes) {
  const { machine } = await import('../bench/measure.mjs');
  const names = positionals.length > 1 ? positionals.slice(1) : SIZED;
  const measured = await measureSizes(names, { limitSeconds: number('seconds', 120), say });
  console.log(JSON.stringify({ machine: machine(), sizes: measured }, null, 1));
  process.exit(0);
}

if (flags.replay)
  for (const file of flags.replay) {
    const { name, saved, target, fuzzer } = read(path.resolve(file));
    const { violation, seen } = await replay(target, fuzzer, { ...saved, budgets: { ...budgets, ...saved.budgets } });
    book(!violation, name, violation && described(violation));
    console.log(JSON.stringify({ replay: name, target: target.name, ...seen, violation }));
  }
else {
  const corpus = path.join(top, 'attack', 'corpus');
  const files = flags['no-corpus'] ? [] : readdirSync(corpus).map((name) => read(path.join(corpus, name)));
  for (const target of targets) {
    const own = files.filter((file) => file.target === target && isChosen(target, file.fuzzer));
    await replayMany(target, own, budgets, ({ name, violation }) =>
      book(!violation, name, violation && described(violation)),
    );
  }
  for (const target of targets)
    for (const fuzzer of flags.short ? [all] : fuzzers)
      if (fuzzer.targets.includes(target.name) && isChosen(target, fuzzer)) await attack(target, fuzzer);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
