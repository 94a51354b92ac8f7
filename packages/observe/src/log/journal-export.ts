import { concatBytes, utf8Text } from '@syncloop/core/base';

/** Most bytes of one field, and most fields of one entry. */
const LONGEST_FIELD = 1024 * 1024;
const MOST_FIELDS = 1024;

/** The offset of an entry, and its fields by name. */
export interface ExportedEntry {
  readonly offset: number;
  readonly fields: { readonly [name: string]: string };
}

const FIRST_FIELD = '__CURSOR=';
/** The number of bytes that identify the output of `journalctl -o export`. */
export const EXPORT_MARK = FIRST_FIELD.length;
export const looksLikeExport = (bytes: Uint8Array): boolean => utf8Text(bytes.subarray(0, EXPORT_MARK)) === FIRST_FIELD;

/**
 * Reads the journal's export format: fields as `NAME=text`, or as `NAME`, a newline, 64 bits of length (little-endian)
 * and bytes; an empty line ends an entry. Bytes come in pieces of any size; bytes of another format are skipped up to
 * the next empty line.
 */
export class JournalExportReader {
  private bytes: Uint8Array = new Uint8Array(0);
  private at = 0;
  private offset = 0;
  private entryOffset = 0;
  private fields: { [name: string]: string } = Object.create(null);
  private count = 0;
  /** Bytes of a field that is too long which are still to come. */
  private skip = 0;

  push(bytes: Uint8Array): ExportedEntry[] {
    this.offset += this.at;
    this.bytes = concatBytes([this.bytes.subarray(this.at), bytes]);
    this.at = 0;
    const entries: ExportedEntry[] = [];
    while (this.step(entries));
    return entries;
  }

  end(): ExportedEntry[] {
    const entries: ExportedEntry[] = [];
    this.finish(entries);
    return entries;
  }

  /** Reads one field, or the end of an entry; false if more bytes are needed. */
  private step(entries: ExportedEntry[]): boolean {
    if (this.skip > 0) {
      const some = Math.min(this.skip, this.bytes.length - this.at);
      this.skip -= some;
      this.at += some;
      if (this.skip > 0) return false;
    }
    const newline = this.bytes.indexOf(10, this.at);
    if (newline < 0) {
      if (this.bytes.length - this.at > LONGEST_FIELD) this.at = this.bytes.length;
      return false;
    }
    if (newline === this.at) {
      this.at++;
      this.finish(entries);
      return true;
    }
    const line = utf8Text(this.bytes.subarray(this.at, newline));
    const equals = line.indexOf('=');
    if (equals >= 0) {
      this.put(line.slice(0, equals), line.slice(equals + 1));
      this.at = newline + 1;
      return true;
    }
    const start = newline + 9;
    if (this.bytes.length < start) return false;
    const view = new DataView(this.bytes.buffer, this.bytes.byteOffset + newline + 1, 8);
    const length = view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
    if (length > LONGEST_FIELD) {
      this.skip = length + 1;
      this.at = start;
      return true;
    }
    if (this.bytes.length < start + length + 1) return false;
    this.put(line, utf8Text(this.bytes.subarray(start, start + length)));
    this.at = start + length + 1;
    return true;
  }

  private put(name: string, value: string): void {
    if (this.count++ < MOST_FIELDS) this.fields[name] = value;
  }

  private finish(entries: ExportedEntry[]): void {
    if (this.count > 0) entries.push({ offset: this.entryOffset, fields: this.fields });
    this.fields = Object.create(null);
    this.count = 0;
    this.entryOffset = this.offset + this.at;
  }
}
