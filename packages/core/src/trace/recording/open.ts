import { utf8Bytes } from '../../base/index.js';
import type { TraceRecord } from '../records.js';
import type { RecordingSource } from './block-index.js';
import { RecordingFile } from './file.js';
import { RECORDING_VERSION, RecordingError, type RecordingHeader } from './header.js';
import { hasSignature, SIGNATURE } from './layout.js';
import { NdjsonReader, readNdjson } from './ndjson.js';
import { type Upgrades, upgrades } from './upgrades.js';
import { RecordingWriter } from './writer.js';

/** Bytes in memory as a source. */
export function bytesSource(bytes: Uint8Array): RecordingSource {
  return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
}

/** Collects what a writer hands out. */
export class ByteChunks {
  size = 0;
  private chunks: Uint8Array[] = [];
  readonly push = (chunk: Uint8Array): void => {
    this.chunks.push(chunk);
    this.size += chunk.length;
  };
  /** Returns all of it as one array. */
  join(): Uint8Array<ArrayBuffer> {
    const whole = new Uint8Array(this.size);
    let at = 0;
    for (const chunk of this.chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    this.chunks = [whole];
    return whole;
  }
}

export interface OpenOptions {
  /** For tests: upgraders other than this program's own, up to `version`. */
  readonly upgrades?: Upgrades;
  readonly version?: number;
}

/**
 * Opens a recording of any version. Blocks are read when they are needed; text (version 1, or NDJSON that was exported)
 * is read whole and packed in memory. A file that was cut off opens up to its last whole block or line, and `warning`
 * says so. Throws a RecordingError that says where and what to do for what is not a recording or cannot be read.
 */
export function openRecording(source: RecordingSource, options: OpenOptions = {}): RecordingFile {
  const { upgrades: steps = upgrades, version = RECORDING_VERSION } = options;
  const start = source.read(0, Math.min(SIGNATURE.length, source.size));
  if (hasSignature(start)) return new RecordingFile(source, steps, version);
  if (source.size === 0) throw new RecordingError('the file is empty: this is not a recording');
  if (SIGNATURE.every((b, i) => start[i] === b || i >= start.length))
    throw new RecordingError(
      `the recording is cut off at byte ${source.size}, within its first bytes: nothing of it can be read`,
      { byte: source.size },
    );
  if (start[0] === SIGNATURE[0])
    throw new RecordingError(
      'the first bytes of the recording were changed, as happens when a file is transferred as text: get it once more, as binary',
      { byte: 0 },
    );
  return fromText(source, steps, version);
}

function fromText(source: RecordingSource, steps: Upgrades, version: number): RecordingFile {
  const packed = new ByteChunks();
  let writer: RecordingWriter | null = null;
  const reader = new NdjsonReader(
    {
      header: ({ format: _f, version: _v, ...info }) => {
        writer = new RecordingWriter(packed.push, info);
      },
      record: (record) => writer?.push(record),
    },
    steps,
    version,
  );
  readNdjson(source, reader);
  (writer as RecordingWriter | null)?.close();
  return new RecordingFile(bytesSource(packed.join()), steps, version, {
    warning: reader.warning,
    version: reader.writtenVersion,
    size: source.size,
  });
}

/** Reads a whole recording that is in memory. */
export function readRecording(data: Uint8Array | string): {
  header: RecordingHeader;
  records: TraceRecord[];
  warning: string;
} {
  const file = openRecording(bytesSource(typeof data === 'string' ? utf8Bytes(data) : data));
  const records = [...file];
  return { header: file.header, records, warning: file.warning };
}
