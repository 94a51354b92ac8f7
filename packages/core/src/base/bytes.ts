/** Bytes and the texts that carry them: UTF-8, base64, base64url, hexadecimal. */

const encoder = new TextEncoder();
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The UTF-8 bytes of a text. A lone surrogate becomes U+FFFD. */
export const utf8Bytes = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);

/** The text of UTF-8 bytes. Throws a TypeError for bytes that are not UTF-8. */
export const utf8TextStrict = (bytes: Uint8Array): string => strict.decode(bytes);

/** The text of UTF-8 bytes. Each byte that is not UTF-8 becomes one U+FFFD, as in Go. */
export function utf8Text(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return lenient(bytes);
  }
}

function lenient(bytes: Uint8Array): string {
  const pieces: string[] = [];
  let valid = 0;
  for (let i = 0; i < bytes.length; ) {
    const length = sequenceLength(bytes, i);
    if (length > 0) {
      i += length;
      continue;
    }
    pieces.push(strict.decode(bytes.subarray(valid, i)), '\ufffd');
    valid = ++i;
  }
  pieces.push(strict.decode(bytes.subarray(valid)));
  return pieces.join('');
}

/** Returns the number of bytes of the character at `at`; 0 if none begins there. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (let k = 1; k < length; k++) if (((bytes[at + k] ?? 0) & 0xc0) !== 0x80) return 0;
  const second = bytes[at + 1] ?? 0;
  // Longer than it had to be, half of a surrogate pair, or above U+10FFFF.
  if ((first === 0xe0 && second < 0xa0) || (first === 0xed && second > 0x9f)) return 0;
  if ((first === 0xf0 && second < 0x90) || (first === 0xf4 && second > 0x8f)) return 0;
  return length;
}

/** One array of all these bytes. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Two hexadecimal digits for each byte. */
export const hexText = (bytes: Iterable<number>): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The bytes that hexadecimal digits stand for. Throws an Error for any other text. */
export function hexBytes(text: string): Uint8Array<ArrayBuffer> {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text))
    throw new Error(`${JSON.stringify(text.slice(0, 64))} is not hexadecimal`);
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16));
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** The value of each character, by its code; -1 for those without one. */
const values = new Int8Array(128).fill(-1);
for (let i = 0; i < alphabet.length; i++) values[alphabet.charCodeAt(i)] = i;
const padding = '='.charCodeAt(0);

/** Bytes, or the UTF-8 bytes of a text, as base64 with padding. */
export function base64Encode(data: string | Uint8Array): string {
  const bytes = typeof data === 'string' ? encoder.encode(data) : data;
  const pieces: string[] = [];
  /** The size of a chunk: one call may take so many arguments. */
  const codes = new Uint8Array(8192);
  let n = 0;
  const flush = () => {
    pieces.push(String.fromCharCode(...codes.subarray(0, n)));
    n = 0;
  };
  for (let i = 0; i < bytes.length; i += 3) {
    const three = ((bytes[i] as number) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    codes[n++] = alphabet.charCodeAt(three >> 18);
    codes[n++] = alphabet.charCodeAt((three >> 12) & 63);
    codes[n++] = i + 1 < bytes.length ? alphabet.charCodeAt((three >> 6) & 63) : padding;
    codes[n++] = i + 2 < bytes.length ? alphabet.charCodeAt(three & 63) : padding;
    if (n === codes.length) flush();
  }
  flush();
  return pieces.join('');
}

/** The bytes that base64 stands for. Characters outside the alphabet, padding among them, are skipped. */
export function base64Bytes(data: string | undefined): Uint8Array<ArrayBuffer> {
  const text = data ?? '';
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const value = values[text.charCodeAt(i)] ?? -1;
    if (value < 0) continue;
    held = ((held << 6) | value) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[length++] = (held >> bits) & 0xff;
    }
  }
  return bytes.slice(0, length);
}

/** The text that base64 stands for, read as UTF-8. */
export const base64Decode = (data: string | undefined): string => utf8Text(base64Bytes(data));

/** Returns the number of bytes of a base64 text, without making them. White space does not count. */
export function base64Length(text: string): number {
  const bare = text.replace(/\s/g, '');
  return Math.floor((bare.length * 3) / 4) - (bare.endsWith('==') ? 2 : bare.endsWith('=') ? 1 : 0);
}

/** Base64 as JWTs and links have it: without padding, with characters that are safe in URLs. */
export const base64urlEncode = (data: string | Uint8Array): string =>
  base64Encode(data).replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_');

/**
 * The bytes of a base64url text; null for any other text. Bytes have one spelling: no padding, no white space, zeros
 * if the last character stands for more bits than there are, so that nothing that is known by its text (a token, a
 * signature, a code that is usable once) can be written in another way.
 */
export function base64urlBytes(text: string): Uint8Array<ArrayBuffer> | null {
  const rest = text.length % 4;
  // One character that is left over holds six bits, which do not make a byte.
  if (!/^[A-Za-z0-9_-]*$/.test(text) || rest === 1) return null;
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  const last = rest === 0 ? 0 : (values[standard.charCodeAt(text.length - 1)] as number);
  if ((last & (rest === 2 ? 0b1111 : 0b11)) !== 0) return null;
  return base64Bytes(standard);
}
