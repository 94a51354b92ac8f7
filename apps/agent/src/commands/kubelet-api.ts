/** The API server of `syncloop kubelet`, as the flags want it: none, that of a cluster, or one of our own. */
import { join, resolve } from 'node:path';
import type { RestTransport } from '@syncloop/core/api';
import type { UserInfo } from '@syncloop/core/apiserver';
import { connectCluster } from '../api-client/cluster.js';
import type { ApiData } from '../api-data/api-data.js';
import { shellWord } from '../api-server/own-kubeconfig.js';
import type { KubeletPlace, OwnServer } from '../api-server/own-server.js';
import type { IO } from '../cli/io.js';
import { type AgentConfig, certDirectoryOf } from '../config/agent-config.js';
import type { KubeletFlags } from '../config/kubelet-flags.js';
import type { Joined, JoinOptions } from '../credentials/node-credentials.js';
import type { RunningNode } from '../node/kubelet-runner.js';

/** The kubelet's side of an API server, as the command uses it. */
export interface ApiSide {
  /** Returns the kubelet's way there; null: stand-alone. Valid after `open`. */
  transport(): RestTransport | null;
  /** Tokens with which the API server asks the kubelet's own server. */
  readonly trustedTokens: OwnServer['trustedTokens'];
  /** Called before the kubelet is created. */
  open(node: RunningNode): Promise<void>;
  /** Sets the address of the kubelet's own server. */
  kubeletServes(server: KubeletPlace): void;
  /** Settles when the node cannot go on with this API server: why. */
  readonly ended: Promise<Error>;
  /** Figures of the client certificate, if the kubelet renews it. Valid after `open`. */
  clientCertificate(): Joined['figures'];
  close(): Promise<void>;
}

const without = { ended: new Promise<Error>(() => {}), clientCertificate: () => null };

/** Rejects with a SetupError for a cluster that this node cannot join. */
export async function apiSide(
  config: AgentConfig,
  flags: KubeletFlags,
  io: IO,
  warn: (text: string) => void,
  signal: AbortSignal,
): Promise<ApiSide> {
  const { kubelet } = config;
  if (flags.kubeconfig !== undefined) {
    const bootstrapKubeconfig = flags['bootstrap-kubeconfig'] ?? '';
    if (bootstrapKubeconfig !== '' || config.rotateCertificates)
      return certificateSide({
        nodeName: kubelet.nodeName,
        kubeconfig: resolve(flags.kubeconfig),
        bootstrapKubeconfig: bootstrapKubeconfig && resolve(bootstrapKubeconfig),
        certDirectory: resolve(certDirectoryOf(config)),
        rotateCertificates: config.rotateCertificates,
        warn,
        signal,
      });
    const transport = await connectCluster(flags.kubeconfig, kubelet.nodeName, warn);
    return {
      ...without,
      transport: () => transport,
      trustedTokens: new Map(),
      open: async () => {},
      kubeletServes() {},
      close: async () => transport.close(),
    };
  }
  const port = flags['serve-api'];
  if (port === undefined) {
    return {
      ...without,
      transport: () => null,
      trustedTokens: new Map(),
      open: async () => {},
      kubeletServes() {},
      close: async () => {},
    };
  }
  const file = flags['serve-api-kubeconfig'];
  const kubeconfig = file === undefined ? join(kubelet.rootDirectory, 'api', 'kubeconfig') : resolve(file);
  const given = flags['serve-api-data'];
  // Given as nothing: in memory.
  const folder = given === undefined ? join(kubelet.rootDirectory, 'api', 'data') : given && resolve(given);
  const encryptionFile = flags['serve-api-encryption-provider-config'];
  const encryption =
    encryptionFile === undefined
      ? undefined
      : (await import('../api-data/encryption-configuration.js')).readEncryptionConfiguration(
          '--serve-api-encryption-provider-config',
          encryptionFile,
        );
  const trustedTokens = new Map<string, UserInfo>();
  let own: OwnServer | null = null;
  let data: ApiData | undefined;
  return {
    ...without,
    transport: () => own?.transport ?? null,
    trustedTokens,
    async open(node) {
      // It is loaded only when it is needed.
      const { startOwnServer } = await import('../api-server/own-server.js');
      if (folder) {
        const { ApiData } = await import('../api-data/api-data.js');
        data = await ApiData.open(folder, { warn, encryption });
      }
      try {
        own = await startOwnServer(node, { port, kubeconfig, data });
      } catch (err) {
        await data?.close();
        throw err;
      }
      for (const [token, user] of own.trustedTokens) trustedTokens.set(token, user);
      io.err(`syncloop: API server at ${own.url}; in another terminal:\nexport KUBECONFIG=${shellWord(kubeconfig)}\n`);
    },
    kubeletServes: (server) => own?.kubeletServes(server),
    async close() {
      await own?.close();
      await data?.close();
    },
  };
}

/**
 * Makes the side for a cluster whose client certificate the kubelet asks for: it needs the kernel's time, and so a
 * node.
 */
function certificateSide(options: JoinOptions): ApiSide {
  let joined: Joined | null = null;
  let end: (err: Error) => void = () => {};
  const ended = new Promise<Error>((resolve) => {
    end = resolve;
  });
  return {
    transport: () => joined?.transport ?? null,
    clientCertificate: () => joined?.figures ?? null,
    trustedTokens: new Map(),
    ended,
    async open(node) {
      // It is loaded only when it is needed.
      const { joinCluster } = await import('../credentials/node-credentials.js');
      joined = await joinCluster(node, options);
      void joined.ended.then(end);
    },
    kubeletServes() {},
    close: async () => joined?.close(),
  };
}
