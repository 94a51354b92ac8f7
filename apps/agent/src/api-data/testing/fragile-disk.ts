import type { Disk, DiskFile } from '../disk.js';

/** The machine is dead: nothing that the disk is asked has an effect any more. */
export class PowerCut extends Error {
  override readonly name = 'PowerCut';
}

type Call = 'open' | 'remove' | 'write' | 'truncate' | 'sync';

/** Bytes that a disk writes whole or not at all. */
const sector = 512;

/** A change of a file that is not sure to be on the disk yet. */
type Unsure =
  | { readonly kind: 'write'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly size: number };

class Content {
  /** The bytes that programs see. */
  seen = new Uint8Array(0);
  /** The bytes after a power cut, without the unsure changes. */
  safe = new Uint8Array(0);
  unsure: Unsure[] = [];
}

function written(content: Uint8Array, change: Unsure): Uint8Array<ArrayBuffer> {
  const size = change.kind === 'truncate' ? change.size : Math.max(content.length, change.at + change.bytes.length);
  const next = new Uint8Array(size);
  next.set(content.subarray(0, size));
  if (change.kind === 'write') next.set(change.bytes, change.at);
  return next;
}

/** Yields the sectors of a write that `keep` wants. */
function* torn(change: Unsure, keep: () => boolean): Generator<Unsure> {
  if (change.kind === 'truncate') {
    if (keep()) yield change;
    return;
  }
  for (let at = 0; at < change.bytes.length; ) {
    const end = Math.min(change.bytes.length, at + sector - ((change.at + at) % sector));
    if (keep()) yield { kind: 'write', at: change.at + at, bytes: change.bytes.slice(at, end) };
    at = end;
  }
}

/**
 * A disk in memory whose calls are counted. Before the call of that number (the first is 0) `trouble` may throw: its
 * error goes to the caller, and the call has no effect; after a {@link PowerCut} all others get it, too.
 */
export class FragileDisk implements Disk {
  calls = 0;
  /** Names that are on the disk; made and removed ones at once, as `Disk` promises. */
  private files = new Map<string, Content>();
  private dead = false;

  constructor(private readonly trouble: (call: number, what: Call) => void = () => {}) {}

  /** A disk with these files, by path. */
  static of(files: ReadonlyMap<string, Uint8Array>, trouble?: (call: number, what: Call) => void): FragileDisk {
    const disk = new FragileDisk(trouble);
    for (const [path, bytes] of files) {
      const content = new Content();
      content.safe = content.seen = new Uint8Array(bytes);
      disk.files.set(path, content);
    }
    return disk;
  }
  /** The files by path, as programs see them. */
  contents(): Map<string, Uint8Array> {
    return new Map([...this.files].map(([path, { seen }]) => [path, seen]));
  }

  private call(what: Call): void {
    if (this.dead) throw new PowerCut('the machine is off');
    try {
      this.trouble(this.calls++, what);
    } catch (err) {
      if (err instanceof PowerCut) this.dead = true;
      throw err;
    }
  }
  exists(path: string): boolean {
    return this.files.has(path);
  }
  remove(path: string): void {
    this.call('remove');
    if (!this.files.delete(path)) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
  }
  open(path: string, create: boolean): DiskFile {
    this.call('open');
    let found = this.files.get(path);
    if (!found) {
      if (!create) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
      found = new Content();
      this.files.set(path, found);
    }
    const content = found;
    const change = (what: Unsure) => {
      content.seen = written(content.seen, what);
      content.unsure.push(what);
    };
    return {
      // Reading is not counted: it changes nothing.
      read: (into, at) => {
        const got = content.seen.subarray(at, at + into.length);
        into.set(got);
        return got.length;
      },
      write: (bytes, at) => {
        const what = { kind: 'write', at, bytes: bytes.slice() } as const;
        try {
          this.call('write');
        } catch (err) {
          // Some of it may have gone out before.
          if (!(err instanceof PowerCut && err.message === 'the machine is off')) content.unsure.push(what);
          throw err;
        }
        change(what);
      },
      truncate: (size) => {
        this.call('truncate');
        change({ kind: 'truncate', size });
      },
      sync: () => {
        this.call('sync');
        content.safe = content.seen;
        content.unsure = [];
      },
      size: () => content.seen.length,
      close() {},
    };
  }

  /**
   * Returns the disk when the machine is on again: of what was not synced, the parts that `keep` wants, a sector at a
   * time.
   */
  afterPowerCut(keep: () => boolean, trouble?: (call: number, what: Call) => void): FragileDisk {
    const disk = new FragileDisk(trouble);
    for (const [path, { safe, unsure }] of this.files) {
      const content = new Content();
      content.safe = safe;
      for (const change of unsure) for (const part of torn(change, keep)) content.safe = written(content.safe, part);
      content.seen = content.safe;
      disk.files.set(path, content);
    }
    return disk;
  }
}
