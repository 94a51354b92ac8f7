/** Recordings in a worker: only there may a file be read while the caller waits. */
import { openRecording, type RecordingFile, type RecordingSource } from '@syncloop/core/trace';

/** What a page says to its worker before anything else, to have a recording opened instead of a simulation. */
export interface OpenMessage {
  readonly type: 'open';
  readonly recording: Blob;
}
/** The worker's answer: the session is there, and what of the file is missing; or why it is not. */
export type OpenedMessage =
  | { readonly type: 'opened'; readonly warning: string }
  | { readonly type: 'unreadable'; readonly error: string };

export function isOpenMessage(message: unknown): message is OpenMessage {
  const { type, recording } = (message ?? {}) as Partial<OpenMessage>;
  return type === 'open' && recording instanceof Blob;
}

/** Reads pieces of a file with the browser's synchronous reader. */
export interface PieceReader {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

/** A file as a recording's source. Small pieces are read together with what follows them: each call of the browser's costs. */
export function blobSource(blob: Blob, reader: PieceReader): RecordingSource {
  const ahead = 256 * 1024;
  let held = { at: 0, bytes: new Uint8Array(0) };
  const read = (offset: number, length: number) =>
    new Uint8Array(reader.readAsArrayBuffer(blob.slice(offset, offset + length)));
  return {
    size: blob.size,
    read(offset, length) {
      if (length > ahead) return read(offset, length);
      if (offset < held.at || offset + length > held.at + held.bytes.length)
        held = { at: offset, bytes: read(offset, Math.min(ahead, blob.size - offset)) };
      return held.bytes.subarray(offset - held.at, offset - held.at + length);
    },
  };
}

/** Opens the recording in a file. Throws a RecordingError for what is none. */
export function openBlob(blob: Blob, reader: PieceReader): RecordingFile {
  return openRecording(blobSource(blob, reader));
}
