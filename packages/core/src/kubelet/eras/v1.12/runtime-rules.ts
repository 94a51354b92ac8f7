import { type RuntimeRules, syncPodStepsWithout } from '../../kuberuntime/rules.js';
import { runtime as v1_21 } from '../v1.21/runtime-rules.js';

/**
 * The kubelet does not read log files for restarts, and does not ask whether a pod is gone.
 * upstream: v1.15 pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer; kuberuntime_manager.go SyncPod
 */
export const runtime: RuntimeRules = {
  ...v1_21,
  texts: { ...v1_21.texts, sandboxFailed: (cause) => `Failed create pod sandbox: ${cause}` },
  syncPodSteps: syncPodStepsWithout('sandbox ready callback', 'start ephemeral container', 'resize running containers'),
  restartCountFromLogs: false,
  excusesSandboxOfGonePod: false,
};
