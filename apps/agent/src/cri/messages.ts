/** Tools for reading the bytes of a CRI socket: messages by their descriptors, and decompression. */
import { gunzipSync, inflateSync } from 'node:zlib';
import { readMessage } from '@syncloop/core/cri/wire';
import type { ConversationOptions } from '@syncloop/observe';

/** Decompression as gRPC's encodings name it. */
function inflate(encoding: string, bytes: Uint8Array, most: number): Uint8Array | null {
  if (encoding === 'gzip') return gunzipSync(bytes, { maxOutputLength: most });
  if (encoding === 'deflate') return inflateSync(bytes, { maxOutputLength: most });
  return null;
}

export const criMessages: ConversationOptions = { readMessage, inflate };
