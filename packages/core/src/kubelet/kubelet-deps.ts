import type { RestTransport } from '../api/client/transport.js';
import type { ImageService, RuntimeService } from '../cri/index.js';
import type { PluginHost } from '../host/device-plugins.js';
import type { NodeInfo, OSInterface, ProbeTransport } from '../host/os.js';
import type { Kernel } from '../kernel/index.js';
import type { PodAdmitHandler } from './admission/types.js';
import type { FsStats } from './builders/images.js';
import type { ServingDeps } from './certificate/managers.js';
import type { CgroupFS } from './cm/cgroup-manager.js';
import type { PodContainerManager } from './cm/pod-container-manager.js';
import type { KubeletConfig } from './config.js';
import type { ImageCredentials } from './credentialprovider/image-credentials.js';
import type { Era } from './era/types.js';
import type { ClientCertificateFigures } from './metrics/kubelet-metrics.js';
import type { ShutdownSignal } from './nodeshutdown/node-shutdown-manager.js';
import type { OOMStreamer } from './oom/oom-watcher.js';
import type { KubeletParts } from './parts/types.js';
import type { MirrorPodClient } from './podmanager/mirror-client.js';
import type { HostStats } from './stats/types.js';
import type { StatusClient } from './status/types.js';

/** The dependencies of a kubelet; all I/O is behind these. upstream: kubelet.go Dependencies */
export interface KubeletDeps {
  readonly kernel: Kernel;
  readonly config: KubeletConfig;
  readonly runtimeService: RuntimeService;
  readonly imageService: ImageService;
  readonly os: OSInterface;
  readonly probeTransport: ProbeTransport;
  readonly nodeInfo: NodeInfo;
  /** The version to be. Default: v1.36. */
  readonly era?: Era;
  /** Parts that decide in place of its own. Default: none. */
  readonly parts?: KubeletParts;
  /** Name of its process. Default: kubelet. */
  readonly name?: string;
  /**
   * The way to an API server, with all that follows from it: node, statuses, events, mirror pods, the source of pods.
   * Null or missing: stand-alone.
   */
  readonly transport?: RestTransport | null;
  /** Client for pod statuses alone. Default: that of `transport`. */
  readonly statusClient?: StatusClient | null;
  readonly mirrorPodClient?: MirrorPodClient;
  /** Further handlers, which are asked right after the eviction manager's. */
  readonly admitHandlers?: readonly PodAdmitHandler[];
  /** Default: nodeInfo's capacity less what the runtime uses. */
  readonly fsStats?: FsStats;
  /** Figures of the machine. Default: the node is not measured, and no pod is evicted. */
  readonly hostStats?: HostStats;
  /** Source of shutdown signals. Default: none. */
  readonly shutdownSignal?: ShutdownSignal;
  /** Source of messages about processes killed for lack of memory. Default: none. */
  readonly oomStreamer?: OOMStreamer;
  /** Sources of image credentials in addition to files in the root directory and in /. Default: none. */
  readonly imageCredentials?: ImageCredentials;
  /**
   * The machine's cgroups, the same object for each kubelet on it.
   * Default: cgroups in memory, which end with this kubelet.
   */
  readonly cgroups?: CgroupFS;
  /** The certificate of the kubelet's own server. Default: the kubelet does not look after any. */
  readonly serving?: ServingDeps;
  /** Metrics of the client certificate, if it is renewed. Default: none. */
  readonly clientCertificate?: ClientCertificateFigures;
  /** The way to device plug-ins. Default: there are none, and no socket to register at. */
  readonly plugins?: PluginHost;
  /** Replaces the manager of pods' cgroups and leaves the node's own alone. For tests. */
  readonly podContainers?: PodContainerManager;
}
