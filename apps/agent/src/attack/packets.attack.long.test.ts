/**
 * Whatever a socket sends, nobody else notices: every kind of packet that the three protocols have, and many that they
 * have not.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { openClassroom } from '../classroom/classroom-host.js';
import { serveSession } from '../server/session-host.js';
import { frameOf, RawClient, upgrade } from '../testing/raw-socket.js';
import { TestSession } from '../testing/session.js';

/** socket.io's packets; `@` means the namespace. */
const packets = [
  '42@',
  '42@[]',
  '42@[1,2]',
  '42@[-0.5]',
  '42@[null]',
  '42@[true]',
  '42@[{}]',
  '42@[["m"]]',
  '42@{"a":1}',
  '42@"m"',
  '42@7',
  '42@["m"]',
  '42@["c"]',
  '42@["m",null]',
  '42@["m",17]',
  '42@["m",[]]',
  '42@["m",{"type":{}}]',
  '42@["m",{"type":"__proto__"}]',
  '42@["m",{"type":"hello","protocol":"x"}]',
  '42@["m",',
  '42@["error",{}]',
  '42@["connect"]',
  '42@["disconnect"]',
  '42@["newListener"]',
  '42@["__proto__"]',
  '42@["constructor",{"type":"ack"}]',
  '42@7["m"]',
  '42@7[1]',
  '42@7',
  '42@99999999999999999999["m",{}]',
  '42/other,["m",{}]',
  '42/,["m",{}]',
  '42/',
  `42@["${'m'.repeat(3000)}"]`,
  `42@${'['.repeat(3000)}`,
  `42@["m",${'['.repeat(1000)}${']'.repeat(1000)}]`,
  '43@',
  '43@1[]',
  '43@1[{"a":1}]',
  '44@',
  '44@"no"',
  '44@{}',
  '45@1-["m",{"_placeholder":true,"num":0}]',
  '45@1-',
  '451-["m",{"_placeholder":true,"num":0}]',
  '4599-[]',
  '46@1-[]',
  '461-1["m"]',
  '40@',
  '40@{}',
  '40@{"token":{"length":3}}',
  '40@null',
  '40@[]',
  '40/other,{}',
  `40/${'n'.repeat(3000)},{}`,
  '40/__proto__,{}',
  '40/class?a=1,{}',
  '41@',
  '41@["x"]',
  '41/other,',
  '47',
  '4',
  '4x',
  '0',
  '0{"sid":"x"}',
  '1',
  '2',
  '2probe',
  '3',
  '3probe',
  '5',
  '6',
  '7',
  'b4AAAA',
  'x',
  '\u0000',
  '\u{1f600}',
];
const text = (s: string) => Buffer.from(s);
/** Frames that a WebSocket must not send: an unmasked one, one with a reserved bit. */
const with0 = (bits: number, frame: Buffer) =>
  Buffer.concat([Buffer.from([(frame[0] as number) | bits]), frame.subarray(1)]);
const frames: Readonly<Record<string, Buffer>> = {
  empty: frameOf(text('')),
  binary: frameOf(text('4'), 2),
  'binary of nothing': frameOf(text(''), 2),
  'a ping': frameOf(text('x'.repeat(125)), 9),
  'a pong that nobody asked for': frameOf(text('x'.repeat(125)), 10),
  'a long ping': frameOf(text('x'.repeat(126)), 9),
  'half a ping': frameOf(text('x'), 9, false),
  'a continuation of nothing': frameOf(text('x'), 0),
  'a message within a message': Buffer.concat([frameOf(text('42'), 1, false), frameOf(text('42'))]),
  'a ping within a message': Buffer.concat([
    frameOf(text('42'), 1, false),
    frameOf(text(''), 9),
    frameOf(text('["m"]'), 0),
  ]),
  'a message in fragments of nothing': Buffer.concat([
    frameOf(text(''), 1, false),
    ...Array.from({ length: 100 }, () => frameOf(text(''), 0, false)),
  ]),
  'no UTF-8': frameOf(Buffer.from([0x34, 0x32, 0xff, 0xfe])),
  compressed: with0(0x40, frameOf(text('42["m"]'))),
  'with reserved bits': with0(0x30, frameOf(text('42["m"]'))),
  'an unknown opcode': frameOf(text('x'), 3),
  'an unknown control opcode': frameOf(text('x'), 11),
  unmasked: Buffer.from([0x81, 1, 0x32]),
  'longer than memory': Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]),
  'a goodbye': frameOf(Buffer.from([0x03, 0xe8]), 8),
  'a goodbye without a reason': frameOf(text(''), 8),
  'half a goodbye': frameOf(text('x'), 8),
  'a goodbye of an unknown kind': frameOf(Buffer.from([0, 1]), 8),
  'words after a goodbye': Buffer.concat([frameOf(Buffer.from([0x03, 0xe8]), 8), frameOf(text('42["m"]'))]),
  'no frame': text('GET / HTTP/1.1\r\n\r\n'),
};

