/** The API server of `syncloop kubelet`, as the flags want it: none, that of a cluster, or one of our own. */
import { join, resolve } from 'node:path';
import type { UserInfo } from '@syncloop/core/apiserver';
import type { RestTransport } from '@syncloop/core/kubelet';
import { connectCluster } from '../api-client/cluster.js';
import type { ApiData } from '../api-data/api-data.js';
import type { KubeletAccess } from '../api-server/forward.js';
import { shellWord } from '../api-server/own-kubeconfig.js';
import type { OwnServer } from '../api-server/own-server.js';
import type { IO } from '../cli/io.js';
import type { AgentConfig } from '../config/agent-config.js';
import type { KubeletFlags } from '../config/kubelet-flags.js';
import type { RunningNode } from '../node/kubelet-runner.js';

/** What the rest of the command needs of it. */
export interface ApiSide {
  /** The kubelet's way there; null: stand-alone. Good after `open`. */
  transport(): RestTransport | null;
  /** With which the API server asks the kubelet's own server. */
  readonly trustedTokens: OwnServer['trustedTokens'];
  /** Before the kubelet is made. */
  open(node: RunningNode): Promise<void>;
  /** Told where the kubelet's own server listens. */
  kubeletServes(server: Omit<KubeletAccess, 'token'>): void;
  close(): Promise<void>;
}

/** Rejects with a SetupError for a cluster that this node cannot join. */
export async function apiSide(
  config: AgentConfig,
  flags: KubeletFlags,
  io: IO,
  warn: (text: string) => void,
): Promise<ApiSide> {
  const { kubelet } = config;
  if (flags.kubeconfig !== undefined) {
    const transport = await connectCluster(flags.kubeconfig, kubelet.nodeName, warn);
    return {
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
  const trustedTokens = new Map<string, UserInfo>();
  let own: OwnServer | null = null;
  let data: ApiData | undefined;
  return {
    transport: () => own?.transport ?? null,
    trustedTokens,
    async open(node) {
      // Loaded only where it is wanted.
      const { startOwnServer } = await import('../api-server/own-server.js');
      if (folder) {
        const { ApiData } = await import('../api-data/api-data.js');
        data = await ApiData.open(folder, { warn });
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
