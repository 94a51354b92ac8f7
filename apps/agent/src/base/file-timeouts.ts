/** Limits how long the process waits for file systems that may never answer, such as one of a network that is gone. */
import { dirname } from 'node:path';

/** How long a file system may take, ms. Those of networks answer a hundred times faster, or not at all. */
const timeoutMillis = 10_000;
/** Threads that one path and one folder may hold: of Node's four, some must be left for all others. */
const mostOfPath = 1;
const mostOfFolder = 2;

/** An error as Node's own. */
const silent = (path: string, why: string) =>
  Object.assign(new Error(`${path}: the file system does not answer${why}`), { code: 'ETIMEDOUT' });

/**
 * Gives up on what takes too long. The call itself cannot be ended, and holds one of Node's few threads: as long as one
 * does, nobody else waits for the same path; and as long as two in a folder do, nobody waits for anything there.
 */
export class FileTimeouts {
  /** How many calls were given up and still go on, by path, and by folder with a slash at its end. */
  private readonly stuck = new Map<string, number>();
  constructor(private readonly millis = timeoutMillis) {}

  /** What `work` on `path` comes to. Rejects with ETIMEDOUT where it takes too long, or something beside it does. */
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