/** The senders of packets: the token, the namespace, and the event that carries it. */
const senders = {
  'a stranger of the session': { at: 'session', token: null, namespace: '' },
  'a stranger of the class': { at: 'audience', token: null, namespace: '/class,' },
  'who controls': { at: 'session', token: 'token', namespace: '' },
  'who may look': { at: 'session', token: 'observer', namespace: '' },
  'who presents': { at: 'session', token: 'token', namespace: '/class,' },
  'who follows': { at: 'audience', token: 'token', namespace: '/class,' },
} as const;

async function served() {
  const common = { host: '127.0.0.1', port: 0, webRoot: '/nonexistent', remedy: '' };
  // With this clock each socket is new: each packet is looked at by itself.
  let now = 0;
  const clock = { now: () => (now += 60_001) };
  const audience = await openClassroom({ ...common, ...clock, most: 10 });
  onTestFinished(() => audience.close());
  const session = await serveSession(new TestSession(), {
    ...common,
    ...clock,
    control: true,
    extend: (io, gate) => audience.present(io, gate),
  });
  onTestFinished(() => session.close());
  const enter = async (at: 'session' | 'audience', token: 'token' | 'observer' | null, namespace: string) => {
    const socket = await upgrade(at === 'session' ? session.port : audience.port);
    if ('status' in socket) throw new Error(`refused: ${socket.status}`);
    const client = new RawClient(socket);
    await client.until(() => client.packets.length > 0);
    if (token === null) return client;
    const given = at === 'audience' ? audience.token : session[token];
    client.text(`40${namespace}${JSON.stringify({ token: given })}`);
    await client.until(() => client.packets.some((p) => /^4[04]/.test(p)));
    return client;
  };
  return enter;
}

describe.each(Object.entries(senders))('%s', (_name, { at, token, namespace }) => {
  it('ends nobody but itself by any packet', async () => {
    const enter = await served();
    const extractors = [
      { client: await enter('session', 'token', ''), say: '42["m",{"type":"hello","protocol":1}]' },
      { client: await enter('session', 'token', '/class,'), say: '42/class,["c",null]' },
      { client: await enter('audience', 'token', '/class,'), say: '42/class,["c",null]' },
    ];
    onTestFinished(() => {
      for (const { client } of extractors) client.close();
    });
    const all = [
      ...packets.map((p) => [p, frameOf(text(p.replace('@', namespace)))] as const),
      ...Object.entries(frames),
      [
        'one of each in one piece',
        Buffer.concat(packets.map((p) => frameOf(text(p.replace('@', namespace))))),
      ] as const,
    ];
    for (const [name, bytes] of all) {
      const client = await enter(at, token, namespace);
      const before = client.packets.length;
      client.write(bytes);
      // It gets an answer to this, or to its next message, or is gone.
      client.text(`42${namespace}["nobody knows"]`);
      await client.until(() => client.packets.length > before).catch(() => {});
      expect(client.closed || client.packets.length > before, name).toBe(true);
      client.close();
    }
    for (const { client, say } of extractors) {
      const before = client.packets.length;
      client.text(say);
      await client.until(() => client.packets.length > before);
    }
    expect(extractors.some(({ client }) => client.closed)).toBe(false);
  });
});
