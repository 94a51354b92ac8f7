/** `syncloop kubelet`: this machine's stand-alone kubelet. */
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { type Parsed, parseArgs } from '../cli/args.js';
import { UsageError } from '../cli/errors.js';
import type { IO } from '../cli/io.js';
import { type AgentConfig, defaultAgentConfig, parseKubeletConfiguration } from '../config/kubelet-configuration.js';
import { acceptedFlags, applyFlags, type KubeletFlags, supportedFlags } from '../config/kubelet-flags.js';
import { healthzServer, kubeletServer, type Listening, listenOn } from '../node/endpoints.js';
import { klogPrinter } from '../node/klog-printer.js';
import { type RunningNode, startKubelet } from '../node/kubelet-runner.js';
import { lockRootDir } from '../node/lock.js';
import { type Recorder, startRecorder } from '../node/recorder.js';
import { endpointSource, nodeMetrics } from '../node/source.js';
import { redactRecord } from '../redact.js';
import { isLoopback } from '../server/listen.js';
import { LiveSession } from '../server/live-session.js';
import { type SessionHost, serveSession } from '../server/session-host.js';
import { version } from '../version.js';
import { webRoot } from './web-root.js';

/** A kubelet gives its runtime some time to come up, ms. */
const connectMillis = 5000;

/** Runs until a signal or the kubelet's own end. Resolves with the exit code. */
export async function kubeletCommand(argv: readonly string[], io: IO): Promise<number> {
  const parsed: Parsed<typeof acceptedFlags> = parseArgs('kubelet', argv, acceptedFlags);
  const extra = parsed.positionals[0];
  if (extra !== undefined)
    throw new UsageError(`unexpected argument ${JSON.stringify(extra)}: the kubelet takes flags only`);
  const warn = (text: string) => io.err(`syncloop: warning: ${text}\n`);
  const flags = supportedFlags(parsed.flags, warn);
  const config = await readConfig(flags, warn);
  applyFlags(config, flags, hostname());
  const stop = new AbortController();
  const stopping = io.untilSignal();
  void stopping.then(() => stop.abort());
  const unlock = await lockRootDir(config.kubelet.rootDirectory);
  const closers: (() => Promise<void> | void)[] = [];
  try {
    const node = await start(config, flags, io, warn, closers, stop.signal);
    if (!node) {
      io.err(`syncloop: ${await stopping}: stopping; the kubelet had not started\n`);
      return 0;
    }
    closers.push(() => node.stop());
    const end = await Promise.race([stopping, node.ended]);
    if (end instanceof Error) {
      io.err(`syncloop: the kubelet ended: ${end.message}\n`);
      return 1;
    }
    io.err(`syncloop: ${end}: stopping; containers go on\n`);
    return 0;
  } finally {
    for (const close of closers.reverse()) await close();
    await unlock();
  }
}

async function readConfig(flags: KubeletFlags, warn: (text: string) => void): Promise<AgentConfig> {
  const file = flags.config;
  if (file === undefined) return defaultAgentConfig();
  let text: string;
  try {
    text = await readFile(file, 'utf8');
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
): Promise<RunningNode | null> {
  const nodeIP = flags['node-ip'];
  try {
    return await startKubelet({
      config,
      ...(nodeIP !== undefined && { nodeIP }),
      adoptPods: flags['adopt-pods'] ?? false,
      connectMillis,
      onWaiting: (why) => warn(`${why} Waiting up to ${connectMillis / 1000} s for it.`),
      signal,
      // A taken port must be known before the kubelet does anything to the node.
      async prepare(running) {
        running.addSink(klogPrinter(config.verbosity, running.kernel.clock.epochMillis, (line) => io.err(line)));
        const metrics = nodeMetrics(running);
        if (flags.record !== undefined) closers.push(record(flags.record, running, warn));
        const session = flags['no-ui'] ? null : liveSession(running, flags['allow-control'] ?? false);
        await serveEndpoints(running, config, metrics, warn, closers);
        if (session) await serveUI(session, flags, io, closers);
      },
    });
  } catch (err) {
    if (signal.aborted && (err as Error).name === 'AbortError') return null;
    throw err;
  }
}

function record(file: string, node: RunningNode, warn: (text: string) => void): () => void {
  const recorder: Recorder = startRecorder(
    file,
    {
      core: version,
      title: `Node ${node.name} on ${node.runtimeName}`,
      scenario: '',
      seed: 0,
      runtime: node.runtimeName,
      node: node.name,
      epochMillis: node.kernel.clock.epochMillis,
      virtual: false,
      createdBy: `syncloop ${version}`,
    },
    warn,
  );
  node.addSink((entry) => recorder.push(redactRecord(entry)));
  return () => recorder.close();
}

function liveSession(node: RunningNode, control: boolean): LiveSession {
  const { name } = node;
  return new LiveSession(node.kernel, node.driver, {
    id: `live-${name}-${node.kernel.clock.epochMillis}`,
    title: `Node ${name} on ${node.runtimeName}`,
    runtime: node.runtimeName,
    node: name,
    control,
    redact: redactRecord,
  });
}

async function serveUI(
  session: LiveSession,
  flags: KubeletFlags,
  io: IO,
  closers: (() => Promise<void> | void)[],
): Promise<void> {
  const host: SessionHost = await serveSession(session, {
    host: '127.0.0.1',
    port: flags['ui-port'] ?? 7330,
    webRoot: webRoot(),
    control: flags['allow-control'] ?? false,
    remedy: 'choose another with --ui-port (0 for any free one), or leave the debugger out with --no-ui',
    // A node must not stand still because somebody closed a laptop.
    onClients: (count) => {
      if (count === 0) session.resume();
    },
  });
  closers.push(() => {
    session.close();
    return host.close();
  });
  io.err(`syncloop: debugger at ${host.url}\n`);
}

/** upstream: cmd/kubelet/app/server.go startKubelet */
async function serveEndpoints(
  node: RunningNode,
  config: AgentConfig,
  metrics: Parameters<typeof endpointSource>[2],
  warn: (text: string) => void,
  closers: (() => Promise<void> | void)[],
): Promise<void> {
  const source = endpointSource(node, config, metrics);
  const open = async (...args: Parameters<typeof listenOn>) => {
    const listening: Listening = await listenOn(...args);
    closers.push(() => listening.close());
  };
  if (config.healthzPort > 0) {
    await open(
      healthzServer(),
      config.healthzBindAddress,
      config.healthzPort,
      'choose another with healthzPort in --config (0 for none) or --healthz-port',
    );
  }
  if (config.enableServer && config.readOnlyPort > 0) {
    await open(
      kubeletServer(source),
      config.address,
      config.readOnlyPort,
      'choose another with readOnlyPort in --config (0 for none) or --read-only-port',
    );
  }
  if (config.enableServer && isLoopback(config.address)) {
    await open(
      kubeletServer(source),
      config.address,
      config.port,
      'choose another with port in --config, or leave this server out with enableServer: false',
    );
  } else if (config.enableServer && config.raw.port !== undefined) {
    warn(
      `port ${config.port} of ${config.address} is not served: without TLS that is for loopback only (address: 127.0.0.1)`,
    );
  }
}
