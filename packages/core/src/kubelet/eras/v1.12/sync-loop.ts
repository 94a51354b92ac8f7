import { type Chan, frame, type Go, receive, recv, select } from '../../../kernel/index.js';
import { kObj } from '../../api/types.js';
import { getPodsToSync, type LoopChannels } from '../../sync-loop.js';
import type { PodUpdate } from '../../types/pod-update.js';
import { handlePodSyncs } from '../v1.21/handlers.js';
import { dispatchConfig, handlePlegEvent, housekeeping, iterate } from '../v1.21/sync-loop.js';
import type { KubeletHandle } from '../v1.21/types.js';

/**
 * Ends only when configCh is closed. Readiness is written beside the loop, which does not learn of it.
 * upstream: v1.12 pkg/kubelet/kubelet.go (*Kubelet).syncLoop
 */
export function syncLoop(kl: KubeletHandle, configCh: Chan<PodUpdate>): Go<void> {
  kl.kernel.go('updateReadiness', () => updateReadiness(kl), { daemon: true });
  return frame('syncLoop', undefined, () => iterate(kl, configCh, syncLoopIteration));
}

/** upstream: v1.12 pkg/kubelet/prober/prober_manager.go (*manager).updateReadiness */
function* updateReadiness(kl: KubeletHandle): Go<void> {
  for (;;) {
    const [update, open] = yield* receive(kl.readinessManager.updates());
    if (!open) return;
    kl.statusManager.setContainerReadiness(update.podUID, update.containerID, update.result === 'Success');
  }
}

/**
 * Takes one message from one of five channels and handles it. False: configCh is closed.
 * upstream: v1.12 pkg/kubelet/kubelet.go (*Kubelet).syncLoopIteration
 */
export function syncLoopIteration(kl: KubeletHandle, channels: LoopChannels): Go<boolean> {
  return frame('syncLoopIteration', undefined, () => takeOne(kl, channels));
}

function* takeOne(kl: KubeletHandle, channels: LoopChannels): Go<boolean> {
  const { log } = kl;
  const r = yield* select({
    configCh: recv(channels.configCh),
    plegCh: recv(channels.plegCh),
    syncCh: recv(channels.syncCh),
    livenessManager: recv(kl.livenessManager.updates()),
    housekeepingCh: recv(channels.housekeepingCh),
  });
  switch (r.case) {
    case 'configCh':
      if (!r.ok) {
        log.error(null, 'Update channel is closed. Exiting the sync loop.');
        return false;
      }
      yield* dispatchConfig(kl, r.value);
      break;
    case 'plegCh':
      if (r.ok) handlePlegEvent(kl, r.value);
      break;
    case 'syncCh': {
      const { pods, due } = getPodsToSync(kl);
      if (pods.length === 0) break;
      log.info(4, 'SyncLoop (SYNC)', { total: pods.length, pods: pods.map(kObj) });
      handlePodSyncs(kl, pods, due);
      break;
    }
    case 'livenessManager': {
      if (!r.ok || r.value.result !== 'Failure') break;
      // The pod may have changed since its probe ran.
      const pod = kl.podManager.getPodByUID(r.value.podUID);
      if (!pod) {
        log.info(4, 'SyncLoop (container unhealthy): ignore irrelevant update', { podUID: r.value.podUID });
        break;
      }
      log.info(1, 'SyncLoop (container unhealthy)', { pod: kObj(pod) });
      handlePodSyncs(kl, [pod]);
      break;
    }
    case 'housekeepingCh':
      yield* housekeeping(kl);
      break;
  }
  return true;
}
