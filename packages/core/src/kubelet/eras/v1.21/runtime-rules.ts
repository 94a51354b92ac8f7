import { formatDuration } from '../../../kernel/index.js';
import { type RuntimeRules, runtimeRules, syncPodStepsWithout } from '../../kuberuntime/rules.js';

/**
 * upstream: v1.21 pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer, killContainer;
 * kuberuntime_manager.go doBackOff
 */
export const runtime: RuntimeRules = {
  ...runtimeRules,
  texts: {
    ...runtimeRules.texts,
    pulled: ({ image, waited }) => `Successfully pulled image "${image}" in ${formatDuration(waited)}`,
    pullBackOff: (image) => `Back-off pulling image "${image}"`,
    created: (container) => `Created container ${container}`,
    started: (container) => `Started container ${container}`,
    backOff: () => 'Back-off restarting failed container',
    postStartReason: (cause) => `PostStartHookError: ${cause}`,
    postStartFailed: (detail) => detail,
    preStopFailed: (detail) => detail,
  },
  syncPodSteps: syncPodStepsWithout('sandbox ready callback', 'resize running containers'),
  overrideReplacesGrace: true,
  listsForStatus: true,
  tellsSandboxReady: false,
};
