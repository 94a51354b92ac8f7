import { join } from 'node:path';
import type { Registration } from '@syncloop/core/host';
import { background, receive } from '@syncloop/core/kernel';
import { HpackDecoder } from '@syncloop/observe/hpack';
import { describe, expect, it, onTestFinished } from 'vitest';
import { realKernel, run, tempFolder } from '../testing/harness.js';
import { AuthorityRewriter } from './authority.js';
import { nodePluginHost } from './host.js';
import { register } from './testing/fake-plugin.js';

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const HEADERS = 1;
const SETTINGS = 4;
const CONTINUATION = 9;

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, payload]);
}

/** Returns a literal; `first` decides whether it goes into the table (0x40). */
function field(name: string, value: string, first = 0x00): Buffer {
  return Buffer.concat([
    Buffer.from([first, name.length]),
    Buffer.from(name),
    Buffer.from([value.length]),
    Buffer.from(value),
  ]);
}

const path = '/var/lib/kubelet/device-plugins/kubelet.sock';
const block = (authority: string) => Buffer.concat([field(':method', 'POST'), field(':authority', authority, 0x40)]);

/** Reads the frames of the output, with the headers of each block. */
function read(bytes: Buffer) {
  const decoder = new HpackDecoder(true);
  const frames: { type: number; flags: number; stream: number; fields?: string[] }[] = [];
  let held = Buffer.alloc(0);
  for (let at = preface.length; at < bytes.length; ) {
    const length = bytes.readUIntBE(at, 3);
    const [type, flags] = [bytes[at + 3] as number, bytes[at + 4] as number];
    const payload = bytes.subarray(at + 9, at + 9 + length);
    const stream = bytes.readUInt32BE(at + 5);
    if (type === HEADERS || type === CONTINUATION) held = Buffer.concat([held, payload]);
    const whole = (type === HEADERS || type === CONTINUATION) && flags & 4;
    const fields = whole ? decoder.decode(held).map(({ name, value }) => `${name}=${value}`) : undefined;
    if (whole) held = Buffer.alloc(0);
    frames.push({ type, flags, stream, ...(fields && { fields }) });
    at += 9 + length;
  }
  return frames;
}

function rewritten(bytes: Buffer, step = bytes.length): Buffer {
  const rewriter = new AuthorityRewriter();
  const out: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += step) out.push(rewriter.push(bytes.subarray(at, at + step)));
  return Buffer.concat(out);
}

describe('the host that a client names', () => {
  it.each([
    [path, 'localhost'],
    ['passthrough:///x', 'localhost'],
    ['localhost', 'localhost'],
    ['%2Fvar%2Flib', '%2Fvar%2Flib'],
    ['[::1]:80', '[::1]:80'],
    ['', ''],
  ])('%j comes in as %j', (given, seen) => {
    const [, headers] = read(
      rewritten(Buffer.concat([preface, frame(SETTINGS, 0, 0, Buffer.alloc(0)), frame(HEADERS, 5, 1, block(given))])),
    );
    expect(headers).toEqual({ type: HEADERS, flags: 5, stream: 1, fields: [':method=POST', `:authority=${seen}`] });
  });

  it('is found however the bytes come, and in headers of several frames, padded and with a priority', () => {
    const whole = block(path);
    const padded = Buffer.concat([Buffer.from([3, 0, 0, 0, 0, 16]), whole.subarray(0, 10), Buffer.alloc(3)]);
    const bytes = Buffer.concat([
      preface,
      frame(HEADERS, 0x28, 1, padded),
      frame(CONTINUATION, 0, 1, whole.subarray(10, 20)),
      frame(CONTINUATION, 4, 1, whole.subarray(20)),
      // The second request refers to the table, in which the first one has put the name.
      frame(HEADERS, 5, 3, Buffer.concat([field(':method', 'POST'), Buffer.from([0x80 | 62])])),
    ]);
    const expected = read(rewritten(bytes));
    expect(expected.map((f) => f.fields?.[1])).toEqual([':authority=localhost', ':authority=localhost']);
    for (const step of [1, 7, 33]) expect(rewritten(bytes, step)).toEqual(rewritten(bytes));
  });

  it('leaves all other bytes as they are', () => {
    const rest = Buffer.concat([
      frame(0, 1, 1, Buffer.from('body')),
      frame(6, 0, 0, Buffer.alloc(8, 7)),
      frame(200, 9, 5, Buffer.from('?')),
    ]);
    const out = rewritten(Buffer.concat([preface, frame(HEADERS, 4, 1, block(path)), rest]));
    expect(out.subarray(0, preface.length)).toEqual(preface);
    expect(out.subarray(-rest.length)).toEqual(rest);
  });

  it('splits headers that are longer than a frame', () => {
    const long = Array.from({ length: 200 }, (_, i) => field(`x-${i}`, 'v'.repeat(100)));
    const [first, ...others] = [block(path), ...long];
    const frames = [
      frame(HEADERS, 0, 1, first as Buffer),
      ...others.map((part, i) => frame(CONTINUATION, i === others.length - 1 ? 4 : 0, 1, part)),
    ];
    const out = read(rewritten(Buffer.concat([preface, ...frames])));
    expect(out.map((f) => f.type)).toEqual([HEADERS, CONTINUATION]);
    expect(out[1]?.fields).toHaveLength(202);
  });

  it.each([
    ['headers of another connection', frame(HEADERS, 4, 1, Buffer.from([0x80 | 70]))],
    [
      'another frame within headers',
      Buffer.concat([frame(HEADERS, 0, 1, block(path)), frame(SETTINGS, 0, 0, Buffer.alloc(0))]),
    ],
    ['a continuation of nothing', frame(CONTINUATION, 4, 1, block(path))],
    ['more padding than there is', frame(HEADERS, 0x0c, 1, Buffer.from([200, 0]))],
    ['a frame that is too large', frame(0, 0, 1, Buffer.alloc(16_385))],
    [
      'headers without end',
      Buffer.concat([
        frame(HEADERS, 0, 1, block(path)),
        ...Array.from({ length: 5 }, () => frame(CONTINUATION, 0, 1, Buffer.alloc(16_384))),
      ]),
    ],
    [
      'a few bytes that stand for megabytes',
      frame(
        HEADERS,
        4,
        1,
        Buffer.concat([
          Buffer.from([0x40, 1, 0x78, 127, 0x81, 0x1c]),
          Buffer.alloc(3712, 0x61),
          Buffer.alloc(12_000, 0x80 | 62),
        ]),
      ),
    ],
  ])('is not looked for in %s', (_what, bytes) => {
    expect(() => rewritten(Buffer.concat([preface, bytes]))).toThrow();
  });

  it('may be the path of the socket: such a plug-in registers', async () => {
    const kernel = realKernel();
    const host = nodePluginHost();
    onTestFinished(() => host.close());
    const socket = join(await tempFolder(), 'kubelet.sock');
    const chan = await run(kernel, () => host.serveRegistration(background, socket));
    const asked = register(socket, { version: 'v1beta1' }, { authority: socket });
    const [registration] = await run(kernel, () => receive(chan));
    (registration as Registration).answer(null);
    await asked;
  });
});
