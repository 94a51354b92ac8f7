/** Frames of WebSocket, packets of engine.io and socket.io: mostly right, somewhere wrong. */
import { speak } from '../speak.mjs';
import { anyValue, deep, long, mutatedText, ODD_WORDS } from '../values.mjs';

export default {
  name: 'frames',
  targets: ['serve', 'class', 'kubelet'],
  packet: 'a WebSocket frame',
  perform: speak,
  make(random) {
    const server = random.pick(['session', 'session', 'class']);
    const operations = [{ op: 'upgrade', server, ...(random.chance(0.03) && oddUpgrade(random)) }];
    if (random.chance(0.9)) operations.push(connect(random));
    operations.push(...random.list(1, 60, () => ({ ...packet(random), times: random.pick([1, 1, 3, 10, 30]) })));
    if (random.chance(0.1)) operations.splice(random.int(operations.length - 1) + 1, 0, { op: 'deaf' });
    if (random.chance(0.5)) operations.push(...random.list(1, 4, () => lastPacket(random)));
    if (random.chance(0.2)) operations.push(random.pick([{ op: 'end' }, { op: 'reset' }, { op: 'wait', ms: 5 }]));
    return operations;
  },
};

function oddUpgrade(random) {
  return random.pick([
    { path: '/socket.io/?EIO=3&transport=websocket' },
    { path: '/socket.io/?EIO=4&transport=polling' },
    { path: '/socket.io/?EIO=4&transport=websocket&sid=x' },
    {
      path: `/socket.io/?EIO=${random.pick(['', '-1', '__proto__', '99999999999', '%ff', '4&EIO=3'])}&transport=websocket`,
    },
    { path: '//?' },
    { path: '*' },
    { headers: { 'Sec-WebSocket-Version': '0' } },
    { headers: { 'Sec-WebSocket-Key': 'x' } },
    { headers: { 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits' } },
    { headers: { 'Sec-WebSocket-Protocol': ',,;' } },
    { headers: { 'X-Long': 'x'.repeat(20_000) } },
    { headers: { Origin: 'http://evil.test' } },
  ]);
}

/** A wrong token comes seldom: after ten of them nobody gets in for a minute. */
function connect(random) {
  return {
    op: 'connect',
    as: random.pick(['control', 'look', 'look', 'class', 'none']),
    namespace: random.weighted([
      [6, () => '/'],
      [4, () => '/class'],
      [1, () => random.pick(['/x', '//', '/?a=b', '/class?x', '/__proto__', '/\u0000', ''])],
      [1, () => long(random.pick(['/n', '/é', '/,']), random.pick([100, 20_000]))],
    ]),
  };
}

const engineTypes = ['0', '1', '2', '3', '4', '5', '6', '7', '9', 'b', '', ' ', '\u0000'];

/** A packet after which a connection may go on. */
function packet(random) {
  const text = (text) => ({ op: 'text', text });
  return random.weighted([
    // An event whose name is unknown, malformed or missing.
    [4, () => text(`42${random.pick(['["m"]', '["m",[]]', '["",1]', '["m",1,2,3]', '["x",{}]', '["m",null]'])}`)],
    [4, () => text(`42${JSON.stringify([random.pick(ODD_WORDS), random.pick(ODD_WORDS)])}`)],
    [3, () => ({ op: 'message', value: anyValue(random) })],
    [2, () => text(`42${random.int(10)}["m",${random.pick(['1', '{"type":"hello","protocol":1}'])}]`)],
    [2, () => text(`43${random.int(10)}["m",1]`)],
    [1, () => text(`42/${random.pick(['class', 'x', '__proto__'])},["m",1]`)],
    [1, () => text(random.pick(['3', '6', '2', '3probe', '40', '40{}', '40/x,{"token":1}', '41/x,']))],
    // A connection to a namespace, again and again.
    [0.5, () => text(long('40/n', random.pick([1, 1000, 12_000])))],
    [1, () => ({ op: 'frame', opcode: random.pick([9, 10]), text: long('p', random.pick([1, 125])) })],
  ]);
}

/** A packet after which it is most often over. */
function lastPacket(random) {
  const text = (text) => ({ op: 'text', text });
  return random.weighted([
    [4, () => text(`42${random.pick(['', '[]', '[null]', '[1,2]', '{}', '"m"', '[["m"]]', '[{}]', '[true]'])}`)],
    // All types of socket.io, numbers of acknowledgement, attachments.
    [4, () => text(`4${random.int(10)}${random.pick(['', '/class,', '/x,', '1-', '99999999999-'])}${rest(random)}`)],
    [2, () => text(`4${random.pick(['2', '3'])}${random.pick(['0', '7', '99999999999999999999', '1e9'])}["m",1]`)],
    [
      2,
      () =>
        text(
          `45${random.pick(['', '0-', '1-', '3-', '1000000-', '-1-', 'x-'])}["m",{"_placeholder":true,"num":${random.pick(['0', '-1', '9', '"x"'])}}]`,
        ),
    ],
    [2, () => ({ op: 'frame', opcode: 2, base64: random.bytes(random.pick([0, 1, 8, 2000])).toString('base64') })],
    // engine.io's own types.
    [2, () => text(`${random.pick(engineTypes)}${random.pick(['', 'probe', '{}', 'x'])}`)],
    [1, () => text(`${random.pick(engineTypes)}\u001e${random.pick(engineTypes)}`)],
    [1, () => ({ op: 'message', value: deep(random.pick([1000, 20_000])) })],
    [1, () => text(mutatedText(random, '42["m",{"type":"hello","protocol":1,"session":"x","resumeFrom":1}]'))],
    // The protocol of frames itself.
    [1, () => control(random)],
    [1, () => fragments(random)],
    [1, () => ({ op: 'frame', opcode: random.int(16), rsv: random.int(8), text: rest(random) })],
    [0.5, () => ({ op: 'frame', mask: false, text: '2' })],
    [1, () => ({ op: 'frame', lie: random.pick([1, 126, 65_536, 2 ** 31, Number.MAX_SAFE_INTEGER]), text: '2' })],
    [1, () => ({ op: 'frame', base64: random.pick(['/w==', 'wyg=', '7aCA', '9JCAgA==']) })],
    [0.3, () => ({ op: 'frame', text: long('2', random.pick([65_537, 200_000])) })],
  ]);
}

const rest = (random) =>
  random.weighted([
    [3, () => JSON.stringify([random.pick(['m', 'c', ...ODD_WORDS]), random.pick(ODD_WORDS)])],
    [2, () => mutatedText(random, '["m",{"type":"ack","seq":1}]')],
    [1, () => random.pick(['', '{', '[', '"', '{"sid":"x"}', '{"message":"x"}', 'null', '[1e999]'])],
  ]);

const control = (random) => ({
  op: 'frame',
  opcode: random.pick([8, 9, 10, 9, 10]),
  fin: random.chance(0.8),
  ...(random.chance(0.5)
    ? { base64: random.bytes(random.pick([0, 1, 2, 20])).toString('base64') }
    : { text: long('p', random.pick([1, 125, 126])) }),
});

const fragments = (random) => ({
  op: 'frame',
  opcode: random.pick([0, 1]),
  fin: random.chance(0.5),
  text: random.pick(['42["m",', '1]', '']),
  times: random.pick([1, 2, 50]),
});
