import { utf8Bytes } from './base64.js';

const offset = 0x6c62272e07bb014262b821756295c58dn;
const prime = 0x0000000001000000000000000000013bn;
const mask = (1n << 128n) - 1n;

/** FNV-1a, 128 bit, of the UTF-8 text: 32 hex digits. upstream: hash/fnv New128a */
export function fnv128a(text: string): string {
  let h = offset;
  for (const byte of utf8Bytes(text)) h = ((h ^ BigInt(byte)) * prime) & mask;
  return h.toString(16).padStart(32, '0');
}
