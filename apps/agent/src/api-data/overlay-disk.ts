/** A disk for trials: reads another one, and keeps all writes in memory. */
import type { Disk, DiskFile } from './disk.js';

const pageSize = 4096;

/** A file as it would be: its size, the pages that were written, and below them the file itself. */
class Layer {
  readonly pages = new Map<number, Uint8Array>();
  constructor(
    readonly below: DiskFile | null,
    public size: number,
    /** Bytes of the file below that are still seen. */
    public seen: number,
  ) {}

  page(index: number): Uint8Array {
    let page = this.pages.get(index);
    if (!page) {
      page = new Uint8Array(pageSize);
      const at = index * pageSize;
      if (at < this.seen) this.below?.read(page.subarray(0, Math.min(pageSize, this.seen - at)), at);
      this.pages.set(index, page);
    }
    return page;
  }

  read(into: Uint8Array, at: number): number {
    const length = Math.max(0, Math.min(into.length, this.size - at));
    for (let done = 0; done < length; ) {
      const index = Math.floor((at + done) / pageSize);
      const within = (at + done) % pageSize;
      const part = into.subarray(done, Math.min(length, done + pageSize - within));
      const page = this.pages.get(index);
      if (page) part.set(page.subarray(within, within + part.length));
      else {
        const below = Math.max(0, Math.min(part.length, this.seen - at - done));
        const got = below > 0 ? (this.below?.read(part.subarray(0, below), at + done) ?? 0) : 0;
        part.fill(0, got);
      }
      done += part.length;
    }
    return length;
  }

  write(bytes: Uint8Array, at: number): void {
    for (let done = 0; done < bytes.length; ) {
      const within = (at + done) % pageSize;
      const part = bytes.subarray(done, Math.min(bytes.length, done + pageSize - within));
      this.page(Math.floor((at + done) / pageSize)).set(part, within);
      done += part.length;
    }
    this.size = Math.max(this.size, at + bytes.length);
  }

  truncate(size: number): void {
    for (const index of [...this.pages.keys()]) if (index * pageSize >= size) this.pages.delete(index);
    // Bytes beyond the new end must read as zeros if the file grows again.
    if (size % pageSize !== 0 && size < this.size) this.page(Math.floor(size / pageSize)).fill(0, size % pageSize);
    this.seen = Math.min(this.seen, size);
    this.size = size;
  }
}

/** A disk without files. */
const noDisk: Disk = {
  exists: () => false,
  remove(path) {
    throw notThere(path);
  },
  open(path) {
    throw notThere(path);
  },
};

/** A disk in memory with one file. */
export function memoryDisk(path: string, bytes: Uint8Array): OverlayDisk {
  const disk = new OverlayDisk(noDisk);
  disk.open(path, true).write(bytes, 0);
  return disk;
}

const notThere = (path: string) => Object.assign(new Error(`ENOENT: no such file '${path}'`), { code: 'ENOENT' });

export class OverlayDisk implements Disk {
  /** Layers by path; null: removed. */
  private readonly layers = new Map<string, Layer | null>();

  constructor(private readonly below: Disk) {}

  exists(path: string): boolean {
    const layer = this.layers.get(path);
    return layer === undefined ? this.below.exists(path) : layer !== null;
  }

  remove(path: string): void {
    if (!this.exists(path)) throw notThere(path);
    this.layers.get(path)?.below?.close();
    this.layers.set(path, null);
  }

  open(path: string, create: boolean): DiskFile {
    let layer = this.layers.get(path);
    if (!layer) {
      if (layer === undefined && this.below.exists(path)) {
        const file = this.below.open(path, false);
        const size = file.size();
        layer = new Layer(file, size, size);
      } else if (create) layer = new Layer(null, 0, 0);
      else throw notThere(path);
      this.layers.set(path, layer);
    }
    const opened = layer;
    return {
      read: (into, at) => opened.read(into, at),
      write: (bytes, at) => opened.write(bytes, at),
      truncate: (size) => opened.truncate(size),
      sync() {},
      size: () => opened.size,
      close() {},
    };
  }

  /** Closes the files below. */
  close(): void {
    for (const layer of this.layers.values()) layer?.below?.close();
    this.layers.clear();
  }
}
