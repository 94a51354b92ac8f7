/** Recordings in a worker: only there may a file be read while the caller waits. */
import {
  ByteChunks,
  bytesSource,
  importChromeTrace,
  openRecording,
  RecordingError,
  type RecordingFile,
  type RecordingSource,
  RecordingWriter,
} from '@syncloop/core/trace';
import { HEAD_BYTES, kindOfFile } from '../../files/file-kind.js';

export { isOpenMessage, type OpenMessage } from './open-message.js';

/** The data of a recording that a list shows. */
export interface RecordingAbout {
  readonly title: string;
  readonly scenario: string;
  readonly seed: number;
  readonly node: string;
  readonly runtime: string;
  readonly records: number;
  /** The time from its first record to its last, µs. */
  readonly micros: number;
  /** The time of its first record, µs since the start of the run; recordings of earlier versions have none. */
  readonly begins?: number;
}
/** The worker's answer: the session is there, with its subject and what is missing in the file; or why it is not. */
export type OpenedMessage =
  | { readonly type: 'opened'; readonly warning: string; readonly about: RecordingAbout }
  | { readonly type: 'unreadable'; readonly error: string };

/** Reads pieces of a file with the browser's synchronous reader. */
export interface PieceReader {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

/**
 * Returns a file as a recording's source. Small pieces are read together with the next ones: each call of the browser's
 * costs.
 */
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

/** A trace is JSON, which is read whole: larger ones would not fit into a string. */
const MOST_TEXT = 400 * 1024 * 1024;

/**
 * Opens the recording in a file, or the records of a Chrome trace that was exported with them. Throws a RecordingError
 * for any other file.
 */
export function openBlob(blob: Blob, reader: PieceReader): RecordingFile {
  const source = blobSource(blob, reader);
  const head = source.read(0, Math.min(HEAD_BYTES, source.size));
  return kindOfFile(head) === 'chrome' ? fromChromeTrace(source) : openRecording(source);
}

function fromChromeTrace(source: RecordingSource): RecordingFile {
  if (source.size > MOST_TEXT)
    throw new RecordingError(
      `the trace has ${source.size} bytes, and at most ${MOST_TEXT} can be read: export a shorter range, or open the recording itself`,
    );
  const { info, records } = importChromeTrace(new TextDecoder().decode(source.read(0, source.size)));
  const packed = new ByteChunks();
  const writer = new RecordingWriter(packed.push, info);
  for (const record of records) writer.push(record);
  writer.close();
  return openRecording(bytesSource(packed.join()));
}

export function aboutOf(file: RecordingFile): RecordingAbout {
  const { title, scenario, seed, node, runtime } = file.header;
  return {
    title,
    scenario,
    seed,
    node,
    runtime,
    records: file.count,
    micros: file.lastTime - file.firstTime,
    begins: file.firstTime,
  };
}
