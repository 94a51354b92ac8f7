import { cloneState, type NodeState, type Seq } from '@syncloop/core/trace';

export interface FrameRingOptions {
  /** Most bytes of frames that are kept. Default 8 MiB: half a minute of a very busy node. */
  readonly maxBytes?: number;
  /** Bytes of frames after which a new state is kept. Default 1 MiB. */
  readonly segmentBytes?: number;
}

/** Frames that follow one another, and the state before the first of them. */
interface Segment {
  readonly state: NodeState;
  readonly first: number;
  readonly frames: Buffer[];
  bytes: number;
}

/**
 * The newest frames of records, and states from which they go on. A reader has a place in it, as a number of a frame; a
 * reader that is too slow finds its frame gone, and starts over at the oldest state. So nothing here grows with a slow
 * reader.
 */
export class FrameRing {
  private readonly segments: Segment[];
  private readonly maxBytes: number;
  private readonly segmentBytes: number;
  private bytes = 0;
  private next = 0;

  constructor(
    /** The state now; it grows with the records. */
    private readonly state: NodeState,
    options: FrameRingOptions = {},
  ) {
    this.maxBytes = options.maxBytes ?? 8 * 1024 * 1024;
    this.segmentBytes = options.segmentBytes ?? 1024 * 1024;
    this.segments = [this.segment()];
  }

  /** Takes a frame whose records, and no others, were folded into the state. */
  push(frame: Buffer): void {
    const segment = this.segments[this.segments.length - 1] as Segment;
    segment.frames.push(frame);
    segment.bytes += frame.length;
    this.bytes += frame.length;
    this.next++;
    if (segment.bytes < this.segmentBytes) return;
    this.segments.push(this.segment());
    while (this.bytes > this.maxBytes) this.bytes -= (this.segments.shift() as Segment).bytes;
  }

  /** The oldest state in memory, and the number of the frame that comes after it. */
  start(): { readonly state: NodeState; readonly next: number; readonly seq: Seq } {
    const { state, first } = this.segments[0] as Segment;
    return { state, next: first, seq: state.seq };
  }

  /** A frame by its number: null when it is still to come, undefined when it is no longer in memory. */
  get(n: number): Buffer | null | undefined {
    if (n >= this.next) return null;
    for (const { first, frames } of this.segments)
      if (n >= first && n < first + frames.length) return frames[n - first];
    return undefined;
  }

  /** Bytes of the frames from this one on. */
  bytesFrom(n: number): number {
    let bytes = 0;
    for (const { first, frames, bytes: all } of this.segments) {
      if (first >= n) bytes += all;
      else for (let i = n - first; i < frames.length; i++) bytes += (frames[i] as Buffer).length;
    }
    return bytes;
  }

  private segment(): Segment {
    return { state: cloneState(this.state), first: this.next, frames: [], bytes: 0 };
  }
}
