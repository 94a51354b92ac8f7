import { messageOf } from '../../base/index.js';
import type { Image, ImageService } from '../../cri/index.js';
import type { NodeInfo } from '../../host/os.js';
import {
  background,
  type Context,
  formatDuration,
  frame,
  type Go,
  type Kernel,
  Minute,
  receive,
  Second,
  Ticker,
} from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import { AggregateSyncError } from '../container/sync-result.js';
import type { ContainerID, Runtime, Status } from '../container/types.js';
import type { EventRecorder } from '../events.js';
import { Logger } from '../klog.js';
import { metricsOf } from '../metrics/kubelet-metrics.js';
import type { KubeletParts } from '../parts/types.js';

/** Percentages and ages. upstream: ImageGCPolicy */
export interface ImageGCPolicy {
  readonly highThresholdPercent: number;
  readonly lowThresholdPercent: number;
  readonly minAge: Micros;
  /** Images not used for longer go whatever the disk's usage; 0: never. */
  readonly maxAge: Micros;
}

/** upstream: imageGCHighThresholdPercent and its siblings (fidelity 2:M-14) */
export const defaultImageGCPolicy: ImageGCPolicy = {
  highThresholdPercent: 85,
  lowThresholdPercent: 80,
  minAge: 2 * Minute,
  maxAge: 0,
};

/** Returns the policy of a configuration. upstream: within NewMainKubelet */
export const imageGCPolicy = (config: {
  readonly imageGCHighThresholdPercent?: number;
  readonly imageGCLowThresholdPercent?: number;
  readonly imageMinimumGCAge?: Micros;
  readonly imageMaximumGCAge?: Micros;
}): ImageGCPolicy => ({
  highThresholdPercent: config.imageGCHighThresholdPercent ?? defaultImageGCPolicy.highThresholdPercent,
  lowThresholdPercent: config.imageGCLowThresholdPercent ?? defaultImageGCPolicy.lowThresholdPercent,
  minAge: config.imageMinimumGCAge ?? defaultImageGCPolicy.minAge,
  maxAge: config.imageMaximumGCAge ?? defaultImageGCPolicy.maxAge,
});

export interface ImageGCManagerDeps {
  readonly kernel: Kernel;
  readonly runtime: Pick<Runtime, 'getPods'> & { getContainerStatus(ctx: Context, id: ContainerID): Go<Status> };
  readonly imageService: ImageService;
  readonly recorder: EventRecorder;
  readonly nodeInfo?: NodeInfo;
  readonly nodeName: string;
  readonly policy?: ImageGCPolicy;
  /** Parts that other code decides in. */
  readonly parts?: KubeletParts;
  /**
   * Returns the bytes of the file system that holds the images; null (the default): unknown, and no threshold is
   * checked.
   */
  readonly fsStats?: (ctx: Context) => Go<{ available: number; capacity: number } | null>;
  /**
   * Called after a pass that freed space, with the ids of the unused images that it left, and the time when it began.
   * upstream: PostImageGCHook
   */
  readonly postGC?: (remainingImages: readonly string[], began: Micros) => Go<void>;
}

/** upstream: imageRecord */
interface ImageRecord {
  readonly firstDetected: Micros;
  /** -Infinity: never. */
  lastUsed: Micros;
  size: number;
  pinned: boolean;
}
interface EvictionInfo extends Readonly<ImageRecord> {
  readonly id: string;
}

/**
 * Removes unused images when the disk is full.
 * upstream: pkg/kubelet/images/image_gc_manager.go realImageGCManager
 */
export class ImageGCManager {
  private readonly log: Logger;
  private readonly policy: ImageGCPolicy;
  private readonly imageRecords = new Map<string, ImageRecord>();
  private imageCache: Image[] = [];
  /** The ids of the images that were in use when last looked at. */
  private inUse: ReadonlySet<string> = new Set();
  private readonly began: Micros;

