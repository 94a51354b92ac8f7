import type { PodSyncResult } from './container/sync-result.js';

/**
 * The reason why a container did not start: the error's short name and its text.
 * upstream: reason_cache.go ReasonItem
 */
export interface ReasonItem {
  readonly reason: string;
  readonly message: string;
}

/** upstream: reason_cache.go maxReasonCacheEntries */
export const maxReasonCacheEntries = 1000;

/**
 * The last start failure of each container, for the waiting reason in the pod's status. Only StartContainer results
 * count: an error is kept, a success forgets. Least recently used entries go first.
 * upstream: reason_cache.go ReasonCache
 */
export class ReasonCache {
  /** In order of use, oldest first. */
  private readonly entries = new Map<string, ReasonItem>();

  /** upstream: (*ReasonCache).Update */
  update(uid: string, result: PodSyncResult): void {
    for (const r of result.syncResults) {
      if (r.action !== 'StartContainer') continue;
      if (r.error) this.add(uid, r.target, { reason: r.error.message, message: r.message });
      else this.remove(uid, r.target);
    }
  }

  /** upstream: (*ReasonCache).Get */
  get(uid: string, name: string): ReasonItem | undefined {
    const key = composeKey(uid, name);
    const item = this.entries.get(key);
    if (item) {
      this.entries.delete(key);
      this.entries.set(key, item);
    }
    return item;
  }

  /** upstream: (*ReasonCache).Remove */
  remove(uid: string, name: string): void {
    this.entries.delete(composeKey(uid, name));
  }

  private add(uid: string, name: string, item: ReasonItem): void {
    const key = composeKey(uid, name);
    this.entries.delete(key);
    this.entries.set(key, item);
    if (this.entries.size > maxReasonCacheEntries) this.entries.delete(this.entries.keys().next().value as string);
  }
}

const composeKey = (uid: string, name: string): string => `${uid}_${name}`;
