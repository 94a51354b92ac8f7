import { fnv32a, utf8Bytes } from '../../base/index.js';
import { type Go, type Kernel, Mutex } from '../../kernel/index.js';

/** upstream: NewStripedLockSet, the most there are */
const mostLocks = 31;

/**
 * A lock for each name without a lock kept for each: names that fall together wait for one another, too. `size` is
 * brought to between 1 and 31.
 * upstream: pkg/kubelet/images/pullmanager StripedLockSet
 */
export class StripedLockSet {
  private readonly locks: readonly Mutex[];
  constructor(kernel: Kernel, name: string, size: number) {
    this.locks = Array.from({ length: Math.min(mostLocks, Math.max(1, size)) }, (_, i) => {
      return new Mutex(kernel, `${name} ${i}`);
    });
  }

  private lockOf(key: string): Mutex {
    return this.locks[fnv32a(utf8Bytes(key)) % this.locks.length] as Mutex;
  }

  /** Runs `work` with the lock of `key` held. upstream: (*StripedLockSet).Lock, Unlock */
  *with<T>(key: string, work: () => Go<T>): Go<T> {
    const lock = this.lockOf(key);
    yield* lock.lock();
    try {
      return yield* work();
    } finally {
      lock.unlock();
    }
  }

  /** Runs `work` with all locks held. upstream: (*StripedLockSet).GlobalLock, GlobalUnlock */
  *withAll<T>(work: () => Go<T>): Go<T> {
    // Always in this order, so that two who want all never wait for each other.
    let held = 0;
    try {
      for (; held < this.locks.length; held++) yield* (this.locks[held] as Mutex).lock();
      return yield* work();
    } finally {
      while (held > 0) (this.locks[--held] as Mutex).unlock();
    }
  }
}
