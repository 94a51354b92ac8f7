/** The conformance runner: our kubelet on a real kubelet's steps, compared with the recording of that one. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Shard } from '@syncloop/core/base';
import { type Check, compare, hasStepsOnly, type Recording } from '@syncloop/core/conformance/compare';
import { defaultEra, type EraVersion } from '@syncloop/core/kubelet';
import { SetupError, UsageError } from '../base/errors.js';
import { type Flags, flagHelp, parseArgs } from '../cli/args.js';
import { chosenVersion, twinEra } from '../cli/era.js';
import { resultLine } from '../shards/result-file.js';
import { chosenShard } from '../shards/shard-flags.js';
import { Containerd, whyNoContainerd } from './containerd.js';
import { conformanceFlags } from './flags.js';
import { testdata } from './places.js';
import { readRecording } from './recording.js';
import { runOnRuntime } from './run-cri.js';
import { judgeShard, questionOf } from './shards.js';

type Options = Flags<typeof conformanceFlags>;

/** The default folder of the references. */
const goldenFolder = (era: EraVersion) => testdata(era === defaultEra ? 'golden' : `eras/${era}`);

interface Totals {
  passed: number;
  failed: number;
}

/** Runs all files; resolves with the exit code: 1 if a check fails. */
export async function main(argv: readonly string[], print: (line: string) => void = console.log): Promise<number> {
  try {
    const { flags, positionals } = parseArgs('conformance', argv, conformanceFlags, 'npm run -s conformance -- --help');
    if (flags.help) {
      print(`Usage: npm run -s conformance -- [FLAGS] [FILE...]\n\n${flagHelp(conformanceFlags)}`);
      return 0;
    }
    const shard = chosenShard(flags);
    if (shard) return await oneShard(shard, flags, positionals, print);
    if (flags.smoke) return await smokeTest(print);
    if (flags.attach) {
      if (positionals.length === 0) throw new UsageError('--attach needs one or more folders of captures');
      const { attach } = await import('./attach/main.js');
      return await attach(positionals, flags, print);
    }
    if (flags.incidents) {
      if (positionals.length === 0) throw new UsageError('--incidents needs one or more folders of captures or logs');
      const { incidents } = await import('./incidents/main.js');
      return await incidents(positionals, flags, print);
    }
    if (flags.twin) {
      const { twin } = await twins(positionals);
      return await twin(positionals, { ...withoutEra(flags), ...(await twinEra(flags.era)) }, print);
    }
    const runtime = flags.runtime ?? 'mock';
    if (runtime !== 'mock' && runtime !== 'cri')
      throw new UsageError(`--runtime is ${runtime}, but must be mock or cri`);
    if (flags['runtime-endpoint'] !== undefined && runtime === 'mock')
      throw new UsageError('--runtime-endpoint needs --runtime cri');
    if (flags.contract) return await contractSuite(runtime, flags, positionals, print);
    if (flags.era !== undefined && runtime !== 'mock') throw new UsageError('--era needs --runtime mock');
    const { era, emulatedVersion } = await chosenVersion(flags.era);
    const files = positionals.length > 0 ? positionals : await defaultFiles(era);
    if (flags.record !== undefined) await mkdir(flags.record, { recursive: true });
    const totals: Totals = { passed: 0, failed: 0 };
    if (runtime === 'mock') {
      for (const file of files) await conformOnMock(file, flags, { era, emulatedVersion }, totals, print);
    } else {
      await onRealRuntimes(files, flags, totals, print);
    }
    print(`${totals.passed} passed, ${totals.failed} failed`);
    return totals.failed > 0 ? 1 : 0;
  } catch (err) {
    if (!(err instanceof UsageError || err instanceof SetupError)) throw err;
    print(`conformance: ${err.message}`);
    return 2;
  }
}

/** The flags that a shard can have: it replays recordings on the mock, or compares twins of captures. */
const OF_SHARDS: readonly string[] = ['shard', 'shards', 'output', 'era', 'seed', 'tries', 'verbose'];

