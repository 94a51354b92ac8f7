/** `syncloop fetch`: the logs of nodes out of a store of logs, as files. */
import { Buffer } from 'node:buffer';
import { parseDuration } from '@syncloop/core/base';
import { SetupError, UsageError } from '../base/errors.js';
import { readSettings } from '../base/read-file.js';
import { sizeText } from '../base/size-text.js';
import { type FlagSpecs, type Flags, parseArgs } from '../cli/args.js';
import type { IO } from '../cli/io.js';
import { isLoopback } from '../net/listen.js';
import { Elasticsearch } from '../stores/elasticsearch.js';
import type { StoreOptions } from '../stores/http.js';
import type { LogSource, TimeRange } from '../stores/log-source.js';
import { Loki } from '../stores/loki.js';
import { ObjectStorage } from '../stores/object.js';
import { writeStored } from '../stores/store-files.js';
import { oneOf } from './choice.js';
import type { Command } from './command.js';

const STORES = ['loki', 'elasticsearch', 'opensearch', 'url'] as const;
const MiB = 1024 * 1024;
const HOUR = 3_600_000;
const INTERRUPTED = 130;

const flagSpecs = {
  output: { type: 'string', short: 'o', value: 'DIR', help: 'the folder for the logs, one folder in it for each node' },
  query: {
    type: 'string',
    value: 'QUERY',
    help: 'which lines: of loki LogQL, such as {unit="kubelet.service"}; else the query language of Lucene, such as systemd.unit:kubelet.service',
  },
  index: {
    type: 'string',
    value: 'NAME',
    help: 'of elasticsearch and opensearch: the index, or a pattern (default *)',
  },
  since: {
    type: 'string',
    value: 'TIME',
    help: 'where to begin: 6h (ago), or 2026-11-22T03:12:00Z (default 1h)',
  },
  until: { type: 'string', value: 'TIME', help: 'where to end (default: now)' },
  page: {
    type: 'int',
    value: 'N',
    min: 1,
    max: 100_000,
    help: 'lines of one request (default 5000 of loki, else 2000)',
  },
  'node-field': {
    type: 'string',
    value: 'NAME',
    help: 'the label or field that names the node (default: the usual ones)',
  },
  'message-field': { type: 'string', value: 'NAME', help: 'the field with the line (default: message and the like)' },
  'time-field': { type: 'string', value: 'NAME', help: 'the field with the time (default @timestamp)' },
  'token-file': { type: 'file', value: 'FILE', help: 'a file with a bearer token' },
  'basic-auth-file': { type: 'file', value: 'FILE', help: 'a file with USER:PASSWORD' },
  'header-file': {
    type: 'file',
    value: 'FILE',
    help: 'a file with more headers, one a line, such as X-Scope-OrgID: team-a',
  },
  'ca-file': { type: 'file', value: 'FILE', help: "certificates that the server's is checked with, PEM" },
  'size-limit': { type: 'size', value: 'SIZE', min: 1, help: 'largest number of bytes to write (default 4Gi)' },
} as const satisfies FlagSpecs;
type FetchFlags = Flags<typeof flagSpecs>;

async function run(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('fetch', argv, flagSpecs);
  const [kind, ...addresses] = positionals;
  const store = oneOf('the store', kind, STORES);
  if (store === undefined || addresses.length === 0 || (store !== 'url' && addresses.length > 1))
    throw new UsageError(`give a store and its address:\n  ${command.usage.replaceAll('\n       ', '\n  ')}`);
  if (flags.output === undefined)
    throw new UsageError('--output is required: a folder that is not there yet, for the logs');
  const urls = addresses.map(addressOf);
  refuseOthers(store, flags);
  const range = rangeOf(flags, Date.now());
  const aborted = new AbortController();
  const options: StoreOptions = {
    ...(await credentialsOf(flags, urls)),
    say: (sentence) => io.err(`syncloop: ${sentence}\n`),
    signal: aborted.signal,
  };
  const { 'size-limit': mostBytes = 4096 * MiB, output: folder } = flags;
  const writing = writeStored(sourceOf(store, urls, flags, options), {
    range,
    folder,
    mostBytes,
    progress: (bytes, nodes, until) =>
      io.progress?.({
        doing: `fetching from ${urls[0]?.host}`,
        far: `${sizeText(bytes)} of ${nodes} nodes${until === null ? '' : `, up to ${new Date(until).toISOString()}`}`,
      }),
  });
  const ended = await Promise.race([writing, io.untilSignal()]);
  if (typeof ended === 'string') {
    aborted.abort();
    await writing.catch(() => {});
    io.err(`syncloop: interrupted; what came before is in ${folder}\n`);
    return INTERRUPTED;
  }
  const { nodes, bytes } = ended;
  io.out(
    `${sizeText(bytes)} of ${nodes.length === 1 ? 'one node' : `${nodes.length} nodes`} in ${folder}: syncloop explain ${folder}${nodes.length === 1 ? `/${nodes[0]}` : ''}\n`,
  );
  return 0;
}

