/**
 * `syncloop cluster`, which is `kubectl syncloop`: fetches the log of a node through the API server, with the user's
 * own kubectl, and shows or explains it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../base/errors.js';
import { type FlagSpecs, parseArgs } from '../cli/args.js';
import type { IO } from '../cli/io.js';
import { runBounded } from '../limits/bounded-process.js';
import { Kubectl } from '../nodes/kubectl.js';
import { fetchEvidence, ownNamespace, placeOfPod } from '../nodes/node-evidence.js';
import type { Command } from './command.js';

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
  kubeconfig: { type: 'file', value: 'FILE', help: "kubectl's configuration (default: as kubectl finds it)" },
  context: { type: 'string', value: 'NAME', help: "context of kubectl's configuration (default: the current one)" },
  kubectl: { type: 'string', value: 'PATH', help: 'program to run (default kubectl)' },
  format: {
    type: 'string',
    value: 'text|markdown|html|json',
    help: 'with explain: form of what is printed (default text)',
  },
  lang: { type: 'string', value: 'en|zh', help: 'with explain: language of what is printed (default en)' },
  port: {
    type: 'int',
    value: 'PORT',
    min: 0,
    max: 65535,
    help: 'port of the page; 0 picks any free port (default 7330)',
  },
} as const satisfies FlagSpecs;

const USAGE = [
  'kubectl syncloop node NAME [--since 1h]',
  'kubectl syncloop pod NAME [-n NAMESPACE]',
  'kubectl syncloop explain node|pod NAME [--since 1h] [--format text|markdown|html|json]',
  'kubectl syncloop explain FILE|-...',
];

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
  const [kind, name, ...rest] = explains ? positionals.slice(1) : positionals;
  if ((kind !== 'node' && kind !== 'pod') || name === undefined || rest.length > 0)
    throw new UsageError(`give a node or a pod:\n  ${USAGE.join('\n  ')}`);
  if (!explains && (flags.format ?? flags.lang) !== undefined)
    throw new UsageError('--format and --lang belong to explain: kubectl syncloop explain node NAME');
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
    const { format, lang, port } = flags;
    const more = explains
      ? [...(format === undefined ? [] : [`--format=${format}`]), ...(lang === undefined ? [] : [`--lang=${lang}`])]
      : port === undefined
        ? []
        : [`--port=${port}`];
    return await runBounded(explains ? 'explain' : 'open', [folder, ...more], io, { code: explains ? 2 : 1 });
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
  if (place) say(`${name} is on ${place.node}; its log is read from a minute before the pod was created`);
  await fetchEvidence(
    kubectl,
    { node: place?.node ?? name, sinceMillis, ...(lines !== undefined && { lines }) },
    { folder, say },
  );
}

export const command: Command = { usage: USAGE.join('\n       '), flags: flagSpecs, run };
