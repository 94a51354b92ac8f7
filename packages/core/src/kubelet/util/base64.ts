export { base64Encode } from '../../cri/base64.js';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const reverse = new Map([...alphabet].map((c, i) => [c, i]));

/** UTF-8 bytes of a text; a lone surrogate becomes U+FFFD. */
export function utf8Bytes(text: string): number[] {
  const out: number[] = [];
  for (const char of text) {
    let c = char.codePointAt(0) as number;
    if (c >= 0xd800 && c <= 0xdfff) c = 0xfffd;
    if (c < 0x80) out.push(c);
    else if (c < 0x800) out.push(0xc0 | (c >> 6), 0x80 | (c & 63));
    else if (c < 0x10000) out.push(0xe0 | (c >> 12), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
    else out.push(0xf0 | (c >> 18), 0x80 | ((c >> 12) & 63), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
  }
  return out;
}

/** Text of UTF-8 bytes; what is no UTF-8 becomes U+FFFD. */
export function utf8Text(bytes: ArrayLike<number>): string {
  let out = '';
  for (let i = 0; i < bytes.length; ) {
    const b = bytes[i] as number;
    const length = b < 0x80 ? 1 : b >= 0xc2 && b < 0xe0 ? 2 : b >= 0xe0 && b < 0xf0 ? 3 : b >= 0xf0 && b < 0xf5 ? 4 : 0;
    let c = length === 1 ? b : b & (0xff >> (length + 1));
    let ok = length > 0;
    for (let k = 1; ok && k < length; k++) {
      const next = bytes[i + k] ?? 0;
      if ((next & 0xc0) !== 0x80) ok = false;
      c = (c << 6) | (next & 63);
    }
    ok &&=
      !(length === 3 && (c < 0x800 || (c >= 0xd800 && c <= 0xdfff))) &&
      !(length === 4 && (c < 0x10000 || c > 0x10ffff));
    out += ok ? String.fromCodePoint(c) : '\ufffd';
    i += ok ? length : 1;
  }
  return out;
}

/** Decodes base64 to text, read as UTF-8; characters outside the alphabet are skipped. */
export const base64Decode = (data: string | undefined): string => utf8Text(base64Bytes(data));

/** Decodes base64 to bytes; characters outside the alphabet are skipped. */
export function base64Bytes(data: string | undefined): number[] {
  const bytes: number[] = [];
  let bits = 0;
  let n = 0;
  for (const char of data ?? '') {
    const v = reverse.get(char);
    if (v === undefined) continue;
    n = ((n << 6) | v) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((n >> bits) & 0xff);
    }
  }
  return bytes;
}
