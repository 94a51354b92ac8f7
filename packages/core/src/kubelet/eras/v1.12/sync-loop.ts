import { kObj } from '../../../api/types.js';
import { type Chan, frame, type Go, receive, recv, select } from '../../../kernel/index.js';
import type { LoopChannels } from '../../sync-loop.js';
import type { PodUpdate } from '../../types/pod-update.js';
import type { SyncHandler } from '../sync-handler.js';
import { dispatchConfig, handlePlegEvent, housekeeping, iterate, monitored, syncDuePods } from '../sync-loop-parts.js';
import { syncHandler } from '../v1.21/sync-loop.js';
import type { KubeletHandle } from '../v1.21/types.js';

/**
 * Ends only when configCh is closed. Another goroutine writes the readiness, and the loop does not learn of it.
 * upstream: v1.12 pkg/kubelet/kubelet.go (*Kubelet).syncLoop
 */
export function syncLoop(kl: KubeletHandle, configCh: Chan<PodUpdate>): Go<void> {
  kl.kernel.go('updateReadiness', () => frame('updateReadiness', undefined, () => updateReadiness(kl)), {
    daemon: true,
  });
  // Nothing remembers when containers started.
  const { noteEvent: _, ...handler } = syncHandler(kl);
  return frame('syncLoop', undefined, () =>
    iterate(kl, configCh, (channels) => syncLoopIteration(kl, handler, channels)),
  );
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
 * Takes one message from one of five channels and handles it. Returns false if configCh is closed.
 * upstream: v1.12 pkg/kubelet/kubelet.go (*Kubelet).syncLoopIteration
 */
export function syncLoopIteration(kl: KubeletHandle, handler: SyncHandler, channels: LoopChannels): Go<boolean> {
  const [before, after] = monitored(kl);
  return frame('syncLoopIteration', before, () => takeOne(kl, handler, channels), after);
}

function* takeOne(kl: KubeletHandle, handler: SyncHandler, channels: LoopChannels): Go<boolean> {
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
      if ((r.value.op as string) === 'RESTORE') yield* restore(kl, handler, r.value);
      else yield* dispatchConfig(kl, handler, r.value);
      break;
    case 'plegCh':
      if (r.ok) handlePlegEvent(kl, handler, r.value);
      break;
    case 'syncCh':
      syncDuePods(kl, handler, 'SyncLoop (SYNC)');
      break;
    case 'livenessManager': {
      if (!r.ok || r.value.result !== 'Failure') break;
      // The pod may have changed since its probe ran.
      const pod = kl.podManager.getPodByUID(r.value.podUID);
      if (!pod) {
        log.info(4, 'SyncLoop (container unhealthy): ignore irrelevant update', { podUID: r.value.podUID });
        break;
      }
      log.info(1, 'SyncLoop (container unhealthy)', { pod: kObj(pod) });
      handler.handlePodSyncs([pod]);
      break;
    }
    case 'housekeepingCh':
      yield* housekeeping(kl, handler);
      break;
  }
  return true;
}

/**
 * Pods of a checkpoint are new pods, but may not be all of their source, which does not become ready. Nothing here
 * makes checkpoints: no source sends it by itself. upstream: v1.12 within pkg/kubelet/kubelet.go
 * (*Kubelet).syncLoopIteration
 */
function* restore(kl: KubeletHandle, handler: SyncHandler, { source, pods }: PodUpdate): Go<void> {
  const podUIDs = pods.map((pod) => pod.metadata.uid);
  kl.log.info(2, 'SyncLoop RESTORE', { source, pods: pods.map(kObj), podUIDs });
  yield* handler.handlePodAdditions(pods);
  kl.volumeManager.podsChanged();
}