/** Does the share of one shard, and writes the result for `syncloop merge`. */
async function oneShard(
  shard: Shard,
  flags: Options,
  positionals: readonly string[],
  print: (line: string) => void,
): Promise<number> {
  const more = flags.twin ? ['twin', 'sources'] : ['runtime'];
  const other = Object.keys(flags).find((name) => ![...OF_SHARDS, ...more].includes(name));
  if (other !== undefined || (flags.runtime ?? 'mock') !== 'mock')
    throw new UsageError(
      `${other === undefined ? '--runtime cri' : `--${other}`} cannot be split: --shard is for recordings on the mock runtime, and for --twin`,
    );
  const line = await (flags.twin ? shardOfTwins : shardOfRecordings)(shard, flags, positionals);
  const { output } = flags;
  if (output === undefined || output === '-') print(line.trimEnd());
  else
    await writeFile(output, line, { mode: 0o600 }).catch((err: Error) => {
      throw new SetupError(`cannot write ${output}: ${err.message}`);
    });
  return 0;
}

async function shardOfRecordings(shard: Shard, flags: Options, positionals: readonly string[]): Promise<string> {
  const { era, emulatedVersion } = await chosenVersion(flags.era);
  const files = positionals.length > 0 ? positionals : await defaultFiles(era);
  if (shard.of > files.length)
    throw new UsageError(`${shard.of} shards are more than the ${files.length} recordings: give fewer`);
  const { seed = null, tries = null, verbose = false } = flags;
  const question = questionOf(files, { era, emulatedVersion: emulatedVersion ?? null, seed, tries, verbose });
  const part = await judgeShard(files, shard, async (file, say) => {
    const totals: Totals = { passed: 0, failed: 0 };
    await conformOnMock(file, flags, { era, emulatedVersion }, totals, say);
    return totals;
  });
  return resultLine('conformance', question, part);
}

async function shardOfTwins(shard: Shard, flags: Options, folders: readonly string[]): Promise<string> {
  const { twinShard } = await twins(folders);
  const { seed = null, tries = null, verbose = false, sources = null } = flags;
  const version = await twinEra(flags.era);
  const { names, ...part } = await twinShard(folders, { ...withoutEra(flags), ...version }, shard);
  return resultLine('conformance --twin', { captures: names, version, seed, tries, verbose, sources }, part);
}

async function twins(folders: readonly string[]) {
  if (folders.length === 0) throw new UsageError('--twin needs one or more folders of captures');
  return import('./twin/main.js');
}
const withoutEra = ({ era: _, ...rest }: Options) => rest;

async function conformOnMock(
  file: string,
  flags: Options,
  { era, emulatedVersion }: { readonly era: EraVersion; readonly emulatedVersion: string | undefined },
  totals: Totals,
  print: (line: string) => void,
): Promise<void> {
  const { runOnMock } = await import('./run-mock.js');
  await conform(file, flags, totals, print, async (reference, attempt) => {
    const { recording, problems } = runOnMock(reference, (flags.seed ?? 1) + attempt, {
      era,
      ...(emulatedVersion !== undefined && { emulatedVersion }),
    });
    for (const problem of problems) print(`note ${reference.scenario}: ${problem}`);
    return recording;
  });
}

async function smokeTest(print: (line: string) => void): Promise<number> {
  const reason = whyNoContainerd();
  if (reason !== undefined) throw new SetupError(reason);
  const { smoke } = await import('./smoke.js');
  const checks = await smoke();
  for (const { name, ok, detail } of checks) print(ok ? `ok   ${name}` : `FAIL ${name} -- ${detail.slice(0, 1500)}`);
  const bad = checks.filter(({ ok }) => !ok).length;
  print(`${checks.length - bad} passed, ${bad} failed`);
  return bad > 0 ? 1 : 0;
}

async function contractSuite(
  runtime: 'mock' | 'cri',
  flags: Options,
  only: readonly string[],
  print: (line: string) => void,
): Promise<number> {
  const { contract } = await import('./contract.js');
  const { 'runtime-endpoint': endpoint, seed, jobs, verbose } = flags;
  const { passed, failed } = await contract({ runtime, endpoint, seed, jobs, verbose, only }, print);
  print(`${passed} passed, ${failed} failed`);
  return failed > 0 || passed === 0 ? 1 : 0;
}

