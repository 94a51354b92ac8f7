import type { Era } from '../../era/types.js';
import { inDialect } from '../cri.js';
import { fieldsOf } from '../fields.js';
import { newKlogWords } from '../klog.js';
import { defaultCachePeriod } from '../runtime-cache.js';
import { dialect } from './cri.js';
import { dispatchWork } from './dispatch-work.js';
import { features } from './features.js';
import { generateAPIPodStatus } from './generate-api-pod-status.js';
import { klog } from './klog-words.js';
import { nodeStatus } from './node-status-rules.js';
import { newParts } from './parts.js';
import { PodKillerWithChannel } from './pod-killer.js';
import { runtime } from './runtime-rules.js';
import { newStatusManager } from './status-manager.js';
import { syncLoop } from './sync-loop.js';
import { syncPod } from './sync-pod.js';

/**
 * The design of v1.12 to v1.21 as v1.21 had it: handlers dispatch to workers that only sync, and pods end in goroutines
 * of the pod killer, which marks what it is about to kill.
 */
export const era: Era = {
  version: 'v1.21',
  rules: {
    config: { eraFeatures: features },
    generateAPIPodStatus,
    fields: fieldsOf(21),
    immediateEvictionGracePeriod: 0,
    plainEvictionMessage: true,
    startsWithout: [
      'cgroupVersionCheck',
      'healthChecker',
      'NodeLogQuery',
      'allocationManager',
      'fastStaticPodsRegistration',
      'waitForAllPodsUnmount',
    ],
    startsToo: ['cloudResourceSyncManager'],
    nodeStatus,
    newLogWords: () => newKlogWords(klog),
    newStatusManager,
    runtimeCachePeriod: defaultCachePeriod,
    runtime,
    softAdmission: true,
    services: (services) => inDialect(services, dialect),
  },
  newParts: (kl, material) =>
    newParts(kl, material, {
      newPodKiller: (deps) => new PodKillerWithChannel(deps),
      dispatchWork,
      syncLoop,
      syncPod,
    }),
};
