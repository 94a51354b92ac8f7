import type { CRIServices } from '../../cri/index.js';
import type { Context, Go } from '../../kernel/index.js';
import { featureEnabled } from '../features.js';
import { ImageGCManager, type ImageGCManagerDeps, imageGCPolicy } from '../images/image-gc-manager.js';
import type { ImagePullManager } from '../images/pull-manager.js';
import type { CRIStatsProvider } from '../stats/cri-stats-provider.js';
import type { Foundation } from './types.js';

/** Bytes of the file system mounted at a path; null: not known. */
export type FsStats = (mountpoint: string) => Go<{ available: number; capacity: number } | null>;

export interface ImageGCParts {
  readonly containerRuntime: ImageGCManagerDeps['runtime'] & {
    readonly imagePuller: { readonly imagePullManager: Pick<ImagePullManager, 'pruneUnknownRecords'> };
  };
  readonly services: CRIServices;
  /** Null: the node is not measured; `fsStats` is used then, or else capacity less the runtime's use. */
  readonly stats: { readonly provider: Pick<CRIStatsProvider, 'imageFsStats'> } | null;
  readonly deps: { readonly fsStats?: FsStats };
}

/** upstream: images.NewImageGCManager */
export function newImageGCManager(
  { kernel, config, nodeInfo, recorder, parts }: Foundation,
  { containerRuntime, services, stats, deps }: ImageGCParts,
): ImageGCManager {
  return new ImageGCManager({
    kernel,
    runtime: containerRuntime,
    imageService: services,
    recorder,
    nodeInfo,
    nodeName: config.nodeName,
    policy: imageGCPolicy(config),
    parts,
    fsStats: stats
      ? function* (ctx) {
          const { availableBytes = 0, capacityBytes = 0 } = yield* stats.provider.imageFsStats(ctx);
          return { available: availableBytes, capacity: capacityBytes };
        }
      : (ctx) => imageFsStats(services, ctx, nodeInfo.imageFsCapacityBytes, deps.fsStats),
    ...(featureEnabled(config, 'KubeletEnsureSecretPulledImages') && {
      postGC: (remaining, began) => containerRuntime.imagePuller.imagePullManager.pruneUnknownRecords(remaining, began),
    }),
  });
}

/**
 * Returns the free space on the file system of the images, as far as it is known without statistics.
 * upstream: stats/cri_stats_provider.go ImageFsStats
 */
function* imageFsStats(
  services: Pick<CRIServices, 'imageFsInfo'>,
  ctx: Context,
  capacity: number | undefined,
  fsStats: FsStats | undefined,
): Go<{ available: number; capacity: number } | null> {
  if (capacity === undefined && !fsStats) return null;
  const [fs] = (yield* services.imageFsInfo(ctx, {})).imageFilesystems ?? [];
  if (!fs) throw new Error('imageFs information is unavailable');
  if (fsStats) return yield* fsStats(fs.fsId?.mountpoint ?? '');
  return { capacity: capacity ?? 0, available: Math.max(0, (capacity ?? 0) - Number(fs.usedBytes?.value ?? 0)) };
}
