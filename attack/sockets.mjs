/** A WebSocket by hand, which sends what no well-behaved client would. */
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const PATH = '/socket.io/?EIO=4&transport=websocket';
const TEXT = 1;

/**
 * Returns a frame. `data`: a Buffer. `lie`: the length that its head claims. `mask` false leaves out the mask that each
 * client must have. The mask itself is zero, so that nothing has to be computed.
 */
export function frame(data, { opcode = TEXT, fin = true, rsv = 0, mask = true, lie = data.length } = {}) {
  const wide = lie > 0xffff ? 8 : lie > 125 ? 2 : 0;
  const head = Buffer.alloc(2 + wide + (mask ? 4 : 0));
  head[0] = (fin ? 0x80 : 0) | (rsv << 4) | opcode;
  head[1] = (mask ? 0x80 : 0) | (wide === 8 ? 127 : wide === 2 ? 126 : lie);
  if (wide === 2) head.writeUInt16BE(lie, 2);
  if (wide === 8) head.writeBigUInt64BE(BigInt(lie), 2);
  return Buffer.concat([head, data]);
}

/** One connection. Errors of the network are ends of the connection, never exceptions. */
export class Connection {
  closed = false;
  refused = false;
  received = 0;
  packets = [];
  #parts = [];
  #waiting = null;

  static open(port, { path = PATH, headers = {} } = {}) {
    const connection = new Connection();
    const socket = net.connect(port, '127.0.0.1');
    connection.socket = socket;
    const end = () => {
      connection.closed = true;
      connection.#wake();
    };
    socket.on('error', (error) => {
      connection.refused = error.code === 'ECONNREFUSED';
      end();
    });
    socket.on('close', end).on('end', end);
    socket.on('data', (data) => {
      connection.received += data.length;
      // Only the beginning of the answers matters: the upgrade, engine.io's greeting, socket.io's yes or no.
      if (connection.#parts.length < 8) connection.#parts.push(data.subarray(0, 4096).toString('latin1'));
      connection.#wake();
    });
    const all = {
      Host: `127.0.0.1:${port}`,
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    return connection;
  }

  get heard() {
    return this.#parts.join('');
  }

  /** Resolves when the pattern was heard, the connection has ended, or the time is over. */
  async hears(pattern, millis = 1000) {
    const end = performance.now() + millis;
    while (!this.closed && !pattern.test(this.heard)) {
      const left = end - performance.now();
      if (left <= 0 || this.#parts.length >= 8) return;
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#waiting = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** Resolves when the system has taken the data; with a slow server after a second, so that nobody waits for ever. */
  async write(data) {
    if (this.closed || data.length === 0 || this.socket.write(data)) return;
    const taken = new AbortController();
    const { signal } = taken;
    await Promise.race([
      once(this.socket, 'drain', { signal }),
      once(this.socket, 'close', { signal }),
      delay(1000, undefined, { signal }),
    ]).catch(() => {});
    taken.abort();
  }

  /** Ends its writing, and waits a little for the other side to do so, too. */
  async finish(millis = 200) {
    this.socket.end();
    await Promise.race([
      new Promise((resolve) => this.socket.once('close', resolve).once('end', resolve)),
      delay(millis, undefined, { ref: false }),
    ]);
  }

  destroy() {
    this.closed = true;
    this.socket.destroy();
  }

  #wake() {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.();
  }
}