  constructor(readonly deps: ImageGCManagerDeps) {
    this.log = new Logger(deps.kernel, 'image_gc_manager.go');
    this.policy = deps.policy ?? defaultImageGCPolicy;
    this.began = deps.kernel.now();
    const { highThresholdPercent: high, lowThresholdPercent: low } = this.policy;
    if (high < 0 || high > 100) throw new RangeError(`invalid HighThresholdPercent ${high}, must be in range [0-100]`);
    if (low < 0 || low > 100) throw new RangeError(`invalid LowThresholdPercent ${low}, must be in range [0-100]`);
    if (low > high)
      throw new RangeError(`LowThresholdPercent ${low} can not be higher than HighThresholdPercent ${high}`);
  }

  /** Starts its goroutines: detection every 5 min, the list of images every 30 s, both at once first. */
  start(): void {
    this.every('imageDetector', 5 * Minute, 'Failed to monitor images', () =>
      this.detectImages(background, this.deps.kernel.now()),
    );
    this.every('imageCache', 30 * Second, 'Failed to update image list', () => this.updateImageCache());
  }

  private every(name: string, period: Micros, onError: string, body: () => Go<unknown>): void {
    const { kernel } = this.deps;
    const { log } = this;
    kernel.go(
      name,
      function* () {
        const ticker = new Ticker(kernel, period, { name: `${name}Ticker` });
        for (;;) {
          try {
            yield* body();
          } catch (err) {
            log.info(0, onError, { err: messageOf(err) });
          }
          yield* receive(ticker.c);
        }
      },
      { place: 'images', daemon: true },
    );
  }

  private *updateImageCache(): Go<void> {
    const images = (yield* this.deps.imageService.listImages(background, {})).images ?? [];
    this.imageCache = images.toSorted((a, b) => Number(b.size ?? 0) - Number(a.size ?? 0));
  }

  /** Returns the images, the largest first, at most 30 s old; for the node's status. upstream: GetImageList */
  getImageList(): readonly Image[] {
    return this.imageCache;
  }

  /**
   * Returns the IDs of the images that containers use, dead ones too, and updates the record of each image.
   * upstream: detectImages
   */
  private *detectImages(ctx: Context, detectTime: Micros): Go<Set<string>> {
    const { kernel, runtime, imageService } = this.deps;
    const images = (yield* imageService.listImages(ctx, {})).images ?? [];
    const inUse = new Set<string>();
    for (const pod of yield* runtime.getPods(ctx, true))
      for (const container of pod.containers) {
        // Image volumes are only seen in the container's mounts.
        let status: Status;
        try {
          status = yield* runtime.getContainerStatus(ctx, container.id);
        } catch (err) {
          throw new Error(`get container status: runtime container status: ${messageOf(err)}`, { cause: err });
        }
        for (const mount of status.mounts ?? []) if (mount.image?.image) inUse.add(mount.image.image);
        inUse.add(container.imageID);
      }
    const now = kernel.now();
    const current = new Set<string>();
    for (const image of images) {
      const id = image.id ?? '';
      current.add(id);
      const record = this.imageRecords.get(id) ?? {
        firstDetected: detectTime,
        lastUsed: Number.NEGATIVE_INFINITY,
        size: 0,
        pinned: false,
      };
      if (inUse.has(id)) record.lastUsed = now;
      record.size = Number(image.size ?? 0);
      record.pinned = image.pinned ?? false;
      this.imageRecords.set(id, record);
    }
    for (const id of [...this.imageRecords.keys()]) if (!current.has(id)) this.imageRecords.delete(id);
    this.inUse = inUse;
    return inUse;
  }

  /**
   * Makes one pass (the kubelet does so every 5 min); throws with upstream's text if it frees too little (fidelity
   * 2:M-15).
   * upstream: pkg/kubelet/images/image_gc_manager.go (*realImageGCManager).GarbageCollect
   */
  *garbageCollect(ctx: Context): Go<void> {
    yield* frame('Images/GarbageCollect', undefined, () => this.run(ctx));
  }

