/** `syncloop kubelet`: this machine's kubelet, stand-alone or with an API server. */
import { hostname } from 'node:os';
import { redactKnown, redactRecord } from '@syncloop/core/redaction';
import type { TraceRecord } from '@syncloop/core/trace';
import { UsageError } from '../base/errors.js';
import { partsInFile } from '../base/learner-file.js';
import { readSettings } from '../base/read-file.js';
import { version } from '../base/version.js';
import { type Parsed, parseArgs } from '../cli/args.js';
import type { IO } from '../cli/io.js';
import { type AgentConfig, defaultAgentConfig } from '../config/agent-config.js';
import { parseKubeletConfiguration } from '../config/kubelet-configuration.js';
import { acceptedFlags, applyFlags, type KubeletFlags, kubeletFlags, supportedFlags } from '../config/kubelet-flags.js';
import { LiveDebugger } from '../debugger/live-debugger.js';
import {
  type KubeletServer,
  type KubeletServerOptions,
  serveHealthz,
  serveKubelet,
  serveReadOnly,
  serverSource,
} from '../kubelet-server/kubelet-server.js';
import { servingDeps } from '../kubelet-server/serving-certificate.js';
import { linkTo } from '../links/link-code.js';
import { offerLinks } from '../links/offer-links.js';
import { isLoopback } from '../net/listen.js';
import { type RunningNode, startKubelet } from '../node/kubelet-runner.js';
import { lockRootDir } from '../node/lock.js';
import { watchLoop } from '../node/loop-watch.js';
import { klogPrinter } from '../recording/klog-printer.js';
import { RecordFeed } from '../recording/record-feed.js';
import { startRecorderThread } from '../recording/recorder-thread.js';
import { KnownSecrets } from '../redaction/known-secrets.js';
import { learningTransport } from '../redaction/learning-transport.js';
import { refuseOtherKubelet } from '../security/other-kubelet.js';
import { exporterFor } from '../telemetry/settings.js';
import type { Command } from './command.js';
import { type ApiSide, apiSide } from './kubelet-api.js';
import { webRoot } from './web-root.js';

/** A kubelet gives its runtime some time to come up, ms. upstream: pkg/kubelet/kubelet.go maxWaitForContainerRuntime */
const connectMillis = 30_000;

/** Runs until a signal or the kubelet's own end. Resolves with the exit code. */
async function run(argv: readonly string[], io: IO): Promise<number> {
  const parsed: Parsed<typeof acceptedFlags> = parseArgs('kubelet', argv, acceptedFlags);
  const extra = parsed.positionals[0];
  if (extra !== undefined)
    throw new UsageError(`unexpected argument ${JSON.stringify(extra)}: the kubelet takes flags only`);
  const warn = (text: string) => io.err(`syncloop: warning: ${text}\n`);
  const flags = supportedFlags(parsed.flags, warn);
  const config = await readConfig(flags, warn);
  applyFlags(config, flags, hostname());
  if (config.enableServer && config.readOnlyPort !== 0 && !isLoopback(config.address))
    warn(
      `the read-only port ${config.readOnlyPort} shows the node's pods and their manifests to everybody who reaches ` +
        `${config.address}: choose address: 127.0.0.1 in --config, or --read-only-port 0`,
    );
  if (config.server.serverTLSBootstrap && flags.kubeconfig === undefined && flags['serve-api'] === undefined) {
    warn("serverTLSBootstrap needs an API server, which signs the certificate: this node's server signs its own");
    config.server.serverTLSBootstrap = false;
  }
  const stop = new AbortController();
  const stopping = io.untilSignal();
  void stopping.then(() => stop.abort());
  const api = await apiSide(config, flags, io, warn, stop.signal);
  const closers: (() => Promise<void> | void)[] = [() => api.close()];
  io.onFatal?.(closers);
  try {
    closers.push(await lockRootDir(config.kubelet.rootDirectory));
    const node = await start(config, flags, io, warn, closers, stop.signal, api);
    if (!node) {
      io.err(`syncloop: ${await stopping}: stopping; the kubelet had not started\n`);
      return 0;
    }
    closers.push(() => node.stop());
    const end = await Promise.race([stopping, node.ended, api.ended]);
    if (end instanceof Error) {
      io.err(`syncloop: the kubelet ended: ${end.message}\n`);
      return 1;
    }
    io.err(`syncloop: ${end}: stopping; containers go on\n`);
    return 0;
  } finally {
    for (const close of [...closers].reverse()) await close();
  }
}

