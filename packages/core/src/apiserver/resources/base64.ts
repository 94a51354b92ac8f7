const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function utf8(text: string): number[] {
  const out: number[] = [];
  for (const char of text) {
    const c = char.codePointAt(0) as number;
    if (c < 0x80) out.push(c);
    else if (c < 0x800) out.push(0xc0 | (c >> 6), 0x80 | (c & 63));
    else if (c < 0x10000) out.push(0xe0 | (c >> 12), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
    else out.push(0xf0 | (c >> 18), 0x80 | ((c >> 12) & 63), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
  }
  return out;
}

/** A text's UTF-8 bytes in base64. */
export function base64(text: string): string {
  const bytes = utf8(text);
  let out = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const n = ((bytes[i] as number) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    out += (alphabet[n >> 18] as string) + (alphabet[(n >> 12) & 63] as string);
    out += i + 1 < bytes.length ? alphabet[(n >> 6) & 63] : '=';
    out += i + 2 < bytes.length ? alphabet[n & 63] : '=';
  }
  return out;
}
/** As JWTs have it: without padding, safe in URLs. */
export const base64url = (text: string): string =>
  base64(text).replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_');

/** Text of a base64 text whose bytes are ASCII; null where it is none. */
export function fromBase64url(text: string): string | null {
  let bits = 0;
  let n = 0;
  let out = '';
  for (const c of text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')) {
    const v = alphabet.indexOf(c);
    if (v < 0) return null;
    n = ((n << 6) | v) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out += String.fromCharCode((n >> bits) & 255);
    }
  }
  return out;
}
/** Bytes that a base64 text stands for. */
export const base64Length = (text: string): number => {
  const bare = text.replace(/\s/g, '');
  return Math.floor((bare.length * 3) / 4) - (bare.endsWith('==') ? 2 : bare.endsWith('=') ? 1 : 0);
};
