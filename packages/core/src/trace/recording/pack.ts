/**
 * Records of one block as bytes. The common fields are in columns of differences (a byte each, mostly); a record's own
 * fields are JSON text in lines, those of a kind together: that way they repeat each other, which LZ4 then takes out.
 */
import { utf8Bytes, utf8TextStrict } from '../../base/index.js';
import type { Micros, TraceRecord } from '../records.js';
import { ByteReader, BytesError, ByteWriter } from './bytes.js';
import { isWhole, type Raw, RecordingError } from './header.js';

/** Gathers the records of one block. */
export class RecordPacker {
  count = 0;
  /** Characters of JSON gathered: about the bytes that the block will have. */
  size = 0;
  firstSeq = 0;
  lastSeq = 0;
  firstTime: Micros = 0;
  lastTime: Micros = 0;
  private readonly columns = Array.from({ length: 6 }, () => new ByteWriter());
  /** By kind, in the order of their first record: its number, and the lines. */
  private kinds = new Map<string, { readonly n: number; readonly lines: string[] }>();
  private g = 0;

  /**
   * Throws a RecordingError for what is not a record: head fields that are not whole numbers, a kind that is not text.
   */
  add(record: TraceRecord): void {
    const { seq, time, g, span, cause, kind } = record;
    if (!(isWhole(seq) && isWhole(time) && isWhole(g) && isWhole(span) && isWhole(cause) && typeof kind === 'string'))
      throw new RecordingError(
        `this is not a record: ${JSON.stringify({ seq, time, g, span, cause, kind })}; seq, time, g, span and cause must be whole numbers, kind a text`,
        isWhole(seq) ? { seq } : {},
      );
    const head = `{"seq":${seq},"time":${time},"g":${g},"span":${span},"cause":${cause},"kind":${JSON.stringify(kind)}`;
    let json = JSON.stringify(record);
    if (!json.startsWith(head)) {
      // The fields are in another order.
      const { seq: _s, time: _t, g: _g, span: _p, cause: _c, kind: _k, ...rest } = record as TraceRecord & object;
      json = JSON.stringify({ seq, time, g, span, cause, kind, ...rest });
    }
    let group = this.kinds.get(kind);
    if (!group) {
      group = { n: this.kinds.size, lines: [] };
      this.kinds.set(kind, group);
    }
    group.lines.push(json.slice(head.length));
    if (this.count === 0) {
      this.firstSeq = seq;
      this.firstTime = time;
      this.lastSeq = seq - 1;
      this.lastTime = time;
    }
    const [kinds, seqs, times, gs, spans, causes] = this.columns as [
      ByteWriter,
      ByteWriter,
      ByteWriter,
      ByteWriter,
      ByteWriter,
      ByteWriter,
    ];
    kinds.varint(group.n);
    seqs.varint(seq - this.lastSeq - 1);
    times.zigzag(time - this.lastTime);
    gs.zigzag(g - this.g);
    spans.zigzag(seq - span);
    causes.zigzag(seq - cause);
    this.lastSeq = seq;
    this.lastTime = time;
    this.g = g;
    this.count++;
    this.size += json.length - head.length + 7;
  }

  /** The bytes of what was gathered; then it is empty. */
  take(): Uint8Array {
    const out = new ByteWriter(this.size + 1024);
    out.varint(this.kinds.size);
    for (const [kind, { lines }] of this.kinds) {
      const name = utf8Bytes(kind);
      out.varint(name.length);
      out.put(name);
      out.varint(lines.length);
    }
    for (const column of this.columns) {
      out.varint(column.length);
      out.put(column.view());
      column.clear();
    }
    const text: string[] = [];
    for (const { lines } of this.kinds.values()) text.push(lines.join('\n'));
    out.put(utf8Bytes(text.join('\n')));
    this.kinds = new Map();
    this.count = 0;
    this.size = 0;
    this.g = 0;
    return out.view();
  }
}

/** The records of a block, each decoded on request. */
export interface PackedRecords {
  readonly seqs: Float64Array;
  readonly times: Float64Array;
  /**
   * Returns record number `i` as written; `Raw`, because it comes from a file. Throws a BytesError if it is not a
   * record.
   */
  raw(i: number): Raw;
  /** The kind of record number `i`, and which of the block's lines has its own fields. */
  kind(i: number): string;
  line(i: number): number;
}

