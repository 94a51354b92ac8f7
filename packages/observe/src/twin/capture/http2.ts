/** Bytes of a conversation on the CRI socket: frames of HTTP/2 with messages of gRPC in them. */
import { concatBytes, utf8Bytes } from '@syncloop/core/base';
import { FrameFlag, FrameType } from '../../cri/frames.js';

export const PREFACE = utf8Bytes('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
/** The longest frame of a peer that has set no other limit. upstream: RFC 9113, SETTINGS_MAX_FRAME_SIZE */
const LONGEST_FRAME = 16_384;

const number = (value: number, size: number): number[] =>
  Array.from({ length: size }, (_, i) => Math.floor(value / 256 ** (size - 1 - i)) % 256);

export const bytes = (...parts: (Uint8Array | readonly number[])[]): Uint8Array<ArrayBuffer> =>
  concatBytes(parts.map((part) => Uint8Array.from(part)));
export const u32 = (value: number): Uint8Array => bytes(number(value, 4));
export const frame = (type: number, flags: number, stream: number, payload: Uint8Array = bytes()): Uint8Array =>
  bytes(number(payload.length, 3), [type, flags], number(stream, 4), payload);
export const settings = frame(FrameType.SETTINGS, 0, 0);

/** Headers as literals: `index` puts them into the table. */
export const headers = (fields: Readonly<Record<string, string>>, index = false): Uint8Array =>
  bytes(...Object.entries(fields).flatMap(([name, value]) => [[index ? 0x40 : 0], text(name), text(value)]));

function text(value: string): Uint8Array {
  const raw = utf8Bytes(value);
  if (raw.length < 127) return bytes([raw.length], raw);
  const length = [127];
  let left = raw.length - 127;
  for (; left >= 128; left = Math.floor(left / 128)) length.push((left % 128) | 128);
  return bytes([...length, left], raw);
}

/** A message of gRPC with its prefix. */
export const message = (payload: Uint8Array, compressed = false): Uint8Array =>
  bytes([compressed ? 1 : 0], number(payload.length, 4), payload);

/** A message in as many DATA frames as it takes. */
export function data(stream: number, payload: Uint8Array, last: boolean): Uint8Array {
  const whole = message(payload);
  const frames: Uint8Array[] = [];
  for (let at = 0; at < whole.length; at += LONGEST_FRAME) {
    const end = last && at + LONGEST_FRAME >= whole.length;
    frames.push(frame(FrameType.DATA, end ? FrameFlag.END_STREAM : 0, stream, whole.subarray(at, at + LONGEST_FRAME)));
  }
  return bytes(...frames);
}

export const request = (stream: number, path: string, payload: Uint8Array, more: Record<string, string> = {}) =>
  bytes(
    frame(FrameType.HEADERS, FrameFlag.END_HEADERS, stream, headers({ ':method': 'POST', ':path': path, ...more })),
    data(stream, payload, true),
  );

/** An answer has begun: messages follow, and trailers in the end. */
export const answerHead = (stream: number) =>
  frame(
    FrameType.HEADERS,
    FrameFlag.END_HEADERS,
    stream,
    headers({ ':status': '200', 'content-type': 'application/grpc' }),
  );
export const trailers = (stream: number, status: number, words = '') =>
  frame(
    FrameType.HEADERS,
    FrameFlag.END_HEADERS | FrameFlag.END_STREAM,
    stream,
    headers({ 'grpc-status': String(status), 'grpc-message': words }),
  );
export const answer = (stream: number, ...payloads: Uint8Array[]) =>
  bytes(answerHead(stream), ...payloads.map((payload) => data(stream, payload, false)), trailers(stream, 0));

/** The caller gives the call up. */
export const cancel = (stream: number) => frame(FrameType.RST_STREAM, 0, stream, u32(8));

/** Returns a text in the encoding of grpc-message. upstream: grpc/doc/PROTOCOL-HTTP2.md, Percent-Encoded */
export const percentEncoded = (words: string): string =>
  [...utf8Bytes(words)]
    .map((byte) =>
      byte >= 0x20 && byte <= 0x7e && byte !== 0x25
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');
