import { concatBytes, parseShallowJson, utf8Text } from '@syncloop/core/base';
import { entriesOf, type Unframed } from './framings/index.js';

/** Most bytes of an export that is one JSON document: it must be whole before any of it can be read. */
const LARGEST = 64 * 1024 * 1024;

/** True if a text begins as a JSON document over several lines: an array, or an object that goes on after its line. */
export function looksLikeDocument(text: string): boolean {
  const start = text.trimStart();
  if (/^\[\s*[{[]/.test(start)) return true;
  if (!start.startsWith('{')) return false;
  const line = start.split('\n', 1)[0]?.trim() ?? '';
  return (
    line === '{' ||
    (start.length > line.length && /^\{\s*"[^"]*"\s*:\s*[[{]?$/.test(line)) ||
    /^\{"(?:status|took|events|data|hits|logs|entries)":/.test(line)
  );
}

/** Collects an export that is one JSON document, and gives its lines when it is whole. */
export class DocumentReader {
  private readonly parts: Uint8Array[] = [];
  private size = 0;
  tooLong = false;

  push(bytes: Uint8Array): void {
    this.size += bytes.length;
    if (this.size > LARGEST) {
      this.tooLong = true;
      this.parts.length = 0;
    } else this.parts.push(bytes.slice());
  }

  /** Its entries; those of a text that is not JSON are its lines as they are. */
  end(): Unframed[] {
    if (this.tooLong) return [];
    const text = utf8Text(concatBytes(this.parts)).replace(/^\ufeff/, '');
    this.parts.length = 0;
    try {
      return [...entriesOf(parseShallowJson(text))];
    } catch {
      return text.split('\n').map((line) => ({ text: line, framing: 'none' as const }));
    }
  }
}
