/** Limits how long the process waits for file systems that may never answer, such as those of a lost network. */
import { dirname } from 'node:path';

/** The longest time for a file system, ms. Network file systems answer a hundred times faster, or not at all. */
const timeoutMillis = 10_000;
/** Threads that one path and one folder may occupy: some of Node's four must be left for all others. */
const mostOfPath = 1;
const mostOfFolder = 2;

/** An error as Node's own. */
const silent = (path: string, why: string) =>
  Object.assign(new Error(`${path}: the file system does not answer${why}`), { code: 'ETIMEDOUT' });

/**
 * Gives up on calls that take too long. Such a call cannot be ended and occupies one of Node's few threads: as long as
 * one does, calls on the same path fail at once; as long as two in a folder do, all calls in that folder fail at once.
 */
export class FileTimeouts {
  /** The number of abandoned calls that still run, by path, and by folder with a slash at its end. */
  private readonly stuck = new Map<string, number>();
  constructor(private readonly millis = timeoutMillis) {}

  /** The result of `work` on `path`. Rejects with ETIMEDOUT if it takes too long, or if calls in its folder hang. */
  async wait<T>(path: string, work: () => Promise<T>): Promise<T> {
    const folder = dirname(path);
    if (this.held(path) >= mostOfPath || this.held(`${folder}/`) >= mostOfFolder) throw silent(path, '');
    const working = work();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.hold(`${folder}/`, working);
        this.hold(path, working);
        reject(silent(path, ` within ${this.millis / 1000} s`));
      }, this.millis);
    });
    try {
      return await Promise.race([working, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private held(place: string): number {
    return this.stuck.get(place) ?? 0;
  }

  private hold(place: string, working: Promise<unknown>): void {
    this.stuck.set(place, this.held(place) + 1);
    const over = () => {
      const left = this.held(place) - 1;
      if (left > 0) this.stuck.set(place, left);
      else this.stuck.delete(place);
    };
    working.then(over, over);
  }
}