/** All references. */
async function defaultFiles(era: EraVersion): Promise<string[]> {
  const folder = goldenFolder(era);
  const names = await readdir(folder).catch(() => []);
  const out = names
    .filter((n) => n.endsWith('.json'))
    .sort()
    .map((name) => join(folder, name));
  if (out.length === 0) throw new UsageError(`there are no recordings in ${folder}: name some files`);
  return out;
}

/** Each job has a containerd of its own: a kubelet ends pods that it does not know, so two cannot share one. */
async function onRealRuntimes(
  files: readonly string[],
  flags: Options,
  totals: Totals,
  print: (line: string) => void,
): Promise<void> {
  const endpoint = flags['runtime-endpoint'];
  const queue = [...files];
  const stop = new AbortController();
  const live = new Set<Containerd>();
  const work = async () => {
    const managed = endpoint === undefined ? await Containerd.create() : null;
    if (managed) live.add(managed);
    try {
      for (let file = queue.shift(); file !== undefined && !stop.signal.aborted; file = queue.shift()) {
        await conform(file, flags, totals, print, (reference) =>
          runOnRuntime(reference, endpoint ?? managed?.endpoint ?? '', managed, stop.signal),
        );
      }
    } finally {
      if (managed) live.delete(managed);
      await managed?.destroy();
    }
  };
  if (endpoint === undefined) {
    const reason = whyNoContainerd();
    if (reason !== undefined) throw new SetupError(reason);
  }
  const interrupted = () => stop.abort(new Error('interrupted'));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  const jobs = endpoint === undefined ? Math.min(flags.jobs ?? 3, files.length) : 1;
  await Promise.all(Array.from({ length: jobs }, work));
  process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
}

interface Result {
  readonly made: Recording;
  readonly checks: readonly Check[];
  readonly bad: number;
}

/**
 * Replays a recording, compares and prints. A recording that cannot be replayed counts as one failed check. A kubelet
 * draws lots (back-off and resync jitter), so a run may miss a status of a reference with a short wait: then it gets
 * another try, and the output says so.
 */
async function conform(
  file: string,
  flags: Options,
  totals: Totals,
  print: (line: string) => void,
  replay: (reference: Recording, attempt: number) => Promise<Recording>,
): Promise<void> {
  const began = performance.now();
  let name = basename(file, '.json');
  try {
    const reference = await readRecording(file);
    name = reference.scenario;
    const seconds = () => ((performance.now() - began) / 1000).toFixed(1);
    const write = async (made: Recording) => {
      if (flags.record !== undefined)
        await writeFile(join(flags.record, `${basename(file, '.json')}.json`), JSON.stringify(made, null, 1));
    };
    if (hasStepsOnly(reference)) {
      await write(await replay(reference, 0));
      print(`${flags.record === undefined ? 'ran' : 'recorded'} ${name}: nothing to compare with (${seconds()} s)`);
      return;
    }
    const tries = flags.tries ?? 1;
    let best: Result | null = null;
    for (let attempt = 0; attempt < tries && best?.bad !== 0; attempt++) {
      const made = await replay(reference, attempt);
      const checks = compare(reference, made);
      const bad = checks.filter(({ ok }) => !ok).length;
      if (best) print(`note ${name}: ${best.bad} checks failed; try ${attempt + 1} has ${bad}`);
      if (!best || bad < best.bad) best = { made, checks, bad };
    }
    if (!best) return;
    const { made, checks, bad } = best;
    await write(made);
    for (const { name: check, ok, detail } of checks) {
      if (!ok) print(`FAIL ${name}: ${check} -- ${detail.slice(0, 1500)}`);
      else if (flags.verbose) print(`ok   ${name}: ${check}`);
    }
    totals.passed += checks.length - bad;
    totals.failed += bad;
    print(`${bad > 0 ? 'FAIL' : 'ok  '} ${name}: ${checks.length - bad} of ${checks.length} checks (${seconds()} s)`);
  } catch (err) {
    if (err instanceof SetupError) throw err;
    totals.failed++;
    print(`FAIL ${name}: ${err instanceof Error ? err.message : err}`);
  }
}
