/**
 * Recordings: a header line, then one record per line, all JSON (NDJSON, UTF-8). A file that was cut off in the middle of a
 * line opens up to the last whole one. What an older version wrote is brought up to date while reading.
 */
import type { Micros, Seq, TraceRecord } from './records.js';

/** Goes up with every change of the records that an older reader could not take; each step up has an upgrader below. */
export const RECORDING_VERSION = 1;
const FORMAT = 'syncloop-recording';

export interface RecordingHeader {
  readonly format: typeof FORMAT;
  readonly version: number;
  /** Version of the core that wrote it. */
  readonly core: string;
  readonly title: string;
  readonly scenario: string;
  readonly seed: number;
  readonly runtime: string;
  readonly node: string;
  /** Wall time of the run's start, ms since 1970. */
  readonly epochMillis: number;
  readonly virtual: boolean;
  /** Program that wrote it, "syncloop agent 0.1.0". */
  readonly createdBy: string;
}

export class RecordingError extends Error {
  override readonly name = 'RecordingError';
  /** Line in the file, from 1; 0 when it is about the file. */
  constructor(
    message: string,
    readonly line = 0,
  ) {
    super(message);
  }
}

// --- upgrades ------------------------------------------------------------------------------------------------------

type RawRecord = { [key: string]: unknown };
interface Upgrade {
  /** What the step changes in the header and in a record. */
  readonly header?: (header: RawRecord) => RawRecord;
  readonly record?: (record: RawRecord) => RawRecord;
}
export type Upgrades = Readonly<Record<number, Upgrade>>;

/** Key n brings version n to n + 1. */
const upgrades: Upgrades = {};

/** Throws when a step from 1 up to `version` is missing, or one leads beyond. */
export function checkUpgrades(steps: Upgrades = upgrades, version: number = RECORDING_VERSION): void {
  for (let v = 1; v < version; v++)
    if (!Object.hasOwn(steps, v)) throw new Error(`recording: no upgrade from version ${v} to ${v + 1}`);
  for (const key of Object.keys(steps))
    if (!(Number(key) >= 1 && Number(key) < version))
      throw new Error(`recording: upgrade from version ${key} leads nowhere`);
}
checkUpgrades();

// --- writing -------------------------------------------------------------------------------------------------------

/** Characters gathered before they are written. */
const BLOCK = 64 * 1024;

/** Writes a recording in blocks of whole lines, so that a crash costs at most what `flush` has not written. */
export class RecordingWriter {
  private block: string[] = [];
  private size = 0;
  /** Records taken so far. */
  records = 0;
  /** `write` gets whole lines; it must not throw. */
  constructor(
    private readonly write: (chunk: string) => void,
    header: Omit<RecordingHeader, 'format' | 'version'>,
  ) {
    this.line(JSON.stringify({ format: FORMAT, version: RECORDING_VERSION, ...header }));
    this.flush();
  }
  push(record: TraceRecord): void {
    this.records++;
    this.line(JSON.stringify(record));
  }
  /** Writes what is gathered. Call it now and then, and at the end. */
  flush(): void {
    if (this.size === 0) return;
    const chunk = this.block.join('');
    this.block = [];
    this.size = 0;
    this.write(chunk);
  }
  private line(json: string): void {
    this.block.push(json, '\n');
    this.size += json.length + 1;
    if (this.size >= BLOCK) this.flush();
  }
}

// --- reading -------------------------------------------------------------------------------------------------------

/** Longest line that is read; a record is some hundred characters, with a large response some thousand. */
const LONGEST_LINE = 64 * 1024 * 1024;

export interface ReaderHandlers {
  readonly header?: (header: RecordingHeader) => void;
  readonly record: (record: TraceRecord) => void;
}

/** Reads a recording as it comes in, in pieces of any size. */
export class RecordingReader {
  header: RecordingHeader | null = null;
  records = 0;
  /** What had to be left out, in words; '' when all was read. Set by `end`. */
  warning = '';
  private rest: string[] = [];
  private restLength = 0;
  private line = 0;
  private last: Seq = 0;
  private version = RECORDING_VERSION;

  constructor(
    private readonly handlers: ReaderHandlers,
    private readonly steps: Upgrades = upgrades,
    private readonly current: number = RECORDING_VERSION,
  ) {}

