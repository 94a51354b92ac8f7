/**
 * The frames on the pipe between the kubelet and its debugger's process: a length (4 bytes, big-endian), a type (1
 * byte) and a body, which is JSON in UTF-8.
 */

/** Types of frames. Those below 16 go to the debugger, the others come from it. */
export const frameType = {
  /** The session to serve: {@link ServeRequest}. The first frame. */
  serve: 1,
  /**
   * The state of the node after the record `state.seq`: later records follow. Everything received before is
   * forgotten.
   */
  state: 2,
  /** A list of records, in dense order. */
  records: 3,
  /** The kubelet's current RunState. */
  run: 4,
  /** The lines of logpoints: a list of hits. */
  written: 5,
  /** The result of a command: {id, result}. */
  result: 6,
  /** {@link FromDebugger} */
  message: 16,
} as const;

const headLength = 5;

/** One frame, ready to be written. */
export function frame(type: number, body: string): Buffer {
  const length = Buffer.byteLength(body);
  const out = Buffer.allocUnsafe(headLength + length);
  out.writeUInt32BE(length, 0);
  out[4] = type;
  out.write(body, headLength, 'utf8');
  return out;
}

/** Assembles frames from pieces of any size. */
export class FrameReader {
  private pieces: Buffer[] = [];
  private held = 0;
  /** The number of bytes that the next step needs: those of a head, or of the frame whose head has arrived. */
  private needed = headLength;

  constructor(
    /** The longest body that is accepted, in bytes. */
    private readonly maxBody: number,
    private readonly take: (type: number, body: string) => void,
  ) {}

  /** Calls `take` for each frame that is whole now. Throws an Error for a frame that is longer than allowed. */
  push(piece: Buffer): void {
    this.pieces.push(piece);
    this.held += piece.length;
    while (this.held >= this.needed) {
      const bytes = this.pieces.length === 1 ? (this.pieces[0] as Buffer) : Buffer.concat(this.pieces, this.held);
      const length = bytes.readUInt32BE(0);
      if (length > this.maxBody)
        throw new Error(`the frame's body has ${length} bytes; at most ${this.maxBody} are allowed`);
      const end = headLength + length;
      const rest = bytes.length >= end ? bytes.subarray(end) : bytes;
      this.pieces = [rest];
      this.held = rest.length;
      this.needed = rest === bytes ? end : headLength;
      if (rest !== bytes) this.take(bytes[4] as number, bytes.toString('utf8', headLength, end));
    }
  }
}
