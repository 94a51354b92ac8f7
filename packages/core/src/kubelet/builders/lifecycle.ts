import type { Pod } from '../../api/types.js';
import type { Go } from '../../kernel/index.js';
import {
  newAppArmorAdmitHandler,
  newDeclaredFeaturesAdmitHandler,
  newPodFeaturesAdmitHandler,
} from '../admission/handlers.js';
import type { AdmissionNode } from '../admission/node.js';
import { newPredicateAdmitHandler } from '../admission/predicate.js';
import { evictPodsToFreeRequests } from '../admission/preemption.js';
import { newSysctlAdmitHandler } from '../admission/sysctl.js';
import type { PodAdmitHandler } from '../admission/types.js';
import { newPodResizesAdmitHandler } from '../allocation/resize-admit-handler.js';
import type { ContainerManager } from '../cm/container-manager.js';
import { newEvictionAdmitHandler } from '../eviction/admit.js';
import type { EvictionManager } from '../eviction/eviction-manager.js';
import { featureEnabled } from '../features.js';
import { Logger } from '../klog.js';
import { metricsOf } from '../metrics/kubelet-metrics.js';
import type { NodeShutdownManager } from '../nodeshutdown/node-shutdown-manager.js';
import type { KillPodFunc } from '../podworkers/kill-pod-now.js';
import type { Foundation } from './types.js';

export interface AdmitHandlersParts {
  readonly evictionManager: EvictionManager;
  readonly shutdownManager: Pick<NodeShutdownManager, 'admitHandler'>;
  readonly killPod: KillPodFunc;
  /** The active pods with what they were given. */
  readonly allocatedPods: () => Pod[];
  /** The node; with `useCache` from the watch's cache. */
  readonly getNode: (useCache: boolean) => Go<AdmissionNode>;
  readonly containerManager: Pick<ContainerManager, 'topologyManager' | 'updatePluginResources'>;
  /** Further handlers, called right after the eviction manager's. */
  readonly additional: readonly PodAdmitHandler[];
  /** AppArmor is asked for at each sync, not here. */
  readonly softAdmission?: boolean;
  /** True if this version has a topology manager. */
  readonly topologyManager: boolean;
}

/**
 * The handlers that admit a new pod, in upstream's order.
 * upstream: NewMainKubelet, klet.allocationManager.AddPodAdmitHandlers
 */
export function newAdmitHandlers(
  { kernel, config, nodeInfo, recorder }: Foundation,
  parts: AdmitHandlersParts,
): PodAdmitHandler[] {
  const preemption = {
    log: new Logger(kernel, 'preemption.go'),
    recorder,
    getPods: parts.allocatedPods,
    killPod: parts.killPod,
    onPreempted: (resource: string) => metricsOf(kernel).preemptions.add(1, { preemption_signal: resource }),
  };
  return [
    newPodResizesAdmitHandler(),
    newEvictionAdmitHandler(kernel, parts.evictionManager),
    ...parts.additional,
    newSysctlAdmitHandler(config.allowedUnsafeSysctls),
    ...(parts.topologyManager ? [parts.containerManager.topologyManager] : []),
    newPredicateAdmitHandler({
      kernel,
      log: new Logger(kernel, 'predicate.go'),
      getNode: parts.getNode,
      updatePluginResources: (pod, there) => parts.containerManager.updatePluginResources(pod, there),
      comparisonOperators: featureEnabled(config, 'TaintTolerationComparisonOperators'),
      evict: (pod, missing) => evictPodsToFreeRequests(preemption, pod, missing),
    }),
    ...(parts.softAdmission ? [] : [newAppArmorAdmitHandler(nodeInfo.appArmorEnabled ?? true)]),
    newPodFeaturesAdmitHandler(config),
    ...(featureEnabled(config, 'NodeDeclaredFeatures') ? [newDeclaredFeaturesAdmitHandler(config)] : []),
    parts.shutdownManager.admitHandler,
  ];
}
