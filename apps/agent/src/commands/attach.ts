/** `syncloop attach`: shows the kubelet that runs on this node, from its sources. It changes nothing. */
import { statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { EraVersion } from '@syncloop/core/kubelet';
import { redactRecord } from '@syncloop/core/redaction';
import type { RecordingInfo } from '@syncloop/core/trace';
import { SetupError, UsageError } from '../base/errors.js';
import { version } from '../base/version.js';
import { type FlagSpecs, type Flags, parseArgs } from '../cli/args.js';
import { chosenVersion, twinEraFlag } from '../cli/era.js';
import { readFlagFile } from '../cli/flag-file.js';
import type { IO } from '../cli/io.js';
import { telemetryFlags } from '../config/telemetry-flags.js';
import { ObservedDebugger } from '../debugger/observed-debugger.js';
import { linkTo } from '../links/link-code.js';
import { offerLinks } from '../links/offer-links.js';
import { hostPort } from '../net/listen.js';
import { newToken } from '../net/token.js';
import { checkAccess } from '../observe/access.js';
import { LiveIncidents } from '../observe/live-incidents.js';
import { LiveObservation } from '../observe/live-observation.js';
import type { EvidenceSource } from '../observe/source.js';
import { RecordFeed } from '../recording/record-feed.js';
import { startRecorderThread } from '../recording/recorder-thread.js';
import type { SpanForwarder } from '../telemetry/forwarder.js';
import { kubeletOf, pathOf, sourceFlags, sourcesOf } from './attach-sources.js';
import type { Command } from './command.js';
import { webRoot } from './web-root.js';

const MIB = 1024 * 1024;
/** Records come seconds after what they report, so more batches a second would cost more than they show. */
const FLUSH_MILLIS = 250;

const flagSpecs = {
  ...sourceFlags,
  'node-name': { type: 'string', value: 'NAME', help: 'name of the node (default: the host name)' },
  record: {
    type: 'file',
    value: 'FILE',
    help: 'write a recording to this file; those of the last four runs are kept next to it',
  },
  'record-limit': {
    type: 'int',
    value: 'MIB',
    min: 1,
    max: 1024 * 1024,
    help: 'the recording ends at this size (default 1024)',
  },
  'ui-port': {
    type: 'int',
    value: 'PORT',
    min: 0,
    max: 65535,
    help: 'port of the page on 127.0.0.1; 0 picks any free port (default 7330)',
  },
  'ui-token-file': {
    type: 'file',
    value: 'FILE',
    help: 'file with the token of the page; created if it does not exist, with FILE.used next to it for used links (default: a new token at each start)',
  },
  'ui-forwarded': {
    type: 'bool',
    help: 'browsers may reach the page through any other port of loopback, as with kubectl port-forward',
  },
  'no-ui': { type: 'bool', help: 'serve no page' },
  'reveal-secrets': {
    type: 'bool',
    help: 'show secrets of the log on the page; recordings and spans never contain them',
  },
  'otlp-forward': {
    type: 'string',
    value: 'URL',
    help: 'forward received spans unchanged to this collector: http(s)://HOST:4318, or grpc(s)://HOST:4317',
  },
  twin: {
    type: 'bool',
    help: 'run our kubelet with the same inputs some seconds later, and report where both decide differently; give --kubelet as well, which reports the pods',
  },
  era: { ...twinEraFlag, help: `with --twin: ${twinEraFlag.help}` },
  'twin-every': {
    type: 'duration',
    hidden: true,
    help: 'how often the state of the twin is printed if it has not changed (default 60s)',
  },
  check: { type: 'bool', help: 'print which sources of the node can be read, and exit' },
  ...telemetryFlags,
} as const satisfies FlagSpecs;
type AttachFlags = Flags<typeof flagSpecs>;

/** Follows the kubelet until a signal. Resolves with the exit code; with --check, 1 if a source cannot be read. */
async function run(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('attach', argv, flagSpecs);
  if (positionals[0] !== undefined)
    throw new UsageError(
      `unexpected argument ${JSON.stringify(positionals[0])}: attach takes flags only; the log file is --log FILE`,
    );
  const warn = (text: string) => io.err(`syncloop: warning: ${text}\n`);
  if (flags.era !== undefined && !flags.twin)
    throw new UsageError('--era sets the version of the twin: give --twin as well');
  const ofTwin = flags.era === undefined ? {} : await chosenVersion(flags.era);
  if (flags.check) return await check(flags, io);
  const forwarder = await forwarderOf(flags, warn);
  const sources = await sourcesOf(flags, forwarder && ((request) => forwarder.take(request)));
  const stopping = io.untilSignal();
  const closers: (() => Promise<void> | void)[] = [];
  io.onFatal?.(closers);
  try {
    if (forwarder) closers.push(() => forwarder.close());
    let page: ObservedDebugger | null = null;
    const observation = new LiveObservation({
      sources,
      say: (sentence) => io.err(`syncloop: ${sentence}\n`),
      ready: async () => page?.ready(),
    });
    closers.push(() => observation.close());
    const epochMillis = await observation.begin();
    const node = flags['node-name'] ?? hostname();
    const info = {
      core: version,
      title: `Kubelet of ${node}`,
      scenario: '',
      seed: 0,
      runtime: '',
      node,
      epochMillis,
      virtual: false,
      createdBy: `syncloop ${version}`,
    };
    const cut = new Set<string>();
    const redacted = new RecordFeed({
      redact: redactRecord,
      flushMillis: FLUSH_MILLIS,
      onCut: ({ kind }, characters) => {
        if (!cut.has(kind))
          warn(
            `a record of kind ${kind} has ${characters} characters: such records are shortened; this warning appears once for each kind`,
          );
        cut.add(kind);
      },
    });
    const shown = flags['reveal-secrets']
      ? new RecordFeed({ redact: (record) => record, flushMillis: FLUSH_MILLIS })
      : redacted;
    if (flags['reveal-secrets'])
      warn('--reveal-secrets: everybody who has the URL of the page sees the secrets in the log');
    if (flags.record !== undefined) {
      const limit = flags['record-limit'];
      const recorder = startRecorderThread(
        flags.record,
        info,
        warn,
        limit === undefined ? {} : { maxBytes: limit * MIB },
      );
      redacted.onBatch((batch) => recorder.take(batch));
      closers.push(() => {
        redacted.flush();
        return recorder.close();
      });
    }
    const exporter = wantsSpans(flags) ? await exporterOf(flags, info, warn) : null;
    if (exporter) {
      redacted.onRecord((record) => exporter.sink(record));
      closers.push(() => exporter.close());
    }
    const incidents = new LiveIncidents(epochMillis * 1000, (sentence) => io.err(`syncloop: ${sentence}\n`));
    redacted.onRecord((record) => incidents.take(record));
    incidents.follow();
    closers.push(() => incidents.stop());
    if (flags.twin) closers.push(await twinOf(flags, ofTwin, sources, redacted, epochMillis, io));
    if (!flags['no-ui']) {
      const serving = debuggerOf(flags, shown, { node, epochMillis, warn });
      page = serving;
      closers.push(() => serving.close());
      await serving.serve();
      const { address, token } = serving;
      const { host, address: own = host, port } = address;
      const file = flags['ui-token-file'];
      // The log of a pod is read by more people than its token.
      const where =
        file === undefined
          ? () => linkTo(own, port, token)
          : () => `http://${hostPort(host, port)}/; for a link: syncloop url --ui-token-file ${file} --port ${port}`;
      const print = () => io.err(`syncloop: the kubelet of ${node}, read-only, at ${where()}\n`);
      closers.push(offerLinks({ what: `the kubelet of ${node}`, ...address, token, print }));
    }
    observation.open((record) => {
      redacted.sink(record);
      if (shown !== redacted) shown.sink(record);
    });
    // The observation stops first, so that its last records are recorded.
    closers.push(() => observation.close());
    io.err(`syncloop: ${await stopping}: stopped; the kubelet goes on\n`);
    return 0;
  } finally {
    for (const close of [...closers].reverse()) await close();
  }
}

export const command: Command = {
  usage: 'syncloop attach [--log FILE | --unit NAME] [--record FILE] [FLAGS]',
  flags: flagSpecs,
  run,
};

function debuggerOf(
  flags: AttachFlags,
  feed: RecordFeed,
  { node, epochMillis, warn }: { node: string; epochMillis: number; warn: (text: string) => void },
): ObservedDebugger {
  const file = flags['ui-token-file'];
  const token = file === undefined ? undefined : tokenIn(file);
  return new ObservedDebugger(feed, {
    id: `attach-${node}-${epochMillis}`,
    title: `Kubelet of ${node}`,
    runtime: '',
    node,
    epochMillis,
    port: flags['ui-port'] ?? 7330,
    webRoot: webRoot(),
    remedy: 'choose another with --ui-port (0 for any free one), or leave the page out with --no-ui',
    warn,
    ...(token !== undefined && { token, usedCodesFile: `${file}.used` }),
    ...(flags['ui-forwarded'] && { forwarded: true }),
  });
}

/** Reads the token in a file; creates the file, readable for its owner only, if it does not exist. */
function tokenIn(file: string): string {
  try {
    writeFileSync(file, `${newToken()}\n`, { flag: 'wx', mode: 0o600 });
  } catch (err) {
    const { code, message } = err as NodeJS.ErrnoException;
    if (code !== 'EEXIST')
      throw new SetupError(
        `--ui-token-file ${file} cannot be created: ${message}; name a file in a folder that you may write to`,
      );
  }
  const token = readFlagFile('--ui-token-file', file).trim();
  if (!/^[\w-]{32,512}$/.test(token))
    throw new UsageError(
      `--ui-token-file ${file}: a token must have 32 to 512 letters, digits, - and _; remove the file, and a new one is created`,
    );
  if ((statSync(file).mode & 0o077) !== 0)
    throw new SetupError(`--ui-token-file ${file} can be read by others: chmod 600 ${file}`);
  return token;
}

const wantsSpans = (flags: AttachFlags): boolean =>
  Object.keys(telemetryFlags).some((name) => flags[name as keyof typeof telemetryFlags] !== undefined);

/** The delay of the twin with spans, which a kubelet sends in batches of five seconds. */
const LAG_WITH_SPANS_MICROS = 8e6;

/** Follows the kubelet with a twin, in a thread of its own. Returns a function that ends it. */
async function twinOf(
  flags: AttachFlags,
  ofTwin: { readonly era?: EraVersion; readonly emulatedVersion?: string },
  sources: readonly EvidenceSource[],
  feed: RecordFeed,
  epochMillis: number,
  io: IO,
): Promise<() => Promise<void>> {
  const [{ startLiveThread }, { LiveLines }] = await Promise.all([
    import('../twin/live-thread.js'),
    import('../twin/live-lines.js'),
  ]);
  if (flags.kubelet === undefined)
    io.err(
      'syncloop: warning: --twin without --kubelet: no source reports the pods, so the twin waits until the kubelet starts again; give --kubelet to begin now\n',
    );
  const every = flags['twin-every'];
  const say = (line: string) => io.err(`syncloop: twin: ${line}\n`);
  const lines = new LiveLines('en', say, every === undefined ? {} : { againMillis: every / 1000 });
  const spans = sources.some(({ source }) => source.kind === 'spans');
  const thread = startLiveThread({
    epochMicros: epochMillis * 1000,
    ...(spans && { lag: LAG_WITH_SPANS_MICROS }),
    ...ofTwin,
    onBeat: ({ status }) => lines.take(status),
    onEnd: (why) => io.err(`syncloop: warning: the twin stopped: ${why}; the kubelet is shown as before\n`),
  });
  feed.onBatch((batch) => thread.take(batch));
  return () => thread.close();
}

/** gRPC takes 20 MiB, so it is loaded only to send spans. */
async function exporterOf(flags: AttachFlags, info: RecordingInfo, warn: (text: string) => void) {
  const { exporterFor } = await import('../telemetry/settings.js');
  return await exporterFor(null, flags, info, warn);
}

async function forwarderOf(flags: AttachFlags, warn: (text: string) => void): Promise<SpanForwarder | undefined> {
  const url = flags['otlp-forward'];
  if (url === undefined) return undefined;
  if (flags['spans-grpc'] === undefined && flags['spans-http'] === undefined)
    throw new UsageError('--otlp-forward forwards what --spans-grpc or --spans-http receive: give one of them as well');
  const [{ SpanForwarder }, { senderTo }, { parseTarget, targetName }] = await Promise.all([
    import('../telemetry/forwarder.js'),
    import('../telemetry/sender.js'),
    import('../telemetry/target.js'),
  ]);
  const target = parseTarget(url, '--otlp-forward');
  return new SpanForwarder({ sender: senderTo(target, { timeoutMillis: 10_000 }), name: targetName(target), warn });
}

/** Checks whether each source can be read. */
async function check(flags: AttachFlags, io: IO): Promise<number> {
  const access = kubeletOf(flags);
  const found = await checkAccess({
    ...(flags['no-log']
      ? {}
      : flags.log !== undefined
        ? { log: flags.log }
        : { unit: flags.unit ?? 'kubelet', directory: flags['journal-directory'] }),
    sockets: (['runtime-endpoint', 'tap'] as const).flatMap((name) => {
      const endpoint = flags[name];
      return endpoint === undefined ? [] : [pathOf(`--${name}`, endpoint)];
    }),
    ...(access && { kubelet: access }),
  });
  for (const { what, problem } of found)
    io.out(problem === null ? `can be read:    ${what}\n` : `cannot be read: ${what}: ${problem}\n`);
  return found.every(({ problem }) => problem === null) ? 0 : 1;
}
