import type { RestTransport } from '../api/client/transport.js';
import { background, type Kernel, type Process, Second } from '../kernel/index.js';
import { type Informers, newInformers, newNodeLister } from './client/informer.js';
import type { KubeClient, NodeLister } from './client/kube-client.js';
import { WatchingObjectManagers } from './client/object-managers.js';
import { RestClient } from './client/rest-client.js';
import { RestKubeClient } from './client/rest-kube-client.js';
import type { KubeletConfig } from './config.js';
import { EventBroadcaster } from './events/broadcaster.js';

/**
 * The clients, caches and event sender of a kubelet with an API server.
 * upstream: cmd/kubelet/app/server.go run, kubelet.go NewMainKubelet
 */
export interface KubeletAPI {
  readonly client: KubeClient;
  /**
   * For leases and the node's status: never made to wait, and each request given up in time.
   * upstream: HeartbeatClient
   */
  readonly heartbeatClient: KubeClient;
  readonly informers: Informers;
  readonly nodeLister: NodeLister;
  readonly objects: WatchingObjectManagers;
  readonly events: EventBroadcaster;
  /** Starts sending events, before everything else, as upstream does. */
  startEvents(): void;
  /** Starts the watches of the node and of services, and the managers' own work. */
  start(process: Process): void;
  /** upstream: runtimeclass.Manager Start */
  startRuntimeClasses(process: Process): void;
}

/** Builds them without starting anything. There are three clients, each with a rate of its own. */
export function newKubeletAPI(kernel: Kernel, config: KubeletConfig, transport: RestTransport): KubeletAPI {
  // One sequence of ids for all clients, so that the trace can tell requests apart.
  const common = { kernel, transport, ids: { next: 1 } };
  const client = new RestKubeClient(new RestClient({ ...common, qps: config.kubeAPIQPS, burst: config.kubeAPIBurst }));
  const eventClient = new RestKubeClient(
    new RestClient({ ...common, qps: config.eventRecordQPS, burst: config.eventBurst }),
  );
  const heartbeatClient = new RestKubeClient(
    new RestClient({
      ...common,
      timeout: Math.min(config.nodeStatusUpdateFrequency, config.nodeLeaseDurationSeconds * Second),
    }),
  );
  const informers = newInformers(kernel, client, config.nodeName);
  const objects = new WatchingObjectManagers(kernel, client, informers.services, config.syncFrequency);
  const events = new EventBroadcaster(kernel, eventClient);
  return {
    client,
    heartbeatClient,
    informers,
    nodeLister: newNodeLister(informers.nodes, config.nodeName),
    objects,
    events,
    startEvents: () => events.start(),
    start(process) {
      informers.nodes.start(background, process);
      informers.services.start(background, process);
      objects.start();
    },
    startRuntimeClasses: (process) => informers.runtimeClasses.start(background, process),
  };
}