/** An address of a store. Throws a UsageError that does not repeat a password. */
function addressOf(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new UsageError(
      `${JSON.stringify(text.slice(0, 200))} is not an address: give one such as https://loki.example:3100`,
    );
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new UsageError(`an address begins with https:// or http://, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '')
    throw new UsageError(
      'an address with a password is seen by all users of this machine: put USER:PASSWORD into a file for --basic-auth-file',
    );
  return url;
}

const OF_LUCENE = ['index', 'message-field', 'time-field'] as const;
const OF_QUERIES = ['query', 'since', 'until', 'page', 'node-field'] as const;

function refuseOthers(store: (typeof STORES)[number], flags: FetchFlags): void {
  if (store !== 'url' && flags.query === undefined)
    throw new UsageError('--query is required: which lines are the kubelet’s, such as {unit="kubelet.service"}');
  const no = store === 'url' ? [...OF_QUERIES, ...OF_LUCENE] : store === 'loki' ? OF_LUCENE : [];
  for (const flag of no)
    if (flags[flag] !== undefined) throw new UsageError(`--${flag} has no effect on ${store}: leave it out`);
}

function sourceOf(
  store: (typeof STORES)[number],
  urls: readonly URL[],
  flags: FetchFlags,
  options: StoreOptions,
): LogSource {
  const url = urls[0] as URL;
  const { query = '', page, index = '*' } = flags;
  const paged = { ...options, url, query, ...(page !== undefined && { page }) };
  const { 'node-field': node, 'message-field': message, 'time-field': time } = flags;
  switch (store) {
    case 'url':
      return new ObjectStorage({ ...options, urls });
    case 'loki':
      return new Loki({ ...paged, ...(node !== undefined && { nodeLabel: node }) });
    default:
      return new Elasticsearch({
        ...paged,
        flavour: store,
        index,
        ...(node !== undefined && { nodeField: node }),
        ...(message !== undefined && { messageField: message }),
        ...(time !== undefined && { timeField: time }),
      });
  }
}

/** Throws a UsageError for a text that is not a time. */
function rangeOf({ since, until }: FetchFlags, now: number): TimeRange {
  const timeOf = (flag: string, text: string): number => {
    // Go's durations have no days.
    const ago = parseDuration(text.replace(/^(\d{1,5})d/, (_, days) => `${24 * Number(days)}h`));
    if (ago !== null && ago >= 0) return now - ago / 1000;
    const at = /^\d{4}-\d\d-\d\d/.test(text)
      ? Date.parse(/[Zz]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`)
      : Number.NaN;
    if (Number.isNaN(at))
      throw new UsageError(
        `--${flag} is ${JSON.stringify(text)}, but must be 6h, 30m, 2d or a time such as 2026-11-22T03:12:00Z`,
      );
    return at;
  };
  const to = until === undefined ? now : timeOf('until', until);
  const from = since === undefined ? to - HOUR : timeOf('since', since);
  if (from >= to) throw new UsageError('--since is not before --until');
  return { from, to };
}

/** Headers whose values are not secrets. Any other one may be, because proxies and gateways have keys by many names. */
const NO_SECRETS: ReadonlySet<string> = new Set(['x-scope-orgid', 'accept', 'user-agent']);

/** Reads the files with credentials. */
async function credentialsOf(flags: FetchFlags, urls: readonly URL[]): Promise<StoreOptions> {
  const { 'token-file': token, 'basic-auth-file': basic, 'header-file': headers, 'ca-file': ca } = flags;
  if (token !== undefined && basic !== undefined)
    throw new UsageError('--token-file and --basic-auth-file exclude each other: give one of them');
  const plain = urls.find(
    ({ protocol, hostname }) => protocol === 'http:' && !isLoopback(hostname.replace(/^\[(.*)\]$/, '$1')),
  );
  const refusePlain = (what: string) => {
    if (plain)
      throw new UsageError(`${what} would be sent to ${plain.host} without encryption: give an https:// address`);
  };
  if ((token ?? basic) !== undefined) refusePlain('credentials');
  const text = async (flag: string, file: string) =>
    await readSettings(file).catch((error: Error) => {
      throw new SetupError(`cannot read the file of --${flag}: ${error.message}`);
    });
  const authorization =
    token !== undefined
      ? `Bearer ${oneLine('token-file', await text('token-file', token))}`
      : basic !== undefined
        ? `Basic ${Buffer.from(oneLine('basic-auth-file', await text('basic-auth-file', basic))).toString('base64')}`
        : undefined;
  const more = headers === undefined ? undefined : headersOf(await text('header-file', headers));
  for (const name of Object.keys(more ?? {})) if (!NO_SECRETS.has(name)) refusePlain(`the header ${name}`);
  return {
    ...(authorization !== undefined && { authorization }),
    ...(more && { headers: more }),
    ...(ca !== undefined && { ca: await text('ca-file', ca) }),
  };
}

function oneLine(flag: string, text: string): string {
  const line = text.trim();
  if (line === '' || /[^\x20-\x7e]/.test(line))
    throw new SetupError(`the file of --${flag} must have one line of printable characters`);
  return line;
}

function headersOf(text: string): { readonly [name: string]: string } {
  const found: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') continue;
    const [, name, value] = /^([A-Za-z0-9-]+):\s*([\x20-\x7e]+)$/.exec(line) ?? [];
    // The line itself may be a secret.
    if (name === undefined || value === undefined)
      throw new SetupError('a line of the --header-file is not a header: write it as Name: value');
    found[name.toLowerCase()] = value.trim();
  }
  return found;
}

export const command: Command = {
  usage: [
    `syncloop fetch loki URL --query '{unit="kubelet.service"}' --since 6h -o DIR`,
    'syncloop fetch elasticsearch|opensearch URL --query QUERY [--index NAME] -o DIR',
    'syncloop fetch url URL... -o DIR',
  ].join('\n       '),
  flags: flagSpecs,
  run,
};
