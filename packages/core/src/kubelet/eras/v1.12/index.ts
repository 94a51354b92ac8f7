import type { Era } from '../../era/types.js';
import type { RuntimeStateRules } from '../../runtime-state.js';
import { fieldsOf } from '../fields.js';
import { newKlogWords } from '../klog.js';
import { era as v1_21 } from '../v1.21/index.js';
import { newParts } from '../v1.21/parts.js';
import { dispatchWork } from './dispatch-work.js';
import { features } from './features.js';
import { generateAPIPodStatus } from './generate-api-pod-status.js';
import { klog } from './klog-words.js';
import { PodKillerOfTheChannel } from './pod-killer.js';
import { runtime } from './runtime-rules.js';
import { newStatusManager } from './status-manager.js';
import { syncLoop } from './sync-loop.js';
import { syncPod } from './sync-pod.js';

/**
 * The errors are texts in a list. A runtime that was never checked counts as down, and a PLEG that never listed was
 * last seen as long ago as a Go duration can say. upstream: v1.12 pkg/kubelet/runtime.go (*runtimeState).runtimeErrors;
 * pkg/kubelet/pleg/generic.go (*GenericPLEG).Healthy
 */
const runtimeState: RuntimeStateRules = {
  neverChecked: 'container runtime is down',
  neverRelisted: 'pleg was last seen active 2562047h47m16.854775807s ago; threshold is 3m0s',
  keepsRuntimeError: false,
  networkNotReady: 'runtime network not ready',
  print: (messages) => `[${messages.join(' ')}]`,
};

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
      'csiNode',
      'topologyManager',
      'waitForAllPodsUnmount',
      'nodeHasSynced',
    ],
    startsToo: ['cloudResourceSyncManager', 'probeManager', 'syncNetworkUtil', 'pluginWatcher'],
    startupProbes: false,
    generateAPIPodStatus,
    runtimeState,
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
