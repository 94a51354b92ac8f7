#!/usr/bin/env node
/**
 * `npm run attack -- [TARGET | TARGET/FUZZER...] [--seconds N] [--packets N] [--seed S] [--replay FILE] [--short]`: attacks
 * what was built, and prints one JSON object for each pair of a target and a fuzzer. Exits with 1 when something was found.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { campaign, replay } from '../attack/campaign.mjs';
import { fuzzers, targets } from '../attack/index.mjs';
import { top } from './lib.mjs';

const say = (text) => process.stderr.write(`${text}\n`);
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string' },
    packets: { type: 'string' },
    seed: { type: 'string' },
    replay: { type: 'string', multiple: true },
    short: { type: 'boolean' },
    'rss-mb': { type: 'string' },
    'late-ms': { type: 'string' },
    'shrink-seconds': { type: 'string' },
    'no-corpus': { type: 'boolean' },
  },
});
const number = (name, otherwise) => {
  if (flags[name] === undefined) return otherwise;
  const n = Number(flags[name]);
  if (n > 0) return n;
  say(`attack: --${name} is ${JSON.stringify(flags[name])}; it must be a number above 0`);
  process.exit(2);
};
const byName = (list, name, what) => {
  const found = list.find((one) => one.name === name);
  if (found) return found;
  say(`attack: there is no ${what} ${name}; there are ${list.map((one) => one.name).join(', ')}`);
  process.exit(2);
};

const seconds = number('seconds', flags.short ? 1.5 : 20);
const seed = flags.seed ?? '1';
const budgets = {
  ...(flags['rss-mb'] && { rssMB: number('rss-mb') }),
  ...(flags['late-ms'] && { lateMs: number('late-ms') }),
};
/** How long one finding may be made smaller. */
const patience = flags['shrink-seconds'] ? { tries: 1000, seconds: number('shrink-seconds') } : {};
let passed = 0;
let failed = 0;
const book = (ok) => (ok ? passed++ : failed++);

/** A file of the corpus, or one that was found: `passes` when nothing happens. */
async function again(file) {
  const saved = JSON.parse(readFileSync(file, 'utf8'));
  const target = byName(targets, saved.target, 'target');
  const fuzzer = byName(fuzzers, saved.fuzzer, 'fuzzer');
  const { violation, seen } = await replay(target, fuzzer, { ...saved, budgets: { ...saved.budgets, ...budgets } });
  book(!violation);
  say(
    `${violation ? 'FAIL' : 'ok  '} ${path.basename(file)}${violation ? `: ${violation.kind}: ${violation.what.slice(0, 400)}` : ''}`,
  );
  console.log(JSON.stringify({ replay: path.relative(top, file), target: target.name, ...seen, violation }));
}

const chosen = positionals.map((text) => {
  const [target, fuzzer] = text.split('/');
  return { target: byName(targets, target, 'target'), fuzzer: fuzzer && byName(fuzzers, fuzzer, 'fuzzer') };
});
const isChosen = (target, fuzzer) =>
  chosen.length === 0 || chosen.some((c) => c.target === target && (!c.fuzzer || c.fuzzer === fuzzer));

if (flags.replay) for (const file of flags.replay) await again(path.resolve(file));
else {
  const corpus = path.join(top, 'attack', 'corpus');
  if (!flags['no-corpus'])
    for (const name of readdirSync(corpus).sort()) {
      const { target, fuzzer } = JSON.parse(readFileSync(path.join(corpus, name), 'utf8'));
      if (isChosen(byName(targets, target, 'target'), byName(fuzzers, fuzzer, 'fuzzer')))
        await again(path.join(corpus, name));
    }
  for (const target of targets)
    for (const fuzzer of fuzzers) {
      if (!fuzzer.targets.includes(target.name) || !isChosen(target, fuzzer)) continue;
      const packets = number('packets', flags.short ? fuzzer.short : undefined);
      const summary = await campaign(target, fuzzer, { seed, seconds, packets, budgets, say, patience });
      book(summary.found.length === 0);
      say(
        `${summary.found.length ? 'FAIL' : 'ok  '} ${target.name}/${fuzzer.name}: ${summary.packets} packets in ${summary.seconds} s, ${JSON.stringify(summary.rssPeakMB)} MB, answers within ${summary.healthzMaxMs} ms`,
      );
      console.log(JSON.stringify(summary));
    }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
