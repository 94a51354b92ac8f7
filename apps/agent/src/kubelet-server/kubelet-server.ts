/**
 * The servers of a running kubelet: the main one over TLS, and the read-only one. Nothing changes a pod by a plain GET
 * but an upgrade to exec, attach or portForward, which only the main server takes, from whom it knows.
 * upstream: pkg/kubelet/server ListenAndServeKubeletServer, ListenAndServeKubeletReadOnlyServer
 */
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Server as TLSServer } from 'node:tls';
import type { RestTransport } from '@syncloop/core/api';
import { background, call, withCancel } from '@syncloop/core/kernel';
import { featureEnabled, Logger } from '@syncloop/core/kubelet';
import { followFiles } from '@syncloop/core/kubelet/certificate';
import { SetupError } from '../base/errors.js';
import { readSettings } from '../base/read-file.js';
import { type AgentConfig, certDirectoryOf } from '../config/agent-config.js';
import { nodeOS } from '../host/os.js';
import { Seats } from '../net/seats.js';
import type { RunningNode } from '../node/kubelet-runner.js';
import { Reviews } from './api-reviews.js';
import { Auth, needsClient } from './auth.js';
import { effectiveConfiguration } from './configz.js';
import { Healthz, healthzServer } from './healthz.js';
import { type Listening, listenOn, makeServer } from './http.js';
import { serverLimits } from './limits.js';
import { nodeLogFiles } from './log-files.js';
import { NodeLogs, type NodeLogsOptions } from './node-logs.js';
import { ProcessMetrics } from './process-metrics.js';
import { kubeletHandler } from './routes.js';
import { servingCertificate } from './serving-certificate.js';
import { SharedAnswers } from './shared-answers.js';
import { ShownCertificate } from './shown-certificate.js';
import type { ServerSource } from './source.js';
import { Tokens, tokenFile, type User } from './tokens.js';

export interface KubeletServerOptions {
  /** The API server, for webhooks. Null or missing: none. */
  readonly transport?: RestTransport | null;
  /** Bearer tokens that are valid in addition to those of a file. */
  readonly trustedTokens?: ReadonlyMap<string, User>;
  /** Changes the log's verbosity. Default: it cannot be changed. */
  readonly setVerbosity?: (level: number) => void;
  /** For tests: another folder of logs, another program for the journal. */
  readonly nodeLogs?: Pick<NodeLogsOptions, 'folder' | 'journalctl'>;
}

/** The main server, listening. */
export interface KubeletServer extends Listening {
  /** The authority that a client has to trust, in PEM; null: the one by which the API server signs. */
  readonly caPem: string | null;
  /** The file with the tokens for it; null if the API server checks tokens. */
  readonly tokenFile: string | null;
}

/**
 * Returns the source that all servers of one kubelet share. Call it before the kubelet is created: its metrics count
 * records from the first on.
 */
export function serverSource(node: RunningNode, config: AgentConfig, options: KubeletServerOptions = {}): ServerSource {
  const own = new ProcessMetrics(() => node.kernel.goroutines.size);
  node.addSink(own.sink);
  return {
    node,
    healthz: new Healthz({
      ping: () => null,
      log: () => null,
      syncloop: () => node.kubelet.syncLoopHealthCheck(),
    }),
    logFiles: nodeLogFiles(nodeOS({ folders: [] })),
    processMetrics: () => own.text(),
    probeProcessMetrics: () => own.probeText(),
    observeDelay: (seconds) => own.observeDelay(seconds),
    configz: () => effectiveConfiguration(config, Boolean(options.transport)),
    setVerbosity: config.server.enableDebugFlagsHandler ? (options.setVerbosity ?? null) : null,
    shared: new SharedAnswers(),
    nodeLogs: config.kubelet.enableSystemLogHandler
      ? new NodeLogs({
          queries: config.kubelet.enableSystemLogQuery === true && featureEnabled(config.kubelet, 'NodeLogQuery'),
          ...options.nodeLogs,
        })
      : null,
    streams: new Seats(serverLimits.streams, serverLimits.share),
  };
}

/** /healthz for this machine alone. Null if it is off. */
export async function serveHealthz(config: AgentConfig): Promise<Listening | null> {
  if (config.healthzPort === 0) return null;
  return await listenOn(
    healthzServer(),
    config.healthzBindAddress,
    config.healthzPort,
    'choose another with healthzPort in --config (0 for none) or --healthz-port',
  );
}

/** Serves everything that changes nothing, over plain HTTP and without a token. Null if it is off. */
export async function serveReadOnly(source: ServerSource, config: AgentConfig): Promise<Listening | null> {
  if (!config.enableServer || config.readOnlyPort === 0) return null;
  return await listenOn(
    makeServer(kubeletHandler(source, null)),
    config.address,
    config.readOnlyPort,
    'choose another with readOnlyPort in --config (0 for none) or --read-only-port',
  );
}

/**
 * Starts the main server. Null if it is off; rejects with a SetupError with the remedy. `port`: another than the
 * configured one.
 */
