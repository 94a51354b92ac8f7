/** Puts gRPC's messages together from DATA frames, in one direction of one stream. */
import { concatBytes } from '@syncloop/core/base';

/** A complete message, or the known part of one whose bytes are lost. */
export type Framed =
  | { readonly kind: 'message'; readonly bytes: Uint8Array; readonly compressed: boolean }
  /** Its bytes were seen, but are not kept. */
  | { readonly kind: 'unknown'; readonly length: number; readonly why: 'too long' | 'no room' | 'malformed' };

/** The longest message that a kubelet takes. upstream: staging/src/k8s.io/cri-client/pkg/utils.go maxMsgSize */
export const LARGEST_MESSAGE = 16 * 1024 * 1024;
const PREFIX = 5;

/** The most bytes of all incomplete messages together. */
export class Room {
  held = 0;
  constructor(private readonly most: number) {}

  take(bytes: number): boolean {
    if (this.held + bytes > this.most) return false;
    this.held += bytes;
    return true;
  }
  give(bytes: number): void {
    this.held -= bytes;
  }
}

export class MessageFramer {
  private prefix: number[] = [];
  private parts: Uint8Array[] = [];
  private held = 0;
  /** Bytes of the message under way that are still to come. */
  private missing = 0;
  private skipping: 'too long' | 'no room' | null = null;
  /** The position at which a message begins is no longer known. */
  private lost = false;

  constructor(private readonly room: Room) {}

  /** True if a message has begun and not ended. */
  get open(): boolean {
    return this.prefix.length > 0;
  }

  push(bytes: Uint8Array): Framed[] {
    const out: Framed[] = [];
    let at = 0;
    while (at < bytes.length && !this.lost) {
      if (this.prefix.length < PREFIX) {
        this.prefix.push(bytes[at++] as number);
        if (this.prefix.length === PREFIX) this.begin(out);
        continue;
      }
      const piece = bytes.subarray(at, at + this.missing);
      at += piece.length;
      this.missing -= piece.length;
      this.keep(piece);
      if (this.missing === 0) this.complete(out);
    }
    return out;
  }

  /** Gives up the bytes of an incomplete message: some are missing, or nothing more comes. */
  drop(): void {
    this.room.give(this.held);
    this.held = 0;
    this.parts = [];
    this.lost = true;
  }

  private begin(out: Framed[]): void {
    const [flag, a, b, c, d] = this.prefix as [number, number, number, number, number];
    this.missing = a * 2 ** 24 + b * 2 ** 16 + c * 256 + d;
    if (flag > 1) {
      out.push({ kind: 'unknown', length: this.missing, why: 'malformed' });
      this.drop();
      return;
    }
    this.skipping = this.missing > LARGEST_MESSAGE ? 'too long' : null;
    if (this.missing === 0) this.complete(out);
  }

  private keep(piece: Uint8Array): void {
    if (this.skipping) return;
    if (!this.room.take(piece.length)) {
      this.room.give(this.held);
      this.held = 0;
      this.parts = [];
      this.skipping = 'no room';
      return;
    }
    this.held += piece.length;
    // A copy: the bytes are in the buffer of the frames.
    this.parts.push(piece.slice());
  }

  private complete(out: Framed[]): void {
    const compressed = this.prefix[0] === 1;
    if (this.skipping) {
      const [, a, b, c, d] = this.prefix as [number, number, number, number, number];
      out.push({ kind: 'unknown', length: a * 2 ** 24 + b * 2 ** 16 + c * 256 + d, why: this.skipping });
    } else out.push({ kind: 'message', bytes: concatBytes(this.parts), compressed });
    this.room.give(this.held);
    this.held = 0;
    this.parts = [];
    this.prefix = [];
    this.skipping = null;
  }
}
