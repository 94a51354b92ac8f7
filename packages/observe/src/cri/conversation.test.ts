import { utf8Bytes } from '@syncloop/core/base';
import { rpcCodecs } from '@syncloop/core/cri/codec';
import { readMessage } from '@syncloop/core/cri/wire';
import { describe, expect, it } from 'vitest';
import type { Evidence } from '../evidence/index.js';
import {
  answer,
  bytes,
  F,
  frame,
  headers,
  message,
  PREFACE,
  request,
  settings,
  T,
  trailers,
  u32,
} from '../testing/socket.js';
import { Conversation, type ConversationOptions, UNKNOWN_METHOD } from './conversation.js';

const path = (method: string) => `/runtime.v1.RuntimeService/${method}`;
const version = rpcCodecs.version.request.encode({ version: '0.1.0' });
const versionAnswer = rpcCodecs.version.response.encode({ version: '0.1.0', runtimeName: 'x' });

type Said = readonly ['c' | 's', Uint8Array];
/** Returns the evidence of one connection, 10 microseconds between pieces. */
function hear(said: readonly Said[], options: Partial<ConversationOptions> = {}, close = true): Evidence[] {
  const conversation = new Conversation('cri', { readMessage, ...options });
  const out = conversation.open(1, 0);
  let at = 0;
  for (const [dir, piece] of [['c', PREFACE], ['c', settings], ['s', settings], ...said] as Said[]) {
    at += 10;
    out.push(...conversation.bytes(1, dir, piece, at));
  }
  return close ? [...out, ...conversation.close(1, at + 10)] : out;
}
const brief = (evidence: readonly Evidence[]) =>
  evidence.map((e) => {
    if (e.kind === 'gap') return `gap ${e.why}`;
    if (e.kind === 'call') return `call ${e.method} ${JSON.stringify(e.request)}`;
    if (e.kind !== 'return') return e.kind;
    return `return ${e.method} ${e.error ? `${e.error.code} ${e.error.details}` : JSON.stringify(e.response)}`;
  });
const OK = ['call Version {"version":"0.1.0"}', 'return Version {"version":"0.1.0","runtimeName":"x"}'];

