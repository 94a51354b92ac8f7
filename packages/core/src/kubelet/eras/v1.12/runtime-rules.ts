import { type RuntimeRules, syncPodStepsWithout } from '../../kuberuntime/rules.js';
import { runtime as v1_21 } from '../v1.21/runtime-rules.js';

/**
 * Texts of events have no names of containers, and a kill is an event when it is over (kubernetes#73892 changed both in
 * v1.14). The kubelet does not read log files for restarts, and does not ask whether a pod is gone.
 * upstream: v1.15 pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer; kuberuntime_manager.go SyncPod
 */
export const runtime: RuntimeRules = {
  ...v1_21,
  texts: {
    ...v1_21.texts,
    pulling: (image) => `pulling image "${image}"`,
    pulled: ({ image }) => `Successfully pulled image "${image}"`,
    // The hashes are unsigned numbers. Each reason ends with a stop of its own, and one more comes before the rest.
    definitionChanged: (_, [running, wanted]) => `Container spec hash changed (${running} vs ${wanted}).`,
    failedProbe: (_, probe) => `Container failed ${probe} probe.`,
    toBeRestarted: (why) => `${why}. Container will be killed and recreated.`,
    killing: (_, id, why) => `Killing container with id ${id}:${why || 'Need to kill Pod'}`,
    created: () => 'Created container',
    started: () => 'Started container',
    sandboxFailed: (cause) => `Failed create pod sandbox: ${cause}`,
  },
  killingEventAfterStop: true,
  syncPodSteps: syncPodStepsWithout('sandbox ready callback', 'start ephemeral container', 'resize running containers'),
  restartCountFromLogs: false,
  excusesSandboxOfGonePod: false,
};
