import { background } from '../kernel/index.js';
import { evictionReservationOf } from './cm/eviction-reservation.js';
import { featureEnabled } from './features.js';
import { Logger } from './klog.js';
import type { Kubelet } from './kubelet.js';
import { NodeStatusManager, nodeReference, recordNodeStatusEvent } from './kubelet-node-status.js';
import { nodeAllocatableReservation } from './nodestatus/allocatable.js';
import { discoverNodeDeclaredFeatures } from './nodestatus/declared-features.js';
import { defaultSetters } from './nodestatus/default-setters.js';

/** What says of the node what it is, made of the kubelet's parts. upstream: within NewMainKubelet */
export function newNodeStatus(kl: Kubelet): NodeStatusManager {
  const { kernel, config, nodeInfo, recorder, runtimeState, containerRuntime, containerManager, guards } = kl;
  const log = new Logger(kernel, 'kubelet_node_status.go');
  const setters = defaultSetters({
    kernel,
    config,
    host: nodeInfo,
    runtimeState,
    containerRuntime,
    imageList: () => guards.imageGCManager.getImageList(),
    capacity: () => containerManager.capacity(),
    reservation: () => {
      const capacity = containerManager.capacity();
      const { kubeReserved, systemReserved } = config;
      const eviction = evictionReservationOf(config, capacity);
      return nodeAllocatableReservation(capacity, { kubeReserved, systemReserved, eviction });
    },
    softRequirements: () => null,
    pressure: guards.evictionManager,
    shutdownStatus: () => guards.shutdownManager.shutdownStatus(),
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
    client: kl.api?.heartbeatClient ?? kl.kubeClient,
    registrationClient: kl.kubeClient,
    lister: kl.nodeLister,
    runtimeState,
    setters,
    declaredFeatures: () =>
      featureEnabled(config, 'NodeDeclaredFeatures')
        ? discoverNodeDeclaredFeatures(config, runtimeState.runtimeFeatures()?.userNamespacesHostNetwork ?? false)
        : null,
    *updatePodCIDR(podCidr) {
      yield* kl.services.updateRuntimeConfig(background, { runtimeConfig: { networkConfig: { podCidr } } });
    },
    updateRuntimeUp: () => kl.runtimeUp.updateRuntimeUp(),
    runtimeReadyExpected: () => kl.runtimeUp.expectReady(),
  });
}
