/** Hashes. Only SHA-256 withstands somebody who looks for two texts with one hash. */
import { utf8Bytes } from './bytes.js';

/** The offset basis of FNV-1a with 32 bits. */
export const FNV32_OFFSET = 0x811c9dc5;
const FNV32_PRIME = 0x01000193;

/** FNV-1a, 32 bits, unsigned. upstream: hash/fnv New32a */
export function fnv32a(bytes: Iterable<number>): number {
  let h = FNV32_OFFSET;
  for (const b of bytes) h = fnv32aAdd(h, b);
  return h >>> 0;
}

/** One step of FNV-1a, 32 bits, signed. */
export const fnv32aAdd = (hash: number, value: number): number => Math.imul(hash ^ value, FNV32_PRIME);

/** FNV-1a over the UTF-16 units of a text, 32 bits, signed: quick, and not what Go makes of texts beyond ASCII. */
export function fnv32aText(text: string, offset = FNV32_OFFSET): number {
  let h = offset;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), FNV32_PRIME);
  return h;
}

/** FNV-1a, 64 bits. upstream: hash/fnv New64a */
export function fnv64a(bytes: Iterable<number>): bigint {
  let h = 0xcbf29ce484222325n;
  for (const b of bytes) h = BigInt.asUintN(64, (h ^ BigInt(b)) * 0x100000001b3n);
  return h;
}

/** The offset of FNV-1a of 128 bits, 32 bits each, the lowest first. */
const offset128: readonly [number, number, number, number] = [0x6295c58d, 0x62b82175, 0x07bb0142, 0x6c62272e];

/** FNV-1a, 128 bits, of the UTF-8 bytes of a text: 32 hexadecimal digits. upstream: hash/fnv New128a */
export function fnv128a(text: string): string {
  let [a, b, c, d] = offset128;
  // Times the prime 2^88 + 0x13b: a product with its lowest part, and what the highest bit moves 88 places up.
  for (const byte of utf8Bytes(text)) {
    const low = (a ^ byte) >>> 0;
    const p = low * 0x13b;
    const q = b * 0x13b + Math.floor(p / 0x1_0000_0000);
    const r = c * 0x13b + Math.floor(q / 0x1_0000_0000) + ((low << 24) >>> 0);
    d = (d * 0x13b + Math.floor(r / 0x1_0000_0000) + (low >>> 8) + ((b << 24) >>> 0)) >>> 0;
    c = r >>> 0;
    b = q >>> 0;
    a = p >>> 0;
  }
  return [d, c, b, a].map(hex32).join('');
}

/** 32 bits as eight hexadecimal digits. */
export const hex32 = (n: number): string => (n >>> 0).toString(16).padStart(8, '0');

const primes = (n: number): number[] => {
  const out: number[] = [];
  for (let i = 2; out.length < n; i++) if (out.every((p) => i % p !== 0)) out.push(i);
  return out;
};
/** The first 32 bits of the fraction. */
const fraction = (x: number): number => ((x - Math.floor(x)) * 2 ** 32) | 0;

const k = primes(64).map((p) => fraction(Math.cbrt(p)));
const initial = primes(8).map((p) => fraction(Math.sqrt(p)));

const rotate = (x: number, n: number): number => (x >>> n) | (x << (32 - n));

/** SHA-256 of a text's UTF-8 bytes, in hexadecimal (FIPS 180-4). */
export function sha256(text: string): string {
  const bytes = utf8Bytes(text);
  // A bit that is set, zeros, and the length in bits as eight bytes: whole blocks of 64 bytes.
  const message = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  message.set(bytes);
  message[bytes.length] = 0x80;
  new DataView(message.buffer).setBigUint64(message.length - 8, BigInt(bytes.length) * 8n);
  const h = [...initial];
  const w = new Int32Array(64);
  for (let at = 0; at < message.length; at += 64) {
    for (let i = 0; i < 16; i++) {
      const from = at + i * 4;
      let word = 0;
      for (let n = 0; n < 4; n++) word = (word << 8) | (message[from + n] as number);
      w[i] = word;
    }
    for (let i = 16; i < 64; i++) {
      const x = w[i - 15] as number;
      const y = w[i - 2] as number;
      const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
      const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
      w[i] = ((w[i - 16] as number) + s0 + (w[i - 7] as number) + s1) | 0;
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, last = 0] = h;
    for (let i = 0; i < 64; i++) {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const t1 = (last + s1 + ((e & f) ^ (~e & g)) + (k[i] as number) + (w[i] as number)) | 0;
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      last = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    for (const [i, v] of [a, b, c, d, e, f, g, last].entries()) h[i] = ((h[i] as number) + v) | 0;
  }
  return h.map(hex32).join('');
}
