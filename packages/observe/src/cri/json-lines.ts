import { concatBytes, parseShallowJson, utf8Text } from '@syncloop/core/base';
import type { EvidencePlace } from '../evidence/index.js';

/** A line with a JSON object, or the reason why it has none. */
export interface JsonLine {
  readonly value: object;
  readonly place: EvidencePlace;
  /** A full sentence; null where the line is as it should be. */
  readonly problem: string | null;
  readonly bytes: number;
}

/** A line may hold a message of 16 MiB in base64. */
const LONGEST = 24 * 1024 * 1024;

/** JSON objects, one on each line, out of bytes in pieces of any size. Blank lines are left out. */
export class JsonLines {
  private parts: Uint8Array[] = [];
  private length = 0;
  private offset = 0;
  private number = 0;

  push(bytes: Uint8Array): JsonLine[] {
    const lines: JsonLine[] = [];
    let from = 0;
    for (let newline = bytes.indexOf(10); newline >= 0; newline = bytes.indexOf(10, from)) {
      this.keep(bytes.subarray(from, newline));
      lines.push(...this.take(1));
      from = newline + 1;
    }
    // A copy: the caller may use its buffer again.
    if (from < bytes.length) this.keep(bytes.slice(from));
    return lines;
  }

  end(): JsonLine[] {
    return this.length > 0 ? this.take(0) : [];
  }

  private keep(piece: Uint8Array): void {
    this.length += piece.length;
    if (this.length > LONGEST) this.parts = [];
    else this.parts.push(piece);
  }

  private take(newline: 0 | 1): JsonLine[] {
    const { parts, length, offset } = this;
    this.parts = [];
    this.length = 0;
    this.offset += length + newline;
    const place = { line: ++this.number, offset };
    const line = (value: object, problem: string | null) => [{ value, place, problem, bytes: length }];
    if (length > LONGEST) return line({}, `Line ${place.line} is longer than ${LONGEST} bytes.`);
    const text = utf8Text(parts.length === 1 ? (parts[0] as Uint8Array) : concatBytes(parts)).trim();
    if (text === '') return [];
    try {
      const value: unknown = parseShallowJson(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return line(value, null);
    } catch {
      // The line below reports it.
    }
    return line({}, `Line ${place.line} is not a JSON object${newline === 0 ? ': the file ends within it' : ''}.`);
  }
}
