import { type Context, type Go, type Kernel, Mutex } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { Runtime, RuntimePod } from './types.js';

/** The running pods, listed at most every `cachePeriod`. upstream: pkg/kubelet/container/runtime_cache.go */
export class RuntimeCache {
  private pods: RuntimePod[] = [];
  private cacheTime: Micros | null = null;
  private readonly mutex: Mutex;
  constructor(
    private readonly kernel: Kernel,
    private readonly runtime: Pick<Runtime, 'getPods'>,
    private readonly cachePeriod: Micros,
  ) {
    this.mutex = new Mutex(kernel, 'runtimeCache');
  }

  /** Throws what the runtime throws. upstream: (*runtimeCache).GetPods */
  *getPods(ctx: Context): Go<RuntimePod[]> {
    yield* this.mutex.lock();
    try {
      if (this.cacheTime === null || this.kernel.now() - this.cacheTime > this.cachePeriod) yield* this.update(ctx);
      return this.pods;
    } finally {
      this.mutex.unlock();
    }
  }

  /** upstream: (*runtimeCache).ForceUpdateIfOlder */
  *forceUpdateIfOlder(ctx: Context, minExpectedCacheTime: Micros): Go<void> {
    yield* this.mutex.lock();
    try {
      if (this.cacheTime === null || this.cacheTime < minExpectedCacheTime) yield* this.update(ctx);
    } finally {
      this.mutex.unlock();
    }
  }

  private *update(ctx: Context): Go<void> {
    // The time before listing: what happens meanwhile counts as not seen.
    const timestamp = this.kernel.now();
    this.pods = yield* this.runtime.getPods(ctx, false);
    this.cacheTime = timestamp;
  }
}