  private *run(ctx: Context): Go<void> {
    const { kernel, fsStats } = this.deps;
    const { highThresholdPercent, lowThresholdPercent } = this.policy;
    const freeTime = kernel.now();
    const images = yield* this.freeOldImages(ctx, yield* this.imagesInEvictionOrder(ctx, freeTime), freeTime);
    const stats = fsStats ? yield* fsStats(ctx) : null;
    if (stats === null) return;
    const { capacity } = stats;
    let { available } = stats;
    if (available > capacity) {
      this.log.info(0, 'Availability is larger than capacity', { available, capacity });
      available = capacity;
    }
    if (capacity === 0) {
      const text = 'invalid capacity 0 on image filesystem';
      this.nodeEvent('InvalidDiskCapacity', text);
      throw new Error(text);
    }
    const usage = 100 - Math.floor((available * 100) / capacity);
    const over = usage >= highThresholdPercent;
    kernel.emit({
      kind: 'decision',
      rule: 'imageGC',
      verdict: over ? 'free space' : 'enough space',
      values: { usage, highThresholdPercent, available, capacity },
    });
    if (!over) return;
    const amountToFree = Math.floor((capacity * (100 - lowThresholdPercent)) / 100) - available;
    this.log.info(
      0,
      'Disk usage on image filesystem is over the high threshold, trying to free bytes down to the low threshold',
      {
        usage,
        highThreshold: highThresholdPercent,
        amountToFree,
        lowThreshold: lowThresholdPercent,
      },
    );
    const { freed, left } = yield* this.freeSpace(ctx, amountToFree, freeTime, images);
    yield* this.runPostGCHook(left, freeTime);
    if (freed >= amountToFree) return;
    const text =
      `Insufficient free disk space on the node's image filesystem (${usage}% of ${formatSize(capacity)} used). ` +
      `Failed to free sufficient space by deleting unused images (freed ${freed} bytes). ` +
      'Investigate disk usage, as it could be used by active images, logs, volumes, or other data.';
    this.nodeEvent('FreeDiskSpaceFailed', text);
    throw new Error(text);
  }

  /** Removes all unused images, for the eviction manager. upstream: DeleteUnusedImages */
  *deleteUnusedImages(ctx: Context): Go<void> {
    this.log.info(0, 'Attempting to delete unused images');
    const freeTime = this.deps.kernel.now();
    const images = yield* this.imagesInEvictionOrder(ctx, freeTime);
    const { left } = yield* this.freeSpace(ctx, Number.POSITIVE_INFINITY, freeTime, images);
    yield* this.runPostGCHook(left, freeTime);
  }

  /** upstream: runPostGCHooks */
  private *runPostGCHook(left: readonly string[], began: Micros): Go<void> {
    if (this.deps.postGC) yield* this.deps.postGC(left, began);
  }

  /**
   * Returns the images that are unused and not pinned, the least recently used first.
   * upstream: imagesInEvictionOrder
   */
  private *imagesInEvictionOrder(ctx: Context, freeTime: Micros): Go<EvictionInfo[]> {
    const inUse = yield* this.detectImages(ctx, freeTime);
    return [...this.imageRecords]
      .filter(([id, record]) => !inUse.has(id) && !record.pinned)
      .map(([id, record]) => ({ id, ...record }))
      .sort((a, b) => (a.lastUsed === b.lastUsed ? a.firstDetected - b.firstDetected : a.lastUsed - b.lastUsed));
  }

  /** upstream: freeOldImages */
  private *freeOldImages(ctx: Context, images: readonly EvictionInfo[], freeTime: Micros): Go<readonly EvictionInfo[]> {
    const { maxAge } = this.policy;
    // A young kubelet does not know yet what is in use.
    if (maxAge === 0 || freeTime - this.began <= maxAge) return images;
    const chosen = this.chosenByPart(0, maxAge, freeTime);
    const old = chosen ?? images.filter(({ lastUsed }) => freeTime - lastUsed > maxAge);
    const errors: Error[] = [];
    for (const image of old) {
      const err = yield* this.freeImage(ctx, image, 'age');
      if (err) errors.push(err);
    }
    if (errors.length > 0)
      throw new Error(
        `wanted to free images older than ${formatDuration(maxAge)}, encountered errors in image deletion: ${new AggregateSyncError(errors).message}`,
      );
    return without(images, old);
  }

