import type { Pod } from '../../api/types.js';
import type { CRIServices } from '../../cri/index.js';
import type { PluginHost } from '../../host/device-plugins.js';
import type { CgroupFS } from '../cm/cgroup-manager.js';
import { ContainerManager } from '../cm/container-manager.js';
import { evictionReservationOf } from '../cm/eviction-reservation.js';
import type { PodContainerManager } from '../cm/pod-container-manager.js';
import { nodeReference } from '../kubelet-node-status.js';
import type { Foundation } from './types.js';

/** The manager of the node's and the pods' cgroups. upstream: cm.NewContainerManager */
export function newContainerManager(
  { kernel, config, os, nodeInfo, recorder }: Foundation,
  rest: {
    readonly runtimeService: CRIServices;
    readonly activePods: () => Pod[];
    readonly cgroups?: CgroupFS | undefined;
    readonly podContainers?: PodContainerManager | undefined;
    readonly plugins?: PluginHost | undefined;
    readonly sourcesReady: { allReady(): boolean };
  },
): ContainerManager {
  return new ContainerManager({
    kernel,
    config,
    nodeInfo,
    recorder,
    nodeRef: nodeReference(config),
    runtimeService: rest.runtimeService,
    activePods: rest.activePods,
    evictionReservation: (capacity) => evictionReservationOf(config, capacity),
    ...(rest.cgroups && { cgroups: rest.cgroups }),
    ...(rest.plugins && { devices: { os, host: rest.plugins, sourcesReady: rest.sourcesReady } }),
    ...(rest.podContainers && { podContainers: rest.podContainers }),
  });
}
