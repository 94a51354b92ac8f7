import { utf8Bytes } from './base64.js';

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
  const message = utf8Bytes(text);
  const bits = message.length * 8;
  message.push(0x80);
  while (message.length % 64 !== 56) message.push(0);
  const words = new DataView(new ArrayBuffer(8));
  words.setBigUint64(0, BigInt(bits));
  for (let i = 0; i < 8; i++) message.push(words.getUint8(i));
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
  return h.map((v) => (v >>> 0).toString(16).padStart(8, '0')).join('');
}
