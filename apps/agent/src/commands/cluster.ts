/**
 * `syncloop cluster`, which is `kubectl syncloop`: fetches the log of a node through the API server, with the user's
 * own kubectl, and shows or explains it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SetupError, UsageError } from '../base/errors.js';
import { type FlagSpecs, type Flags, parseArgs } from '../cli/args.js';
import type { IO } from '../cli/io.js';
import { runBounded } from '../limits/bounded-process.js';
import { Kubectl } from '../nodes/kubectl.js';
import { fetchNodes, nodeNames } from '../nodes/many-nodes.js';
import { fetchEvidence, ownNamespace, placeOfPod } from '../nodes/node-evidence.js';
import type { Command } from './command.js';
import { kubectlFlags, pageFlags } from './page-flags.js';

const flagSpecs = {
  since: {
    type: 'duration',
    value: 'TIME',
    help: 'how far back the log is read, such as 20m or 6h (default 1h; of a pod, its life)',
  },
  lines: { type: 'int', value: 'N', min: 1, help: 'the last lines of that time alone (default: all)' },
  namespace: {
    type: 'string',
    short: 'n',
    value: 'NAME',
    help: "namespace of the pod (default: that of kubectl's configuration)",
  },
  selector: {
    type: 'string',
    short: 'l',
    value: 'LABELS',
    help: 'with explain nodes: only nodes with these labels, such as role=worker',
  },
  ...kubectlFlags,
  format: {
    type: 'string',
    value: 'text|markdown|html|json',
    help: 'with explain: output format (default text)',
  },
  lang: { type: 'string', value: 'en|zh', help: 'with explain: language of what is printed (default en)' },
  ...pageFlags(7330),
} as const satisfies FlagSpecs;

const USAGE = [
  'kubectl syncloop node NAME [--since 1h]',
  'kubectl syncloop pod NAME [-n NAMESPACE]',
  'kubectl syncloop explain node|pod NAME [--since 1h] [--format text|markdown|html|json]',
  'kubectl syncloop explain nodes [NAME...] [-l LABELS] [--since 1h]',
  'kubectl syncloop explain FILE|-...',
];

/** Flags that are passed on: to the verdict, and to the page. */
const OF_EXPLAIN = ['format', 'lang'] as const;
const OF_PAGE = ['port', 'host'] as const;

/** The default of --since, ms. */
const HOUR = 3_600_000;
/** The time before a pod's life that shows how it came, ms. */
const BEFORE = 60_000;
/** The exit code of a program that a signal ended is this and the signal's number; here SIGINT. */
const INTERRUPTED = 130;

async function run(argv: readonly string[], io: IO): Promise<number> {
  const [first, second] = argv;
  // A file needs no cluster.
  if (first === 'explain' && second !== undefined && !/^(node|pod)s?$/.test(second) && !/^--?[a-z]/.test(second))
    return runBounded('explain', argv.slice(1), io, { code: 2 });
  const { flags, positionals } = parseArgs('cluster', argv, flagSpecs, 'kubectl syncloop --help');
  const explains = positionals[0] === 'explain';
  if (explains && positionals[1] === 'nodes') return await explainNodes(positionals.slice(2), flags, io);
  if (flags.selector !== undefined)
    throw new UsageError('--selector has an effect only with explain nodes: leave it out');
  const [kind, name, ...rest] = explains ? positionals.slice(1) : positionals;
  if ((kind !== 'node' && kind !== 'pod') || name === undefined || rest.length > 0)
    throw new UsageError(`give a node or a pod:\n  ${USAGE.join('\n  ')}`);
  const [own, others] = explains ? [OF_EXPLAIN, OF_PAGE] : [OF_PAGE, OF_EXPLAIN];
  for (const flag of others)
    if (flags[flag] !== undefined)
      throw new UsageError(`--${flag} has an effect only ${explains ? 'without' : 'with'} explain: leave it out`);
  // As for explain: 1 says that there are incidents.
  const failed = explains ? 2 : 1;
  const folder = await mkdtemp(join(tmpdir(), 'syncloop-node-'));
  try {
    const aborted = new AbortController();
    const kubectl = new Kubectl({ ...flags, signal: aborted.signal });
    const fetching = fetched(kubectl, kind, name, folder, flags, io);
    const signal = await Promise.race([fetching.then(() => null), io.untilSignal()]);
    if (signal !== null) {
      aborted.abort();
      await fetching.catch(() => {});
      return INTERRUPTED;
    }
    const passed = own.flatMap((flag) => (flags[flag] === undefined ? [] : [`--${flag}=${flags[flag]}`]));
    return await runBounded(explains ? 'explain' : 'open', [folder, ...passed], io, { code: failed });
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    io.err(`syncloop: ${error.message}\n`);
    return failed;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The verdict on many nodes of a cluster. Resolves with the exit code, as for explain. */
async function explainNodes(names: readonly string[], flags: Flags<typeof flagSpecs>, io: IO): Promise<number> {
  for (const flag of OF_PAGE)
    if (flags[flag] !== undefined) throw new UsageError(`--${flag} has an effect only without explain: leave it out`);
  if (names.length > 0 && flags.selector !== undefined)
    throw new UsageError('names and --selector exclude each other: give one of them');
  const { since, lines } = flags;
  const folder = await mkdtemp(join(tmpdir(), 'syncloop-nodes-'));
  try {
    const aborted = new AbortController();
    const kubectl = new Kubectl({ ...flags, signal: aborted.signal });
    const fetching = (async () => {
      const nodes = names.length > 0 ? [...new Set(names)].sort() : await nodeNames(kubectl, flags.selector);
      const failed = await fetchNodes(kubectl, nodes, {
        folder,
        sinceMillis: Date.now() - (since === undefined ? HOUR : since / 1000),
        ...(lines !== undefined && { lines }),
        say: (sentence) => io.err(`syncloop: ${sentence}\n`),
        progress: (done) => io.progress?.({ doing: 'reading logs of nodes', far: `${done} of ${nodes.length}` }),
      });
      return failed.length;
    })();
    const ended = await Promise.race([fetching, io.untilSignal()]);
    if (typeof ended === 'string') {
      aborted.abort();
      await fetching.catch(() => {});
      return INTERRUPTED;
    }
    const passed = OF_EXPLAIN.flatMap((flag) => (flags[flag] === undefined ? [] : [`--${flag}=${flags[flag]}`]));
    const code = await runBounded('explain', [folder, '--fleet', ...passed], io, { code: 2 });
    // Nothing wrong on the others is not nothing wrong.
    return code === 0 && ended > 0 ? 2 : code;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    io.err(`syncloop: ${error.message}\n`);
    return 2;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fetched(
  kubectl: Kubectl,
  kind: 'node' | 'pod',
  name: string,
  folder: string,
  { since, lines, namespace }: { readonly since?: number; readonly lines?: number; readonly namespace?: string },
  io: IO,
): Promise<void> {
  const place = kind === 'node' ? null : await placeOfPod(kubectl, namespace ?? (await ownNamespace(kubectl)), name);
  const sinceMillis =
    since !== undefined ? Date.now() - since / 1000 : place ? place.sinceMillis - BEFORE : Date.now() - HOUR;
  const say = (sentence: string) => io.err(`syncloop: ${sentence}\n`);
  if (place) say(`${name} is on ${place.node}, whose log is read since ${new Date(sinceMillis).toISOString()}`);
  await fetchEvidence(
    kubectl,
    { node: place?.node ?? name, sinceMillis, ...(lines !== undefined && { lines }) },
    { folder, say },
  );
}

export const command: Command = { usage: USAGE.join('\n       '), flags: flagSpecs, run };