export const command: Command = {
  usage: 'syncloop kubelet --config FILE --container-runtime-endpoint unix:///PATH [FLAGS]',
  flags: kubeletFlags,
  run,
};

async function readConfig(flags: KubeletFlags, warn: (text: string) => void): Promise<AgentConfig> {
  const file = flags.config;
  if (file === undefined) return defaultAgentConfig();
  let text: string;
  try {
    text = await readSettings(file);
  } catch (err) {
    throw new UsageError(`cannot read --config ${file}: ${(err as Error).message}`);
  }
  return parseKubeletConfiguration(file, text, warn);
}

/** Resolves with null when `signal` came first. */
async function start(
  config: AgentConfig,
  flags: KubeletFlags,
  io: IO,
  warn: (text: string) => void,
  closers: (() => Promise<void> | void)[],
  signal: AbortSignal,
  api: ApiSide,
): Promise<RunningNode | null> {
  const nodeIP = config.kubelet.nodeIPs[0];
  const code = flags['workshop-code'];
  const parts = code === undefined ? null : await partsInFile(code);
  const known = new KnownSecrets();
  const transport = () => {
    const found = api.transport();
    return found && learningTransport(found, known);
  };
  try {
    return await startKubelet({
      config,
      ...(nodeIP !== undefined && { nodeIP }),
      adoptPods: flags['adopt-pods'] ?? false,
      shareNode: flags['share-node'] ?? false,
      removeAnyImage: flags['remove-any-image'] ?? false,
      ...(parts && { parts }),
      connectMillis,
      onWaiting: (why) => warn(`${why} Waiting up to ${connectMillis / 1000} s for it.`),
      onWarning: warn,
      signal,
      transport,
      clientCertificate: () => api.clientCertificate(),
      serving: () => servingDeps(config),
      // A taken port must be known before the kubelet does anything to the node.
      async prepare(running) {
        if (!flags['adopt-pods'] && !flags['share-node'])
          await refuseOtherKubelet({
            rootDir: config.kubelet.rootDirectory,
            endpoint: config.containerRuntimeEndpoint,
          });
        let { verbosity } = config;
        running.addSink((record) => known.learnRecord(record));
        running.addSink(
          klogPrinter(
            () => verbosity,
            running.kernel.clock.epochMillis,
            known,
            (line) => io.err(line),
          ),
        );
        const exporter = await exporterFor(config.tracing, flags, runInfo(running), warn);
        if (exporter) {
          running.addSink(exporter.sink);
          closers.push(() => exporter.close());
        }
        const live = watch(running, flags, known, warn, closers);
        await api.open(running);
        if (flags['reveal-secrets'])
          warn(
            '--reveal-secrets: everybody who has a URL of the debugger sees environments, credentials and what commands print',
          );
        const serverOptions: KubeletServerOptions = {
          transport: api.transport(),
          trustedTokens: api.trustedTokens,
          setVerbosity: (level) => {
            verbosity = level;
          },
        };
        const server = await serveEndpoints(running, config, serverOptions, io, closers);
        if (server) api.kubeletServes({ host: reachable(config.address), port: server.port, caPem: server.caPem });
        if (live) closers.push(await serveUI(live, `the kubelet of ${config.kubelet.nodeName}`, io));
      },
    });
  } catch (err) {
    if (signal.aborted && (err as Error).name === 'AbortError') return null;
    throw err;
  }
}

/** The name of this run in recordings and spans; it is the same, so that both have the same ids. */
const runInfo = (node: RunningNode) => ({
  core: version,
  title: `Node ${node.name} on ${node.runtimeName}`,
  scenario: '',
  seed: 0,
  runtime: node.runtimeName,
  node: node.name,
  epochMillis: node.kernel.clock.epochMillis,
  virtual: false,
  createdBy: `syncloop ${version}`,
});

