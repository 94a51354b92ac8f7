/** UTF-16, as PowerShell's `>` writes it, as UTF-8. */
import { utf8Bytes } from '@syncloop/core/base';

/** The number of bytes that show the encoding of a text. */
export const ENCODING_MARK = 4;

/** The encoding of a text by its first bytes: a byte order mark, or zeros between letters. */
export function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  const [a, b, c, d] = bytes;
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  if (bytes.length < ENCODING_MARK) return 'utf-8';
  if (a !== 0 && b === 0 && c !== 0 && d === 0) return 'utf-16le';
  if (a === 0 && b !== 0 && c === 0 && d !== 0) return 'utf-16be';
  return 'utf-8';
}

/** Makes UTF-8 of the bytes of a text, which come in pieces of any size. Places are then those of the UTF-8. */
export class ToUTF8 {
  private readonly decoder: TextDecoder | null;

  /** `first`: the first bytes, at least `ENCODING_MARK` of them unless the text is shorter. */
  constructor(first: Uint8Array) {
    const encoding = encodingOf(first);
    this.decoder = encoding === 'utf-8' ? null : new TextDecoder(encoding);
  }

  push(bytes: Uint8Array): Uint8Array {
    return this.decoder ? utf8Bytes(this.decoder.decode(bytes, { stream: true })) : bytes;
  }
  end(): Uint8Array {
    return this.decoder ? utf8Bytes(this.decoder.decode()) : new Uint8Array(0);
  }
}

/** All of these bytes as UTF-8. */
export function asUTF8(bytes: Uint8Array): Uint8Array {
  const text = new ToUTF8(bytes);
  return text.push(bytes);
}