describe('a conversation', () => {
  it('has a call and its return, with the time between them', () => {
    const evidence = hear([
      ['c', request(1, path('Version'), version)],
      ['s', answer(1, versionAnswer)],
    ]);
    expect(brief(evidence)).toEqual(OK);
    expect(evidence).toMatchObject([
      { at: 40, call: 1 },
      { at: 50, call: 1, took: 10 },
    ]);
  });

  it('is the same however its bytes are cut', () => {
    const c = request(1, path('Version'), version);
    const s = answer(1, versionAnswer);
    for (const size of [1, 5, 13]) {
      const cut = (dir: 'c' | 's', all: Uint8Array): Said[] =>
        Array.from({ length: Math.ceil(all.length / size) }, (_, i) => [dir, all.subarray(i * size, (i + 1) * size)]);
      expect(brief(hear([...cut('c', c), ...cut('s', s)]))).toEqual(OK);
    }
  });

  it('reads padding, priority, continuations, and passes over what is not about calls', () => {
    const block = headers({ ':method': 'POST', ':path': path('Version') });
    const padded = bytes([3], u32(0), [0], block.subarray(0, 20), [0, 0, 0]);
    const content = message(version);
    const evidence = hear([
      ['c', frame(T.HEADERS, F.PADDED | F.PRIORITY, 1, padded)],
      ['c', frame(T.CONTINUATION, 0, 1, block.subarray(20, 30))],
      ['c', frame(T.CONTINUATION, F.END_HEADERS, 1, block.subarray(30))],
      ['c', frame(T.PING, 0, 0, new Uint8Array(8))],
      ['c', frame(T.DATA, F.PADDED, 1, bytes([2], content.subarray(0, 3), [0, 0]))],
      ['c', frame(T.WINDOW_UPDATE, 0, 1, u32(100))],
      ['c', frame(200, 0, 7, utf8Bytes('of a type that nobody knows'))],
      ['c', frame(T.DATA, F.END_STREAM, 1, content.subarray(3))],
      ['s', frame(T.PUSH_PROMISE, F.END_HEADERS, 1, bytes(u32(2), headers({ ':path': '/pushed' })))],
      ['s', answer(1, versionAnswer)],
    ]);
    expect(brief(evidence)).toEqual(OK);
  });

  it('reads a stream of answers: container events one by one, chunks of a list as one list', () => {
    const event = (containerId: string) => rpcCodecs.getContainerEvents.response.encode({ containerId });
    const chunk = (id: string) => rpcCodecs.listContainers.response.encode({ containers: [{ id }] });
    const evidence = hear([
      ['c', request(1, path('GetContainerEvents'), bytes())],
      ['s', answer(1, event('a'), event('b'))],
      ['c', request(3, path('StreamContainers'), bytes())],
      ['s', answer(3, chunk('a'), chunk('b'))],
    ]);
    expect(brief(evidence)).toEqual([
      'call GetContainerEvents {}',
      'container-event',
      'container-event',
      'return GetContainerEvents null',
      'call StreamContainers {}',
      'return StreamContainers {"containers":[{"id":"a"},{"id":"b"}]}',
    ]);
    expect(evidence[1]).toMatchObject({ event: { containerId: 'a' } });
  });

  it('has the status of calls that fail, are reset, given up, or end with their connection', () => {
    const call = (stream: number, more = {}) => ['c', request(stream, path('Version'), version, more)] as const;
    const evidence = hear([
      call(1),
      ['s', trailers(1, 5, 'no such thing: %E4%BD%A0 100%25')],
      call(3),
      ['s', frame(T.RST_STREAM, 0, 3, u32(7))],
      call(5),
      ['c', frame(T.RST_STREAM, 0, 5, u32(8))],
      call(7, { 'grpc-timeout': '5u' }),
      ['c', frame(T.RST_STREAM, 0, 7, u32(8))],
      call(9),
      call(11),
      ['s', frame(T.GOAWAY, 0, 0, bytes(u32(9), u32(11), utf8Bytes('too_many_pings')))],
    ]);
    expect(brief(evidence).filter((line) => !line.startsWith('call'))).toEqual([
      'return Version 5 no such thing: 你 100%',
      'return Version 14 the runtime reset the call (HTTP/2 error 7)',
      'return Version 1 the kubelet abandoned the call (HTTP/2 error 8)',
      'return Version 4 the kubelet abandoned the call at its deadline',
      'gap the runtime ends the connection: HTTP/2 error 11, "too_many_pings".',
      'return Version 14 the runtime ended the connection (GOAWAY)',
      'return Version 14 the connection was closed before the call ended',
    ]);
  });

  it('reads compressed messages where the host can, and says so where it cannot', () => {
    const said = (encoding: string): Said[] => [
      [
        'c',
        bytes(
          frame(T.HEADERS, F.END_HEADERS, 1, headers({ ':path': path('Version'), 'grpc-encoding': encoding })),
          frame(T.DATA, F.END_STREAM, 1, message(utf8Bytes('pressed'), true)),
        ),
      ],
      ['s', answer(1, versionAnswer)],
    ];
    const inflate = (encoding: string) => (encoding === 'gzip' ? version : null);
    expect(brief(hear(said('gzip'), { inflate }))).toEqual(OK);
    const unknown = ['call Version null', OK[1]];
    for (const [encoding, options] of [
      ['gzip', {}],
      ['zstd', { inflate }],
    ] as const)
      expect(brief(hear(said(encoding), options))).toEqual([
        `gap A message is compressed (${encoding}) and cannot be read here.`,
        ...unknown,
      ]);
  });

  it('keeps what it does not know under numbers: methods, fields, and an older service name', () => {
    const unknownField = bytes(version, [0x9a, 0x06, 3], utf8Bytes('abc'), [0x98, 0x06, 7]);
    const evidence = hear([
      ['c', request(1, '/runtime.v1alpha2.RuntimeService/Version', unknownField)],
      ['s', answer(1, versionAnswer)],
      ['c', request(3, path('FlyToTheMoon'), bytes([10, 2], utf8Bytes('hi'), [10, 1, 0, 16, 5]))],
      ['s', answer(3, bytes())],
    ]);
    expect(brief(evidence)).toEqual([
      'call Version {"99":["abc","7"],"version":"0.1.0"}',
      OK[1],
      'call FlyToTheMoon {"1":["hi",{"bytes":"AA=="}],"2":"5"}',
      'return FlyToTheMoon {}',
    ]);
  });

  it('passes over messages that are too long or are none, and goes on', () => {
    const long = bytes([0], u32(17 * 1024 * 1024), new Uint8Array(100));
    const evidence = hear([
      ['c', request(1, path('Version'), bytes([0xff, 0xff, 0xff]))],
      ['s', frame(T.HEADERS, F.END_HEADERS, 1, headers({ ':status': '200' }))],
      ['s', frame(T.DATA, 0, 1, long)],
      ...Array.from({ length: 17 * 64 }, (): Said => ['s', frame(T.DATA, 0, 1, new Uint8Array(16_384))]),
      ['s', trailers(1, 0)],
      ['c', request(3, path('Version'), version)],
      ['s', answer(3, versionAnswer)],
    ]);
    expect(brief(evidence)).toEqual([
      expect.stringMatching(/^gap The request of Version cannot be decoded/),
      'call Version null',
      'gap A message of 17825792 bytes of the runtime is not kept: it is longer than any that a kubelet takes.',
      'return Version undefined',
      ...OK,
    ]);
  });

  it('reads an answer that is as long as a kubelet takes', () => {
    const stdout = 'A'.repeat(12 * 1024 * 1024 - 16);
    const payload = message(rpcCodecs.execSync.response.encode({ stdout }));
    const pieces = Array.from({ length: Math.ceil(payload.length / 16_384) }, (_, i): Said => {
      return ['s', frame(T.DATA, 0, 1, payload.subarray(i * 16_384, (i + 1) * 16_384))];
    });
    const evidence = hear([
      ['c', request(1, path('ExecSync'), bytes())],
      ['s', frame(T.HEADERS, F.END_HEADERS, 1, headers({ ':status': '200' }))],
      ...pieces,
      ['s', trailers(1, 0)],
    ]);
    expect(evidence.at(-1)).toMatchObject({ kind: 'return', response: { stdout } });
  });

  it('knows a header again that stands in the table, and none that was made before it looked', () => {
    const indexed = frame(T.HEADERS, F.END_HEADERS, 1, headers({ ':path': path('Version') }, true));
    const again = (stream: number) =>
      bytes(frame(T.HEADERS, F.END_HEADERS, stream, bytes([0x80 | 62])), frame(T.DATA, 1, stream, message(version)));
    const done: Said = ['c', bytes(indexed, frame(T.DATA, 1, 1, message(version)), again(3))];
    expect(brief(hear([done], {}, false))).toEqual([OK[0], OK[0]]);

    const conversation = new Conversation('cri', { readMessage });
    const evidence = conversation.bytes(1, 'c', bytes(again(5), again(7)), 1);
    expect(brief(evidence)).toEqual([
      'gap A connection is seen from its middle: methods and headers of its first calls are unknown.',
      `call ${UNKNOWN_METHOD} {"1":"0.1.0"}`,
      `call ${UNKNOWN_METHOD} {"1":"0.1.0"}`,
    ]);
    const later = frame(T.HEADERS, F.END_HEADERS, 9, headers({ ':path': path('Status') }, true));
    expect(brief(conversation.bytes(1, 'c', bytes(later, frame(T.DATA, 1, 9, message(bytes()))), 2))).toEqual([
      'call Status {}',
    ]);
  });
});