/** Starts the recording and the debugger if flags ask for them; both get all records from the first one on. */
function watch(
  node: RunningNode,
  flags: KubeletFlags,
  known: KnownSecrets,
  warn: (text: string) => void,
  closers: (() => Promise<void> | void)[],
): LiveDebugger | null {
  const redact = flags['show-output'] ? (entry: TraceRecord) => redactKnown(entry, known) : redactRecord;
  const feeds = new Map<boolean, RecordFeed>();
  const feed = (reveal: boolean): RecordFeed => {
    let found = feeds.get(reveal);
    if (!found) {
      found = new RecordFeed({ redact: reveal ? (entry) => entry : redact, onCut: tellOfCut(node) });
      feeds.set(reveal, found);
      node.addSink(found.sink);
      closers.push(() => found?.close());
    }
    return found;
  };
  if (flags.record !== undefined) {
    const recorder = startRecorderThread(flags.record, runInfo(node), warn);
    const records = feed(false);
    records.onBatch((batch) => recorder.take(batch));
    closers.push(() => {
      records.flush();
      return recorder.close();
    });
  }
  if (flags['no-ui']) return null;
  const live = new LiveDebugger(node.kernel, node.driver, feed(flags['reveal-secrets'] ?? false), {
    id: `live-${node.name}-${node.kernel.clock.epochMillis}`,
    title: `Node ${node.name} on ${node.runtimeName}`,
    runtime: node.runtimeName,
    node: node.name,
    control: flags['allow-control'] ?? false,
    port: flags['ui-port'] ?? 7330,
    webRoot: webRoot(),
    remedy: 'choose another with --ui-port (0 for any free one), or leave the debugger out with --no-ui',
    warn,
  });
  closers.push(() => live.close());
  return live;
}

/** Logs once for each kind of record that some are too long to be kept whole. */
function tellOfCut({ kernel }: RunningNode): (entry: TraceRecord, length: number) => void {
  const logged = new Set<string>();
  return ({ kind, seq }, characters) => {
    if (logged.has(kind)) return;
    logged.add(kind);
    const msg = 'Records of this kind are too long to be kept whole in the debugger and in recordings';
    const kv = { kind, seq, characters };
    // A record must not be emitted while another one is.
    setImmediate(() => void kernel.emit({ kind: 'log', severity: 'W', v: 0, msg, kv, file: 'record-feed.ts' }));
  };
}

/** Prints and offers links. Resolves with a function that withdraws the offer. */
async function serveUI(live: LiveDebugger, what: string, io: IO): Promise<() => void> {
  await live.serve();
  const { address, token, observer } = live;
  const { host, address: own = host, port } = address;
  const print = () => {
    if (token === observer) io.err(`syncloop: debugger, read-only, at ${linkTo(own, port, token)}\n`);
    else {
      io.err(`syncloop: debugger, which may pause this kubelet, at ${linkTo(own, port, token)}\n`);
      io.err(`syncloop: the same, read-only, for others: ${linkTo(own, port, observer)}\n`);
    }
  };
  return offerLinks({ what, ...address, token, observer, print });
}

/** An address of this machine at which a server that listens on `address` is found. */
const reachable = (address: string): string => ({ '0.0.0.0': '127.0.0.1', '::': '::1' })[address] ?? address;

/** upstream: cmd/kubelet/app/server.go startKubelet */
async function serveEndpoints(
  node: RunningNode,
  config: AgentConfig,
  options: KubeletServerOptions,
  io: IO,
  closers: (() => Promise<void> | void)[],
): Promise<KubeletServer | null> {
  const source = serverSource(node, config, options);
  closers.push(watchLoop({ emit: (body) => void node.kernel.emit(body), observe: source.observeDelay }));
  const servers = [serveHealthz(config), serveReadOnly(source, config), serveKubelet(source, config, options)] as const;
  const [healthz, readOnly, main] = await Promise.allSettled(servers);
  for (const one of [healthz, readOnly, main]) {
    if (one.status === 'fulfilled' && one.value) {
      const { close } = one.value;
      closers.push(close);
    }
  }
  for (const one of [healthz, readOnly, main]) if (one.status === 'rejected') throw one.reason;
  const server = main.status === 'fulfilled' ? main.value : null;
  if (server?.tokenFile) {
    const where = `https://${isLoopback(config.address) ? '127.0.0.1' : config.kubelet.nodeName}:${server.port}`;
    io.err(`syncloop: the kubelet's server is at ${where}; its tokens are in ${server.tokenFile}\n`);
  }
  return server;
}
