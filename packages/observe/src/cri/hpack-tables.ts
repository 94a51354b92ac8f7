/** The tables of HPACK. upstream: RFC 7541, appendices A and B */

/** `name`, or `name value`, from index 1 on. */
const STATIC = `:authority|:method GET|:method POST|:path /|:path /index.html|:scheme http|:scheme https|:status 200|\
:status 204|:status 206|:status 304|:status 400|:status 404|:status 500|accept-charset|accept-encoding gzip, deflate|\
accept-language|accept-ranges|accept|access-control-allow-origin|age|allow|authorization|cache-control|\
content-disposition|content-encoding|content-language|content-length|content-location|content-range|content-type|\
cookie|date|etag|expect|expires|from|host|if-match|if-modified-since|if-none-match|if-range|if-unmodified-since|\
last-modified|link|location|max-forwards|proxy-authenticate|proxy-authorization|range|referer|refresh|retry-after|\
server|set-cookie|strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate`;

export const STATIC_TABLE: readonly { readonly name: string; readonly value: string }[] = STATIC.split('|').map(
  (entry) => {
    const space = entry.indexOf(' ');
    return space < 0 ? { name: entry, value: '' } : { name: entry.slice(0, space), value: entry.slice(space + 1) };
  },
);

/** Bits of the code of each byte, and of the end of the string (256). The code is canonical: the lengths say it all. */
// biome-ignore format: a table
const BITS = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12,
  10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5,
  6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22,
  23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22,
  22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26,
  26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27,
  27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27,
  27, 27, 27, 27, 26, 30,
];
const END = 256;

/**
 * The code as a tree: two cells for each inner node, one for each bit. A positive cell is the node that follows, a
 * negative one the symbol, as `-1 - symbol`.
 */
const TREE = ((): Int16Array => {
  const tree = new Int16Array(2 * 256);
  let nodes = 1;
  let code = 0;
  let length = 0;
  const order = BITS.map((bits, symbol) => ({ bits, symbol })).sort((a, b) => a.bits - b.bits || a.symbol - b.symbol);
  for (const { bits, symbol } of order) {
    code *= 2 ** (bits - length);
    length = bits;
    let node = 0;
    for (let bit = bits - 1; bit >= 0; bit--) {
      const cell = 2 * node + (Math.floor(code / 2 ** bit) & 1);
      if (bit === 0) tree[cell] = -1 - symbol;
      else {
        if (tree[cell] === 0) tree[cell] = nodes++;
        node = tree[cell] as number;
      }
    }
    code++;
  }
  return tree;
})();

/** The text of a Huffman string, one character for each byte; null if it is not a Huffman string. */
export function huffmanText(bytes: Uint8Array): string | null {
  const codes: number[] = [];
  let node = 0;
  /** Bits since the last symbol, and whether all of them are ones: only such may fill the last byte. */
  let open = 0;
  let ones = true;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      const one = (byte >> bit) & 1;
      const next = TREE[2 * node + one] as number;
      if (next < 0) {
        const symbol = -1 - next;
        if (symbol === END) return null;
        codes.push(symbol);
        node = 0;
        open = 0;
        ones = true;
      } else {
        node = next;
        open++;
        ones &&= one === 1;
      }
    }
  }
  return open < 8 && ones ? latin1(codes) : null;
}

/** One character for each byte. */
export function latin1(bytes: ArrayLike<number>): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 4096) {
    const piece = Array.prototype.slice.call(bytes, i, i + 4096) as number[];
    text += String.fromCharCode(...piece);
  }
  return text;
}
