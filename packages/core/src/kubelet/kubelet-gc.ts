import { messageOf } from '../base/index.js';
import type { Kernel } from '../kernel/index.js';
import { type Context, frameSync, type Go, Minute, sleep } from '../kernel/index.js';
import type { SourcesReady } from './config/sources.js';
import type { KubeletConfig } from './config.js';
import type { EventRecorder } from './events.js';
import { EventReason } from './events.js';
import type { ImageGCManager } from './images/image-gc-manager.js';
import type { Logger } from './klog.js';
import { nodeReference } from './kubelet-node-status.js';

/** upstream: kubelet.go ContainerGCPeriod, ImageGCPeriod */
const ContainerGCPeriod = Minute;
const ImageGCPeriod = 5 * Minute;

/** The parts of the kubelet that garbage-collect containers and images. */
export interface GarbageCollectionDeps {
  readonly kernel: Kernel;
  readonly config: KubeletConfig;
  readonly log: Logger;
  readonly recorder: EventRecorder;
  readonly sourcesReady: SourcesReady;
  readonly containerRuntime: {
    garbageCollect(ctx: Context, allSourcesReady: boolean, evictNonDeletedPods: boolean): Go<void>;
  };
  readonly imageGCManager: Pick<ImageGCManager, 'garbageCollect'>;
}

/**
 * Starts the two collectors, before anything else runs (fidelity 3:BOOT-01).
 * upstream: pkg/kubelet/kubelet.go (*Kubelet).StartGarbageCollection
 */
export function startGarbageCollection(kl: GarbageCollectionDeps, ctx: Context): void {
  frameSync('StartGarbageCollection', undefined, () => startCollectors(kl, ctx));
}

function startCollectors(kl: GarbageCollectionDeps, ctx: Context): void {
  const { kernel, log, recorder, config } = kl;
  const nodeRef = nodeReference(config);
  kernel.go(
    'containerGC',
    function* () {
      let failedBefore = false;
      for (;;) {
        try {
          yield* kl.containerRuntime.garbageCollect(ctx, kl.sourcesReady.allReady(), false);
          log.info(failedBefore ? 1 : 4, 'Container garbage collection succeeded');
          failedBefore = false;
        } catch (err) {
          log.error(err, 'Container garbage collection failed');
          recorder.event(nodeRef, 'Warning', EventReason.ContainerGCFailed, messageOf(err), '', 'Node');
          failedBefore = true;
        }
        yield* sleep(ContainerGCPeriod);
      }
    },
    { place: 'containerGC', daemon: true },
  );
  if (config.imageGCHighThresholdPercent === 100 && !config.imageMaximumGCAge) {
    log.info(2, 'ImageGCHighThresholdPercent is set 100 and ImageMaximumGCAge is 0, Disable image GC');
    return;
  }
  kernel.go(
    'imageGC',
    function* () {
      let failedBefore = false;
      for (;;) {
        try {
          yield* kl.imageGCManager.garbageCollect(ctx);
          log.info(failedBefore ? 1 : 4, 'Image garbage collection succeeded');
          failedBefore = false;
        } catch (err) {
          if (failedBefore) {
            log.error(err, 'Image garbage collection failed multiple times in a row');
            recorder.event(nodeRef, 'Warning', EventReason.ImageGCFailed, messageOf(err), '', 'Node');
          } else
            log.error(err, 'Image garbage collection failed once. Stats initialization may not have completed yet');
          failedBefore = true;
        }
        yield* sleep(ImageGCPeriod);
      }
    },
    { place: 'images', daemon: true },
  );
}
