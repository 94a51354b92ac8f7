import type { CRIServices } from '../../cri/index.js';
import { background } from '../../kernel/index.js';
import type { KubeClient, NodeLister } from '../client/kube-client.js';
import type { ContainerManager } from '../cm/container-manager.js';
import { evictionReservationOf } from '../cm/eviction-reservation.js';
import type { EvictionManager } from '../eviction/eviction-manager.js';
import { featureEnabled } from '../features.js';
import type { ImageGCManager } from '../images/image-gc-manager.js';
import { Logger } from '../klog.js';
import { NodeStatusManager, nodeReference, recordNodeStatusEvent } from '../kubelet-node-status.js';
import type { RuntimeUp } from '../kubelet-runtime-up.js';
import type { KubeGenericRuntimeManager } from '../kuberuntime/kuberuntime-manager.js';
import type { NodeShutdownManager } from '../nodeshutdown/node-shutdown-manager.js';
import { nodeAllocatableReservation } from '../nodestatus/allocatable.js';
import { discoverNodeDeclaredFeatures } from '../nodestatus/declared-features.js';
import { defaultSetters } from '../nodestatus/default-setters.js';
import type { NodeStatusRules } from '../nodestatus/rules.js';
import type { RuntimeState } from '../runtime-state.js';
import type { Foundation } from './types.js';

export interface NodeStatusParts {
  readonly services: Pick<CRIServices, 'updateRuntimeConfig'>;
  readonly runtimeState: RuntimeState;
  readonly runtimeUp: Pick<RuntimeUp, 'expectReady' | 'updateRuntimeUp'>;
  readonly containerRuntime: Pick<KubeGenericRuntimeManager, 'type' | 'version'>;
  readonly containerManager: Pick<
    ContainerManager,
    'capacity' | 'getDevicePluginResourceCapacity' | 'shouldResetExtendedResourceCapacity'
  >;
  readonly imageGCManager: Pick<ImageGCManager, 'getImageList'>;
  readonly evictionManager: EvictionManager;
  readonly shutdownManager: Pick<NodeShutdownManager, 'shutdownStatus'>;
  readonly api: { readonly heartbeatClient: KubeClient } | null;
  readonly kubeClient: KubeClient | null;
  readonly nodeLister: NodeLister | null;
}

/**
 * Builds the writer of the node's status, with the functions that fill it in.
 * upstream: kubelet_node_status.go defaultNodeStatusFuncs
 */
export function newNodeStatus(
  { kernel, config, nodeInfo, recorder }: Foundation,
  parts: NodeStatusParts,
  rules: NodeStatusRules,
): NodeStatusManager {
  const { services, runtimeState, runtimeUp, containerRuntime, containerManager } = parts;
  const { imageGCManager, evictionManager, shutdownManager } = parts;
  const log = new Logger(kernel, 'kubelet_node_status.go');
  const setters = defaultSetters({
    kernel,
    config,
    host: nodeInfo,
    runtimeState,
    containerRuntime,
    imageList: () => imageGCManager.getImageList(),
    capacity: () => containerManager.capacity(),
    devices: () => containerManager.getDevicePluginResourceCapacity(),
    reservation: () => {
      const capacity = containerManager.capacity();
      const { kubeReserved, systemReserved } = config;
      const eviction = evictionReservationOf(config, capacity);
      return nodeAllocatableReservation(capacity, { kubeReserved, systemReserved, eviction });
    },
    softRequirements: () => null,
    pressure: evictionManager,
    shutdownStatus: () => shutdownManager.shutdownStatus(),
    volumesSynced: () => true,
    // None of the plug-ins has volumes that are attached.
    volumesInUse: () => [],
    recordEvent: (type, reason, message) => recorder.event(nodeReference(config), type, reason, message, '', 'Node'),
    recordNodeStatusEvent: (event) => recordNodeStatusEvent(log, recorder, config, event),
  });
  return new NodeStatusManager({
    kernel,
    config,
    host: nodeInfo,
    recorder,
    client: parts.api?.heartbeatClient ?? parts.kubeClient,
    registrationClient: parts.kubeClient,
    lister: parts.nodeLister,
    runtimeState,
    setters,
    declaredFeatures: () =>
      featureEnabled(config, 'NodeDeclaredFeatures')
        ? discoverNodeDeclaredFeatures(config, runtimeState.runtimeFeatures()?.userNamespacesHostNetwork ?? false)
        : null,
    *updatePodCIDR(podCidr) {
      yield* services.updateRuntimeConfig(background, { runtimeConfig: { networkConfig: { podCidr } } });
    },
    shouldResetExtendedResources: () => containerManager.shouldResetExtendedResourceCapacity(),
    updateRuntimeUp: () => runtimeUp.updateRuntimeUp(),
    runtimeReadyExpected: () => runtimeUp.expectReady(),
    rules,
  });
}
