const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const encoder = new TextEncoder();

/** A text's UTF-8 bytes in base64, as protobuf's JSON has bytes. */
export function encodeBase64(text: string): string {
  const bytes = encoder.encode(text);
  const pieces: string[] = [];
  /** Codes of a piece: as many as a call takes arguments without harm. */
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
    codes[n++] = i + 1 < bytes.length ? alphabet.charCodeAt((three >> 6) & 63) : 61;
    codes[n++] = i + 2 < bytes.length ? alphabet.charCodeAt(three & 63) : 61;
    if (n === codes.length) flush();
  }
  flush();
  return pieces.join('');
}

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
