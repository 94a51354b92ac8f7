import type { Kernel } from '../../../kernel/index.js';
import type { Micros } from '../../../trace/index.js';

/** Which pods are to be synced again, and when. upstream: pkg/kubelet/util/queue/work_queue.go WorkQueue */
export class WorkQueue {
  private readonly queue = new Map<string, Micros>();
  constructor(private readonly kernel: Kernel) {}

  /** Due `delay` from now, whatever was said before. Returns when that is. upstream: (*basicWorkQueue).Enqueue */
  enqueue(uid: string, delay: Micros): Micros {
    const due = Math.round(this.kernel.now() + delay);
    this.queue.set(uid, due);
    return due;
  }

  /** Takes out everything due strictly before now, in no promised order. upstream: (*basicWorkQueue).GetWork */
  getWork(): string[] {
    const now = this.kernel.now();
    const items: string[] = [];
    for (const [uid, due] of this.queue) {
      if (due < now) {
        items.push(uid);
        this.queue.delete(uid);
      }
    }
    return items;
  }

  /** What stands in it, for views. */
  snapshot(): { uid: string; due: Micros }[] {
    return [...this.queue].map(([uid, due]) => ({ uid, due }));
  }
}