/** Returns the names of a block's kinds, and its lines as bytes, without the columns before them. */
export function textOf(bytes: Uint8Array): { readonly kinds: readonly string[]; readonly lines: Uint8Array } {
  const reader = new ByteReader(bytes);
  const kinds: string[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    const length = reader.varint();
    kinds.push(utf8TextStrict(bytes.subarray(reader.at, reader.at + length)));
    reader.at += length;
    reader.varint();
  }
  for (let column = 0; column < 6; column++) {
    const length = reader.varint();
    reader.at += length;
  }
  return { kinds, lines: bytes.subarray(reader.at) };
}

/** Decodes a block of `count` records. Throws a BytesError, or a TypeError for text that is not UTF-8. */
export function unpack(bytes: Uint8Array, count: number, firstSeq: number, firstTime: Micros): PackedRecords {
  const reader = new ByteReader(bytes);
  const kindCount = reader.varint();
  // Each takes three bytes at least.
  if (kindCount > bytes.length) throw new BytesError('it promises more kinds than it has bytes');
  const kinds: string[] = [];
  const begins: number[] = [0];
  for (let k = 0; k < kindCount; k++) {
    const length = reader.varint();
    if (length > bytes.length - reader.at) throw new BytesError('a name is longer than the block');
    kinds.push(JSON.stringify(utf8TextStrict(bytes.subarray(reader.at, reader.at + length))));
    reader.at += length;
    begins.push((begins[k] as number) + reader.varint());
  }
  if (begins[kindCount] !== count)
    throw new BytesError(`its kinds add up to ${begins[kindCount]} records, not ${count}`);
  const columns: ByteReader[] = [];
  for (let c = 0; c < 6; c++) {
    const length = reader.varint();
    if (length > bytes.length - reader.at) throw new BytesError('a column is longer than the block');
    columns.push(new ByteReader(bytes.subarray(reader.at, reader.at + length)));
    reader.at += length;
  }
  const [kindColumn, seqColumn, timeColumn, gColumn, spanColumn, causeColumn] = columns as [
    ByteReader,
    ByteReader,
    ByteReader,
    ByteReader,
    ByteReader,
    ByteReader,
  ];
  const lines = utf8TextStrict(bytes.subarray(reader.at)).split('\n');
  if (lines.length !== Math.max(1, count)) throw new BytesError(`it has ${lines.length} lines for ${count} records`);
  const seqs = new Float64Array(count);
  const times = new Float64Array(count);
  const gs = new Float64Array(count);
  const spans = new Float64Array(count);
  const causes = new Float64Array(count);
  const lineOf = new Uint32Array(count);
  const kindOf = new Uint32Array(count);
  const next = begins.slice();
  let [seq, time, g] = [firstSeq - 1, firstTime, 0];
  for (let i = 0; i < count; i++) {
    const kind = kindColumn.varint();
    if (kind >= kindCount || (next[kind] as number) >= (begins[kind + 1] as number))
      throw new BytesError('a record has no known kind');
    kindOf[i] = kind;
    lineOf[i] = (next[kind] as number)++;
    seq += seqColumn.varint() + 1;
    time += timeColumn.zigzag();
    g += gColumn.zigzag();
    const span = seq - spanColumn.zigzag();
    const cause = seq - causeColumn.zigzag();
    if (!(isWhole(seq) && isWhole(time) && isWhole(g) && isWhole(span) && isWhole(cause)))
      throw new BytesError('a number is out of range');
    seqs[i] = seq;
    times[i] = time;
    gs[i] = g;
    spans[i] = span;
    causes[i] = cause;
  }
  return {
    seqs,
    times,
    kind: (i) => (kinds[kindOf[i] as number] as string).slice(1, -1),
    line: (i) => lineOf[i] as number,
    raw(i) {
      const kind = kinds[kindOf[i] as number];
      const rest = lines[lineOf[i] as number] as string;
      // The text goes on after the head: only what ends the object, or another field of it.
      if (rest !== '}' && !rest.startsWith(',')) throw new BytesError(`record ${seqs[i]} is broken: it is not JSON`);
      try {
        return JSON.parse(
          `{"seq":${seqs[i]},"time":${times[i]},"g":${gs[i]},"span":${spans[i]},"cause":${causes[i]},"kind":${kind}${rest}`,
        ) as Raw;
      } catch {
        throw new BytesError(`record ${seqs[i]} is broken: it is not JSON`);
      }
    },
  };
}