export async function serveKubelet(
  source: ServerSource,
  config: AgentConfig,
  options: KubeletServerOptions = {},
  port = config.port,
): Promise<KubeletServer | null> {
  if (!config.enableServer) return null;
  const { server, kubelet } = config;
  const pair =
    server.serverTLSBootstrap && server.tlsCertFile === ''
      ? null
      : await servingCertificate({
          certFile: server.tlsCertFile,
          keyFile: server.tlsPrivateKeyFile,
          certDir: certDirectoryOf(config),
          nodeName: kubelet.nodeName,
          hosts: ['localhost', '127.0.0.1', '::1', ...ownAddresses()],
        });
  const { clientCAFile } = server.authentication;
  const clientCA = { pem: await readCA(clientCAFile) };
  const { auth, path } = await makeAuth(source.node, config, options);
  const minVersion = server.tlsMinVersion === 'VersionTLS13' ? ('TLSv1.3' as const) : ('TLSv1.2' as const);
  const shown = new ShownCertificate(source.node, pair, minVersion, () => clientCA.pem);
  const tls = {
    ...shown.context(),
    handshakeTimeout: 10_000,
    // A client without a certificate, or with a stranger's, may still have a token.
    ...(clientCA.pem && { requestCert: true, rejectUnauthorized: false }),
  };
  const handler = kubeletHandler(source, { auth, enableDebuggingHandlers: server.enableDebuggingHandlers });
  const made = makeServer(handler, { tls, upgrades: true, checkHost: false });
  shown.keepUpToDate(made as unknown as TLSServer);
  const listening = await listenOn(
    made,
    config.address,
    port,
    'choose another with port in --config or --port, or leave this server out with enableServer: false',
  );
  const { kernel } = source.node;
  const [following, stop] = withCancel(kernel, background);
  if (clientCA.pem !== null && featureEnabled(kubelet, 'ReloadKubeletClientCAFile')) {
    const read = function* () {
      clientCA.pem = yield* call('client CA', () => readCA(clientCAFile));
    };
    const host = { kernel, os: nodeOS({ folders: [] }) };
    const follow = () => followFiles(host, following, [clientCAFile], read, 'dynamic_cafile_content.go');
    kernel.post(() => kernel.go('client CA', follow, { daemon: true, process: kernel.main }));
  }
  return {
    ...listening,
    caPem: pair?.caPem ?? null,
    tokenFile: path,
    async close() {
      kernel.post(() => stop());
      await listening.close();
    },
  };
}

async function readCA(file: string): Promise<string | null> {
  if (file === '') return null;
  let pem: string;
  try {
    pem = await readSettings(file);
  } catch (err) {
    throw new SetupError(`unable to load client CA file ${file}: ${(err as Error).message}`);
  }
  if (!pem.includes('-----BEGIN CERTIFICATE-----'))
    throw new SetupError(`unable to load client CA file ${file}: there is no certificate in it`);
  return pem;
}

/** upstream: cmd/kubelet/app/auth.go BuildAuth (fidelity 3:HTTP-06) */
async function makeAuth(
  node: ServerSource['node'],
  { server, kubelet }: AgentConfig,
  { transport = null, trustedTokens }: KubeletServerOptions,
): Promise<{ auth: Auth; path: string | null }> {
  const { authentication: authn, authorization: authz } = server;
  const reviewTokens = authn.webhook ?? transport !== null;
  const reviewAccess = authz.mode === 'Webhook' || (authz.mode === null && transport !== null);
  if (reviewTokens && !transport) throw needsClient('authentication');
  if (reviewAccess && !transport) throw needsClient('authorization');
  const reviews =
    transport &&
    new Reviews((name, body) => node.run(name, body), transport, {
      token: authn.webhookCacheTTL / 1000,
      allowed: authz.cacheAuthorizedTTL / 1000,
      denied: authz.cacheUnauthorizedTTL / 1000,
    });
  // With an API server the tokens are its own, unless a file is set.
  const path = server.tokenFile || (transport ? null : join(kubelet.rootDirectory, 'server-token'));
  const log = new Logger(node.kernel, 'server.go');
  const quietly = (write: () => void) => node.kernel.post(write);
  const auth = new Auth({
    nodeName: kubelet.nodeName,
    featureGates: kubelet.featureGates,
    anonymous: authn.anonymous,
    x509: authn.clientCAFile !== '',
    tokens: [
      ...(trustedTokens ? [new Tokens(trustedTokens)] : []),
      ...(path ? [new Tokens(await tokenFile(path))] : []),
    ],
    tokenReviews: reviewTokens ? reviews : null,
    accessReviews: reviewAccess ? reviews : null,
    log: {
      error: (err, message, fields) => quietly(() => log.error(err, message, fields)),
      info: (v, message, fields) => quietly(() => log.info(v, message, fields)),
    },
  });
  return { auth, path };
}

const ownAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter((a) => !a.internal && !a.address.startsWith('fe80:'))
    .map((a) => a.address);