  /**
   * Frees space; returns the bytes, and the images that were looked at and left. Images after enough was freed are not
   * looked at, and so upstream does not count it as left.
   * upstream: freeSpace
   */
  private *freeSpace(
    ctx: Context,
    bytesToFree: number,
    freeTime: Micros,
    images: readonly EvictionInfo[],
  ): Go<{ readonly freed: number; readonly left: readonly string[] }> {
    let freed = 0;
    const chosen = this.chosenByPart(bytesToFree, null, freeTime);
    const wanted = chosen ?? images;
    const left = without(images, wanted).map(({ id }) => id);
    // A part has looked at ages and sizes itself.
    const enough = chosen ? Number.POSITIVE_INFINITY : bytesToFree;
    const isTooYoung = ({ lastUsed, firstDetected }: EvictionInfo) =>
      !chosen && (lastUsed >= freeTime || freeTime - firstDetected < this.policy.minAge);
    const errors: Error[] = [];
    for (const image of wanted) {
      // The image may have been pulled for a container that is about to start.
      if (isTooYoung(image)) {
        left.push(image.id);
        continue;
      }
      const err = yield* this.freeImage(ctx, image, 'space');
      if (err) {
        errors.push(err);
        left.push(image.id);
        continue;
      }
      freed += image.size;
      if (freed >= enough) break;
    }
    if (errors.length > 0)
      throw new Error(
        `wanted to free ${Number.isFinite(bytesToFree) ? bytesToFree : maxInt64} bytes, but freed ${freed} bytes space with errors in image deletion: ${new AggregateSyncError(errors).message}`,
      );
    return { freed, left };
  }

  /** Returns the images that a replaced part chose, in its order; null if the part is not replaced. */
  private chosenByPart(bytesToFree: number, maxAge: Micros | null, freeTime: Micros): EvictionInfo[] | null {
    const part = this.deps.parts?.imageGC;
    if (!part) return null;
    const ids = part({
      images: [...this.imageRecords].map(([id, { size, pinned, firstDetected, lastUsed }]) => ({
        id,
        size,
        pinned,
        inUse: this.inUse.has(id),
        age: freeTime - firstDetected,
        unusedFor: Number.isFinite(lastUsed) ? Math.max(0, freeTime - lastUsed) : null,
      })),
      bytesToFree: Number.isFinite(bytesToFree) ? bytesToFree : null,
      minAge: this.policy.minAge,
      maxAge,
    });
    return ids.flatMap((id) => {
      const record = this.imageRecords.get(id);
      return record ? [{ id, ...record }] : [];
    });
  }

  /** upstream: freeImage */
  private *freeImage(ctx: Context, image: EvictionInfo, reason: 'age' | 'space'): Go<Error | null> {
    this.log.info(0, 'Removing image to free bytes', { imageID: image.id, size: image.size, runtimeHandler: '' });
    try {
      yield* this.deps.imageService.removeImage(ctx, { image: { image: image.id } });
    } catch (err) {
      return err instanceof Error ? err : new Error(messageOf(err));
    }
    this.imageRecords.delete(image.id);
    metricsOf(this.deps.kernel).imageGarbageCollected.add(1, { reason });
    return null;
  }

  private nodeEvent(reason: string, text: string): void {
    const { recorder, nodeName } = this.deps;
    recorder.event({ metadata: { name: nodeName, namespace: '', uid: nodeName } }, 'Warning', reason, text, '', 'Node');
  }
}

/** Written as upstream says how much is wanted if there is no bound. upstream: math.MaxInt64 */
const maxInt64 = 2n ** 63n - 1n;

/** upstream: formatSize */
function formatSize(bytes: number): string {
  let size = bytes;
  if (size < 1024) return `${size} B`;
  for (const unit of ['KiB', 'MiB', 'GiB']) {
    size /= 1024;
    if (size < 1024) return `${size.toFixed(1)} ${unit}`;
  }
  return `${(size / 1024).toFixed(1)} TiB`;
}

/** Returns the images that are not among the others. */
function without(images: readonly EvictionInfo[], others: readonly EvictionInfo[]): EvictionInfo[] {
  const ids = new Set(others.map(({ id }) => id));
  return images.filter(({ id }) => !ids.has(id));
}
