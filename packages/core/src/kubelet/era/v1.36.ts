import { newPodWorkers } from '../builders/podworkers.js';
import { handlePodSyncs } from '../handlers.js';
import { syncLoop } from '../sync-loop.js';
import { newPodSyncer } from '../sync-pod.js';
import type { Era } from './types.js';

/** The kubelet as the modules of this folder's neighbours have it. */
export const v1_36: Era = {
  version: 'v1.36',
  rules: {},
  newParts(kl, material) {
    return {
      ...newPodWorkers({ ...material, podSyncer: newPodSyncer(kl) }),
      syncLoop: (configCh) => syncLoop(kl(), configCh),
      handlePodSyncs: (pods) => handlePodSyncs(kl(), pods),
    };
  },
};
