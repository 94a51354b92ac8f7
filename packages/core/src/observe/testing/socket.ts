/** A conversation on the CRI socket, made by hand: frames of HTTP/2 with messages of gRPC in them. */
import { concatBytes, utf8Bytes } from '../../base/index.js';
import { FrameFlag, FrameType } from '../cri/frames.js';

export { FrameFlag as F, FrameType as T };

export const PREFACE = utf8Bytes('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const number = (value: number, size: number): number[] =>
  Array.from({ length: size }, (_, i) => Math.floor(value / 256 ** (size - 1 - i)) % 256);

export const bytes = (...parts: (Uint8Array | readonly number[])[]): Uint8Array<ArrayBuffer> =>
  concatBytes(parts.map((part) => Uint8Array.from(part)));
export const frame = (type: number, flags: number, stream: number, payload: Uint8Array = bytes()): Uint8Array =>
  bytes(number(payload.length, 3), [type, flags], number(stream, 4), payload);
export const settings = frame(FrameType.SETTINGS, 0, 0);
export const u32 = (value: number): Uint8Array => bytes(number(value, 4));

/** Headers as literals: `index` puts them into the table. */
export const headers = (fields: Readonly<Record<string, string>>, index = false): Uint8Array =>
  bytes(...Object.entries(fields).flatMap(([name, value]) => [[index ? 0x40 : 0], text(name), text(value)]));
const text = (value: string): Uint8Array => {
  const raw = utf8Bytes(value);
  return bytes(raw.length < 127 ? [raw.length] : [127, ((raw.length - 127) % 128) | 128, (raw.length - 127) >> 7], raw);
};

/** A message of gRPC with its prefix. */
export const message = (payload: Uint8Array, compressed = false): Uint8Array =>
  bytes([compressed ? 1 : 0], number(payload.length, 4), payload);

export const request = (stream: number, path: string, payload: Uint8Array, more: Record<string, string> = {}) =>
  bytes(
    frame(FrameType.HEADERS, FrameFlag.END_HEADERS, stream, headers({ ':method': 'POST', ':path': path, ...more })),
    frame(FrameType.DATA, FrameFlag.END_STREAM, stream, message(payload)),
  );
export const trailers = (stream: number, status: number, words = '') =>
  frame(
    FrameType.HEADERS,
    FrameFlag.END_HEADERS | FrameFlag.END_STREAM,
    stream,
    headers({ 'grpc-status': String(status), 'grpc-message': words }),
  );
export const answer = (stream: number, ...payloads: Uint8Array[]) =>
  bytes(
    frame(
      FrameType.HEADERS,
      FrameFlag.END_HEADERS,
      stream,
      headers({ ':status': '200', 'content-type': 'application/grpc' }),
    ),
    ...payloads.map((payload) => frame(FrameType.DATA, 0, stream, message(payload))),
    trailers(stream, 0),
  );
