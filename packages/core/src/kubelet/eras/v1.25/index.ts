import { formatDuration } from '../../../kernel/index.js';
import type { Era } from '../../era/types.js';
import { killPodNow } from '../../podworkers/kill-pod-now.js';
import { WorkQueue } from '../../util/queue/work-queue.js';
import { inDialect } from '../cri.js';
import { fieldsOf } from '../fields.js';
import { newKlogWords } from '../klog.js';
import { defaultCachePeriod } from '../runtime-cache.js';
import { nodeStatus } from '../v1.21/node-status-rules.js';
import { runtime } from '../v1.21/runtime-rules.js';
import { dialect } from './cri.js';
import { features } from './features.js';
import { generateAPIPodStatus } from './generate-api-pod-status.js';
import { handlePodSyncs } from './handlers.js';
import { klog } from './klog-words.js';
import { podResourcesAreReclaimed } from './pod-resources.js';
import { PodWorkersOfThen } from './pod-workers.js';
import { newStatusManager } from './status-manager.js';
import { syncLoop } from './sync-loop.js';
import { newPodSyncFns } from './sync-pod.js';
import type { KubeletHandle, Parts } from './types.js';

/** The design of v1.22 to v1.26: workers own the life of their pod, work travels through their channels. */
export const era: Era = {
  version: 'v1.25',
  rules: {
    config: { emulatedVersion: '1.25', eraFeatures: features },
    generateAPIPodStatus,
    fields: fieldsOf(25),
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
    nodeStatus: { ...nodeStatus, jitterFactor: 0.04 },
    newLogWords: () => newKlogWords(klog),
    newStatusManager,
    runtimeCachePeriod: defaultCachePeriod,
    runtime: {
      ...runtime,
      texts: {
        ...runtime.texts,
        pulled: ({ image, pullDuration, waited }) =>
          `Successfully pulled image "${image}" in ${formatDuration(pullDuration)} (${formatDuration(waited)} including waiting)`,
        postStartReason: () => 'PostStartHookError',
      },
    },
    softAdmission: true,
    services: (services) => inDialect(services, dialect),
  },
  rulesOf: (minor) => ({ fields: fieldsOf(minor) }),
  newParts(kl, material) {
    const { kernel, config, recorder } = material;
    const kubelet = () => kl() as KubeletHandle;
    const workQueue = new WorkQueue(kernel);
    const podWorkers = new PodWorkersOfThen({
      ...material,
      workQueue,
      resyncInterval: config.syncFrequency,
      fns: newPodSyncFns(kl),
    });
    const parts: Parts = {
      workQueue,
      podWorkers,
      killPodNow: killPodNow(kernel, podWorkers, recorder),
      podResourcesAreReclaimed: (pod, status) => podResourcesAreReclaimed(kubelet(), pod, status),
      syncLoop: (configCh) => syncLoop(kubelet(), configCh),
      handlePodSyncs: (pods) => handlePodSyncs(kubelet(), pods),
    };
    return parts;
  },
};
