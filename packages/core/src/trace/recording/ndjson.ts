/**
 * Recordings as text: a header line, then one record per line, all JSON (NDJSON, UTF-8). Version 1 was kept so, and it
 * is still what records are exported as. A file that was cut off in the middle of a line opens up to the last whole
 * one.
 */
import { own } from '../../base/index.js';
import type { Seq, TraceRecord } from '../records.js';
import type { RecordingSource } from './block-index.js';
import {
  FORMAT,
  headerOf,
  parseObject,
  type Raw,
  RECORDING_VERSION,
  RecordingError,
  type RecordingHeader,
} from './header.js';
import { gapRecord, isHole } from './holes.js';
import { readableVersion, type Upgrades, upgradeHeader, upgradeRecord, upgrades } from './upgrades.js';
import { asRecord, recordProblem } from './validate.js';

/** Longest line that is read; a record is some hundred characters, with a large response some thousand. */
const LONGEST_LINE = 16 * 1024 * 1024;
/** Most records of a text. */
const MOST_RECORDS = 20_000_000;
/** Bytes read at a time. */
const CHUNK = 1024 * 1024;

export interface NdjsonHandlers {
  readonly header?: (header: RecordingHeader) => void;
  readonly record: (record: TraceRecord) => void;
}

/** Reads a recording's lines as they come in, in pieces of any size: from a pipe, a socket or a file. */
export class NdjsonReader {
  header: RecordingHeader | null = null;
  /** Version that the text has itself; 0 before its header. */
  writtenVersion = 0;
  /** Records given out, those that stand in for holes included. */
  records = 0;
  /** Says what had to be left out; '' if all was read. Set by `end`. */
  warning = '';
  private rest: string[] = [];
  private restLength = 0;
  private line = 0;
  private last: Seq = 0;

  constructor(
    private readonly handlers: NdjsonHandlers,
    private readonly steps: Upgrades = upgrades,
    private readonly current: number = RECORDING_VERSION,
  ) {}

  /**
   * Takes the next piece. Throws a RecordingError for what is not a recording, is too new, or has a broken line with
   * more after it.
   */
  push(chunk: string): void {
    let from = 0;
    for (;;) {
      const newline = chunk.indexOf('\n', from);
      if (newline < 0) break;
      const piece = chunk.slice(from, newline);
      from = newline + 1;
      if (this.rest.length > 0) {
        this.rest.push(piece);
        const whole = this.rest.join('');
        this.rest = [];
        this.restLength = 0;
        this.take(whole);
      } else this.take(piece);
    }
    if (from < chunk.length) {
      this.restLength += chunk.length - from;
      if (this.restLength > LONGEST_LINE)
        throw this.error(`is longer than ${LONGEST_LINE} characters: this is not a recording`, this.line + 1);
      this.rest.push(chunk.slice(from));
    }
  }

  /** Ends the input. A last line without its end is a record if it can be read, else the text was cut off there. */
  end(): void {
    const rest = this.rest.join('');
    this.rest = [];
    if (rest.trim() !== '') {
      if (!this.header || parseObject(rest)) this.take(rest);
      else {
        this.line++;
        this.warning = `The recording is cut off in line ${this.line}; it ends with record ${this.last}.`;
      }
    }
    if (!this.header) throw new RecordingError('the file is empty: this is not a recording');
  }

  private take(line: string): void {
    this.line++;
    const text = this.line === 1 && line.startsWith('\ufeff') ? line.slice(1) : line;
    if (text.trim() === '') return;
    const raw = parseObject(text);
    if (!this.header) this.takeHeader(raw);
    else if (raw) this.takeRecord(raw);
    else throw this.error(`is broken: it is not a JSON object; records up to ${this.last} were read`);
  }

  private takeHeader(raw: Raw | null): void {
    if (!raw || own(raw, 'format') !== FORMAT) throw this.error(`is not a header: this is not a ${FORMAT} file`);
    const place = { line: this.line };
    this.writtenVersion = readableVersion(own(raw, 'version'), this.current, place);
    const header = headerOf(upgradeHeader(raw, this.writtenVersion, this.current, this.steps), place);
    this.header = { ...header, version: this.current };
    this.handlers.header?.(this.header);
  }

  private takeRecord(read: Raw): void {
    const raw = upgradeRecord(read, this.writtenVersion, this.current, this.steps);
    const problem = recordProblem(raw);
    if (problem !== '') throw this.error(`is broken: ${problem}; records up to ${this.last} were read`);
    const record = asRecord(raw);
    const { seq } = record;
    if (seq === 0 || (this.last > 0 && seq <= this.last))
      throw this.error(`is broken: record ${seq} comes after record ${this.last}`);
    if (this.last > 0 && isHole(this.last, seq, raw)) this.emit(gapRecord(this.last + 1, seq - 1, record.time));
    this.last = seq;
    this.emit(record);
  }

  private emit(record: TraceRecord): void {
    if (++this.records > MOST_RECORDS) throw this.error(`is beyond the limit of ${MOST_RECORDS} records`);
    this.handlers.record(record);
  }

  private error(what: string, line = this.line): RecordingError {
    return new RecordingError(`line ${line} ${what}`, { line });
  }
}

/** Reads a text from a file, piece by piece, to its end. */
export function readNdjson(source: RecordingSource, reader: NdjsonReader): void {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for (let at = 0; at < source.size; at += CHUNK)
    reader.push(decoder.decode(source.read(at, Math.min(CHUNK, source.size - at)), { stream: true }));
  reader.push(decoder.decode());
  reader.end();
}
