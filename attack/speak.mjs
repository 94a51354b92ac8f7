/**
 * Performs operations on WebSockets. An input is one connection, and these are its operations:
 *
 * - `{op: 'upgrade', server, path, headers}` opens it; `server` is a name of the target's ports, `session` by default
 * - `{op: 'connect', as, namespace}` joins a namespace with a token: `control`, `look`, `class`, `wrong`, or `none`
 * - `{op: 'text', text, times}` sends a text frame, as often as `times` says
 * - `{op: 'message', event, value, times}` sends an event of socket.io; `m` by default, which carries the session
 * - `{op: 'frame', opcode, fin, rsv, mask, lie, text | base64, times}` sends any frame
 * - `{op: 'deaf'}` reads no more, `{op: 'wait', ms}` waits, `{op: 'end'}` half-closes, `{op: 'reset'}` resets
 */
import { setTimeout as delay } from 'node:timers/promises';
import { paced } from './pace.mjs';
import { Connection, frame } from './sockets.mjs';
import { jsonOf, textOf } from './values.mjs';

/** Frames are collected up to this many bytes before they are written. */
const CHUNK = 64 * 1024;

/** Performs one input. Resolves with how many packets were sent: a packet is one frame. */
export async function speak(running, operations) {
  let connection = null;
  let port = 'session';
  let packets = 0;
  let pending = [];
  let size = 0;
  const flush = async () => {
    const data = Buffer.concat(pending);
    pending = [];
    size = 0;
    await connection?.write(data);
  };
  const send = async (data, times = 1) => {
    for (let i = 0; i < times && !connection.closed; i++) {
      pending.push(data);
      size += data.length;
      packets++;
      if (size > CHUNK) await flush();
    }
  };
  const upgrade = async ({ server = 'session', path, headers } = {}) => {
    port = running.ports[server] ? server : 'session';
    await paced(running, port, 'connect');
    const open = () => Connection.open(running.ports[port], { path, headers });
    connection = open();
    await connection.hears(/\r\n\r\n[\s\S]*0\{/);
    if (!connection.refused || !running.ready) return;
    // It is being started again.
    await running.ready();
    connection = open();
    await connection.hears(/\r\n\r\n[\s\S]*0\{/);
  };
  try {
    for (const operation of operations) {
      if (operation.op === 'upgrade') {
        connection?.destroy();
        await upgrade(operation);
        continue;
      }
      if (!connection) await upgrade();
      if (connection.closed) break;
      switch (operation.op) {
        case 'connect': {
          const { as = 'none', namespace = '/' } = operation;
          const token = as === 'wrong' ? 'x'.repeat(43) : running.tokens[as];
          const auth = as === 'none' || token === undefined ? '' : JSON.stringify({ token, ...operation.more });
          const name = textOf(namespace);
          await send(frame(Buffer.from(`40${name === '/' ? '' : `${name},`}${auth}`)));
          await flush();
          await connection.hears(/4[04](\{|\/)/, 60);
          if (/40(\/class,)?\{"sid"/.test(connection.heard)) running.joined = (running.joined ?? 0) + 1;
          break;
        }
        case 'text':
          await send(frame(Buffer.from(textOf(operation.text))), operation.times);
          break;
        case 'message': {
          const { event = 'm', value, namespace = '' } = operation;
          const text = `42${namespace}${jsonOf([event, value])}`;
          // A single one is a page that begins; many are a flood.
          if (value?.type === 'hello' && !operation.times) await paced(running, port, 'hello');
          await send(frame(Buffer.from(text)), operation.times);
          break;
        }
        case 'frame': {
          const data =
            operation.base64 === undefined
              ? Buffer.from(textOf(operation.text ?? ''))
              : Buffer.from(operation.base64, 'base64');
          await send(frame(data, { ...operation, lie: operation.lie ?? data.length }), operation.times);
          break;
        }
        case 'deaf':
          await flush();
          connection.socket.pause();
          break;
        case 'wait':
          await flush();
          await delay(operation.ms);
          break;
        case 'end':
          await flush();
          connection.socket.end();
          break;
        case 'reset':
          await flush();
          connection.socket.resetAndDestroy();
          connection.closed = true;
          break;
        default:
          throw new Error(`speak: unknown operation ${operation.op}`);
      }
    }
    if (connection && !connection.closed) {
      await flush();
      // A connection that is destroyed takes along what the server has not read yet.
      if (!connection.socket.isPaused()) await connection.finish();
    }
    return packets;
  } finally {
    connection?.destroy();
  }
}
