const encoder = new TextEncoder();

/** The offset basis, 32 bits each, the lowest first. */
const offset: readonly [number, number, number, number] = [0x6295c58d, 0x62b82175, 0x07bb0142, 0x6c62272e];

/** FNV-1a, 128 bit, of the UTF-8 text: 32 hex digits. upstream: hash/fnv New128a */
export function fnv128a(text: string): string {
  let [a, b, c, d] = offset;
  // Times the prime 2^88 + 0x13b: a product with its lowest part, and what the highest bit moves 88 places up.
  for (const byte of encoder.encode(text)) {
    const low = (a ^ byte) >>> 0;
    const p = low * 0x13b;
    const q = b * 0x13b + Math.floor(p / 0x1_0000_0000);
    const r = c * 0x13b + Math.floor(q / 0x1_0000_0000) + ((low << 24) >>> 0);
    d = (d * 0x13b + Math.floor(r / 0x1_0000_0000) + (low >>> 8) + ((b << 24) >>> 0)) >>> 0;
    c = r >>> 0;
    b = q >>> 0;
    a = p >>> 0;
  }
  return [d, c, b, a].map((n) => n.toString(16).padStart(8, '0')).join('');
}
