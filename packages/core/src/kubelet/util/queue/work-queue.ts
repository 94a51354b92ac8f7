import type { Kernel } from '../../../kernel/index.js';
import type { Micros, Seq } from '../../../trace/index.js';

/** A pod's next turn. `seq`: the trace record that says so, 0 if none does. */
export interface WorkItem {
  readonly uid: string;
  readonly due: Micros;
  readonly why: string;
  readonly seq: Seq;
}

/**
 * Keeps the pods that are to be synced again, and the times.
 * upstream: pkg/kubelet/util/queue/work_queue.go WorkQueue
 */
export class WorkQueue {
  private readonly queue = new Map<string, WorkItem>();
  constructor(private readonly kernel: Kernel) {}

  /**
   * Makes the pod due `delay` from now, and replaces an earlier entry. `record` makes the trace record.
   * upstream: (*basicWorkQueue).Enqueue
   */
  enqueue(uid: string, delay: Micros, why = '', record?: (due: Micros) => Seq): void {
    const due = Math.round(this.kernel.now() + delay);
    this.queue.set(uid, { uid, due, why, seq: record?.(due) ?? 0 });
  }

  /** Takes out everything due strictly before now, in no promised order. upstream: (*basicWorkQueue).GetWork */
  getWork(): WorkItem[] {
    const now = this.kernel.now();
    const items = [...this.queue.values()].filter((item) => item.due < now);
    for (const { uid } of items) this.queue.delete(uid);
    return items;
  }

  /** A copy of its entries, for display. */
  snapshot(): WorkItem[] {
    return [...this.queue.values()];
  }
}
