/**
 * One kind of flood against a debugger's server, as fast as it goes: `node attack/flooder.mjs KIND URL SECONDS`. Prints
 * its counts as JSON. It is a process of its own, so that it does not hold up the measurement. 127.0.0.1 only.
 */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';

const [kind, given, seconds = '10'] = process.argv.slice(2);
const url = new URL(given);
if (!/^127\.\d+\.\d+\.\d+$/.test(url.hostname)) throw new Error('floods are for this machine only');
const port = Number(url.port);
const [, token = ''] = /#(?:token|class)=(.+)$/.exec(given) ?? [];
const end = performance.now() + Number(seconds) * 1000;
const counts = { connections: 0, packets: 0, refused: 0 };

/** A client's frame of text: masked, as RFC 6455 wants it; the mask is zero, which is one as well. */
function textFrame(text) {
  const body = Buffer.from(text);
  const head =
    body.length < 126
      ? Buffer.from([0x81, 0x80 | body.length])
      : body.length < 65536
        ? Buffer.from([0x81, 0xfe, body.length >> 8, body.length & 255])
        : Buffer.concat([Buffer.from([0x81, 0xff, 0, 0, 0, 0]), uint32(body.length)]);
  return Buffer.concat([head, Buffer.alloc(4), body]);
}
function uint32(n) {
  const out = Buffer.alloc(4);
  out.writeUInt32BE(n);
  return out;
}
const join = (namespace, auth) => textFrame(`40${namespace}${JSON.stringify(auth)}`);
const event = (...args) => textFrame(`42${JSON.stringify(args)}`);

const upgrade = () =>
  `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`;

/** Floods with a socket that is upgraded; `begin` is written first, `more` for as long as the socket takes it. */
function flood({ begin = [], more = [], reads = true, answer = true }) {
  if (performance.now() >= end) return;
  const socket = connect(port, '127.0.0.1');
  counts.connections++;
  let next = 0;
  let open = true;
  const pump = () => {
    if (!open || more.length === 0) return;
    if (performance.now() >= end) return void socket.destroy();
    for (let i = 0; i < 64; i++) {
      counts.packets++;
      if (!socket.write(more[next++ % more.length])) return void socket.once('drain', () => setImmediate(pump));
    }
    setImmediate(pump);
  };
  socket.on('connect', () => {
    socket.write(upgrade());
    if (!answer) return;
    socket.once('data', () => {
      if (!reads) socket.pause();
      for (const frame of begin) {
        counts.packets++;
        socket.write(frame);
      }
      pump();
    });
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    open = false;
    counts.refused++;
    // It goes on at once, but not for ever in one turn of the event loop.
    setTimeout(() => flood({ begin, more, reads, answer }), 2);
  });
  socket.resume();
}
const times = (n, what) => {
  for (let i = 0; i < n; i++) flood(what);
};

const hello = event('m', { type: 'hello', protocol: 1 });
const kinds = {
  hello: () => times(8, { begin: [join('', { token })], more: [hello] }),
  namespace: () => times(8, { more: [join(`/${'n'.repeat(60_000)},`, {})], reads: false }),
  unknown: () =>
    times(8, {
      begin: [join('', { token })],
      more: [textFrame('42'), textFrame('42[1,2]'), textFrame('42[null]'), event('x', 'y'.repeat(1000)), event('m', 7)],
    }),
  tokens: () => times(16, { begin: [join('', { token: 'wrong' })], more: [join('', { token: 'wrong' })] }),
  slow: () => times(32, { begin: [join('', { token }), hello], reads: false }),
  sockets: () => times(500, { answer: false }),
  class: () =>
    times(64, {
      begin: [join('/class,', { token })],
      more: [textFrame('42/class,["c",{"type":"answer","poll":1,"option":0}]')],
    }),
};
if (!kinds[kind]) throw new Error(`there is no flood ${kind}: ${Object.keys(kinds).join(', ')}`);
kinds[kind]();
setTimeout(
  () => {
    console.log(JSON.stringify({ kind, ...counts }));
    process.exit(0);
  },
  Number(seconds) * 1000 + 200,
);
