export { base64Encode as encodeBase64 } from '../cri/base64.js';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The bytes of a base64 text. */
export function decodeBase64(text: string): number[] {
  const out: number[] = [];
  let bits = 0;
  let n = 0;
  for (const c of text) {
    const v = alphabet.indexOf(c);
    if (v < 0) continue;
    n = ((n << 6) | v) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out.push((n >> bits) & 255);
    }
  }
  return out;
}

/** The text whose UTF-8 bytes a base64 text holds. */
export function decodeText(text: string): string {
  const bytes = decodeBase64(text);
  let out = '';
  for (let i = 0; i < bytes.length; ) {
    const b = bytes[i++] as number;
    const more = b < 0x80 ? 0 : b < 0xe0 ? 1 : b < 0xf0 ? 2 : 3;
    let code = more === 0 ? b : b & (0x3f >> more);
    for (let k = 0; k < more; k++) code = (code << 6) | ((bytes[i++] ?? 0) & 63);
    out += String.fromCodePoint(code);
  }
  return out;
}
