/** The little of DER (ITU-T X.690) that a certificate needs: writing only. */

/** Tag, length, content. */
export function tlv(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOctets(content.length)]), content]);
}

function lengthOctets(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => tlv(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => tlv(0x31, ...parts);
export const bool = (value: boolean): Buffer => tlv(0x01, Buffer.from([value ? 0xff : 0]));
export const octetString = (...parts: readonly Uint8Array[]): Buffer => tlv(0x04, ...parts);
export const utf8String = (text: string): Buffer => tlv(0x0c, Buffer.from(text, 'utf8'));

/** Context-specific tag: `[n]`, constructed or primitive. */
export const explicit = (n: number, ...parts: readonly Uint8Array[]): Buffer => tlv(0xa0 | n, ...parts);
export const implicit = (n: number, content: Uint8Array): Buffer => tlv(0x80 | n, content);

/** A whole number that is not negative, from its big-endian bytes. */
export function unsigned(bytes: Uint8Array): Buffer {
  let first = 0;
  while (first < bytes.length - 1 && bytes[first] === 0) first++;
  const rest = bytes.subarray(first);
  // A leading one bit would make it negative.
  return tlv(0x02, ...((rest[0] ?? 0) & 0x80 ? [Buffer.from([0])] : []), rest.length > 0 ? rest : Buffer.from([0]));
}

export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return tlv(0x03, Buffer.from([unusedBits]), bytes);
}

/** A named-bit list: bits counted from the left, zeros at the end left out as DER wants. */
export function namedBits(...bits: readonly number[]): Buffer {
  const last = Math.max(...bits);
  const bytes = Buffer.alloc(Math.floor(last / 8) + 1);
  for (const bit of bits) bytes.writeUInt8(bytes.readUInt8(bit >> 3) | (0x80 >> (bit & 7)), bit >> 3);
  return bitString(bytes, 7 - (last % 8));
}

/** `1.2.840.10045.4.3.2` */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes: number[] = [];
  for (const arc of [first * 40 + second, ...rest]) {
    const septets = [arc & 0x7f];
    for (let more = Math.floor(arc / 128); more > 0; more = Math.floor(more / 128))
      septets.unshift((more & 0x7f) | 0x80);
    bytes.push(...septets);
  }
  return tlv(0x06, Buffer.from(bytes));
}

/** UTCTime up to 2049, GeneralizedTime from then on, as RFC 5280 4.1.2.5 wants; whole seconds. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]/g, '').slice(0, 14);
  return date.getUTCFullYear() < 2050
    ? tlv(0x17, Buffer.from(`${digits.slice(2)}Z`, 'latin1'))
    : tlv(0x18, Buffer.from(`${digits}Z`, 'latin1'));
}

/** `-----BEGIN label-----`, 64 characters a line. */
export function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