  /** Takes the next piece. Throws a RecordingError for what is not a recording, is too new, or has a broken line with more after it. */
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
        throw new RecordingError(
          `line ${this.line + 1} is longer than ${LONGEST_LINE} characters: this is not a recording`,
          this.line + 1,
        );
      this.rest.push(chunk.slice(from));
    }
  }

  /** No more comes. A last line without its end is a record if it can be read, else the file was cut off there. */
  end(): void {
    const rest = this.rest.join('');
    this.rest = [];
    if (rest.trim() !== '') {
      if (!this.header || isJson(rest)) this.take(rest);
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
    const raw = this.parse(text);
    if (!this.header) this.takeHeader(raw);
    else this.takeRecord(raw);
  }

  private parse(text: string): RawRecord {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      value = null;
    }
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as RawRecord;
    if (!this.header) throw new RecordingError(`line 1 is not a header: this is not a ${FORMAT} file`, 1);
    throw new RecordingError(
      `line ${this.line} is broken: it is not a JSON object; records up to ${this.last} were read`,
      this.line,
    );
  }

  private takeHeader(raw: RawRecord): void {
    if (own(raw, 'format') !== FORMAT)
      throw new RecordingError(`line ${this.line} is not a header: this is not a ${FORMAT} file`, this.line);
    const version = own(raw, 'version');
    if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
      throw new RecordingError(
        `the header's version is ${JSON.stringify(version) ?? 'missing'}; it must be a whole number from 1 on`,
        this.line,
      );
    if (version > this.current)
      throw new RecordingError(
        `the recording has version ${version}, this program reads versions up to ${this.current}: open it with a newer one`,
        this.line,
      );
    this.version = version;
    let header = raw;
    for (let v = version; v < this.current; v++) header = this.steps[v]?.header?.(header) ?? header;
    this.header = {
      format: FORMAT,
      version: this.current,
      core: str(header, 'core'),
      title: str(header, 'title'),
      scenario: str(header, 'scenario'),
      seed: num(header, 'seed'),
      runtime: str(header, 'runtime'),
      node: str(header, 'node'),
      epochMillis: num(header, 'epochMillis'),
      virtual: own(header, 'virtual') === true,
      createdBy: str(header, 'createdBy'),
    };
    this.handlers.header?.(this.header);
  }

  private takeRecord(raw: RawRecord): void {
    let record = raw;
    for (let v = this.version; v < this.current; v++) record = this.steps[v]?.record?.(record) ?? record;
    const seq = own(record, 'seq');
    if (!isWhole(seq) || !isWhole(own(record, 'time')) || typeof own(record, 'kind') !== 'string')
      throw new RecordingError(
        `line ${this.line} is broken: it is not a record with seq, time and kind; records up to ${this.last} were read`,
        this.line,
      );
    if (this.last > 0 && seq <= this.last)
      throw new RecordingError(`line ${this.line} is broken: record ${seq} comes after record ${this.last}`, this.line);
    if (this.last > 0 && seq > this.last + 1) this.emit(gap(this.last + 1, seq - 1, own(record, 'time') as Micros));
    this.last = seq;
    this.emit(record as unknown as TraceRecord);
  }

  private emit(record: TraceRecord): void {
    this.records++;
    this.handlers.record(record);
  }
}

/** Lost records in one: it stands at the last one's place, so that it comes right before what follows. */
function gap(from: Seq, to: Seq, time: Micros): TraceRecord {
  return { seq: to, time, g: 0, span: 0, cause: 0, kind: 'gap', from, to };
}

/** Reads a whole text. */
export function readRecording(text: string): { header: RecordingHeader; records: TraceRecord[]; warning: string } {
  const records: TraceRecord[] = [];
  const reader = new RecordingReader({ record: (r) => records.push(r) });
  reader.push(text);
  reader.end();
  return { header: reader.header as RecordingHeader, records, warning: reader.warning };
}

const own = (raw: RawRecord, key: string): unknown => (Object.hasOwn(raw, key) ? raw[key] : undefined);
const isWhole = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const str = (raw: RawRecord, key: string): string => {
  const value = own(raw, key);
  return typeof value === 'string' ? value : '';
};
const num = (raw: RawRecord, key: string): number => {
  const value = own(raw, key);
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
};
function isJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
