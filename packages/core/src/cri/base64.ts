const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const encoder = new TextEncoder();

/** Base64 of a text's UTF-8 bytes: how the CRI's `bytes` fields carry text. */
export function base64Encode(text: string): string {
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
