import type { Era } from '../../era/types.js';
import { fieldsOf } from '../fields.js';
import { newKlogWords } from '../klog.js';
import { era as v1_21 } from '../v1.21/index.js';
import { newParts } from '../v1.21/parts.js';
import { dispatchWork } from './dispatch-work.js';
import { features } from './features.js';
import { klog } from './klog-words.js';
import { PodKillerOfTheChannel } from './pod-killer.js';
import { runtime } from './runtime-rules.js';
import { newStatusManager } from './status-manager.js';
import { syncLoop } from './sync-loop.js';
import { syncPod } from './sync-pod.js';

/**
 * The design of v1.12 to v1.18: as v1.21, but nothing keeps a worker and the pod killer from working on one pod at the
 * same time. Read in excerpts of v1.12 and, where these leave out what is in between, in v1.15.
 */
export const era: Era = {
  version: 'v1.12',
  rules: {
    ...v1_21.rules,
    // Without a lease a node's status is its heartbeat: it is sent each time.
    config: { eraFeatures: features, nodeStatusReportFrequency: 0 },
    fields: fieldsOf(12),
    startsWithout: [
      'cgroupVersionCheck',
      'healthChecker',
      'NodeLogQuery',
      'allocationManager',
      'nodeLeaseController',
      'fastStaticPodsRegistration',
      'runtimeClassManager',
    ],
    startsToo: ['cloudResourceSyncManager', 'probeManager', 'syncNetworkUtil', 'pluginWatcher'],
    newLogWords: () => newKlogWords(klog),
    newStatusManager,
    runtime,
  },
  newParts: (kl, material) =>
    newParts(kl, material, {
      newPodKiller: (deps) => new PodKillerOfTheChannel(deps),
      dispatchWork,
      syncLoop,
      syncPod,
      takesIn: (handle) => handle.runtimeHelper.checkLimitsForResolvConf(),
    }),
};
