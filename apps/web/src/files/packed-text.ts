/** Bytes in a link's form: base64url, deflated if that is shorter. No input is trusted. */

import { base64urlBytes, base64urlEncode, concatBytes } from '@syncloop/core/base';

/**
 * `newer`: made by a later version. `damaged`: cut off or changed. `long`: too much for a link. `browser`: it cannot
 * unpack it.
 */
export type LinkProblem = 'newer' | 'damaged' | 'long' | 'browser';
export class LinkError extends Error {
  override readonly name = 'LinkError';
  constructor(
    readonly problem: LinkProblem,
    message: string,
  ) {
    super(message);
  }
}
export const damaged = (why: string): LinkError => new LinkError('damaged', why);

/** Most bytes of the content of a link, or of a file. */
export const MOST_BYTES = 4_000_000;
/** Furthest that one is taken into a run from outside, in decisions: it is executed up to there. */
export const FURTHEST = 5_000_000;
/** Shorter data are not worth packing. */
const SHORT = 120;

/** `j…` (as it is) or `z…` (deflated). */
export async function pack(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const plain = `j${base64urlEncode(bytes)}`;
  if (bytes.length <= SHORT || typeof CompressionStream !== 'function') return plain;
  const deflated = `z${base64urlEncode(await through(bytes, new CompressionStream('deflate-raw')))}`;
  return deflated.length < plain.length ? deflated : plain;
}

/** Unpacks a text. Rejects with a LinkError, and nothing else, for any other text. */
export async function unpack(kind: 'j' | 'z', packed: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = base64urlBytes(packed);
  if (bytes === null) throw damaged('it is cut off, or has characters that no link has');
  if (kind === 'j') return bytes;
  if (typeof DecompressionStream !== 'function')
    throw new LinkError('browser', 'this browser cannot unpack deflated data');
  return through(bytes, new DecompressionStream('deflate-raw')).catch((error: unknown) => {
    throw error instanceof LinkError ? error : damaged('its data cannot be unpacked');
  });
}

/** Passes bytes through a stream that packs or unpacks; no more than MOST_BYTES come out. */
async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = stream.writable.getWriter();
  // Errors of the data reach the reader, too.
  const written = writer.write(bytes).then(() => writer.close());
  written.catch(() => {});
  const reader = stream.readable.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MOST_BYTES) {
      void reader.cancel().catch(() => {});
      throw new LinkError('long', `unpacked it has more than ${MOST_BYTES} bytes`);
    }
    parts.push(value);
  }
  return concatBytes(parts);
}
