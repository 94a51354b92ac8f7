import type { Era } from '../../era/types.js';
import { v1_36 } from '../../era/v1.36.js';
import { runtimeRules, syncPodStepsWithout } from '../../kuberuntime/rules.js';
import { nodeStatusRules } from '../../nodestatus/rules.js';
import { inDialect } from '../cri.js';
import { fieldsOf } from '../fields.js';
import { newKlogWords } from '../klog.js';
import { dialectOf } from './cri.js';
import { features, featuresOf } from './features.js';
import { klog } from './klog-words.js';

/**
 * Workers that own the life of their pod, as today. PLEG is not asked to look at a pod at once, a worker does not know
 * when a back-off ends, and gates are those of then.
 */
export const era: Era = {
  version: 'v1.32',
  rules: {
    config: { emulatedVersion: '1.32', eraFeatures: features },
    fields: fieldsOf(32),
    startsWithout: ['allocationManager'],
    startsToo: ['cloudResourceSyncManager'],
    nodeStatus: { ...nodeStatusRules, spreadsReports: false },
    newLogWords: () => newKlogWords(klog),
    services: (services) => inDialect(services, dialectOf(32)),
    // upstream: v1.32 pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer
    runtime: {
      ...runtimeRules,
      syncPodSteps: syncPodStepsWithout('sandbox ready callback'),
      listsForStatus: true,
      tellsSandboxReady: false,
      texts: {
        ...runtimeRules.texts,
        created: (container) => `Created container: ${container}`,
        started: (container) => `Started container ${container}`,
      },
    },
  },
  rulesOf: (minor) => ({
    config: { eraFeatures: featuresOf(minor) },
    fields: fieldsOf(minor),
    services: (services) => inDialect(services, dialectOf(minor)),
  }),
  newParts: v1_36.newParts,
};
