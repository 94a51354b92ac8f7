/** A page's side of a session, without the page: a socket, its records folded into a state, and acknowledged. */
import { SessionClient } from '@syncloop/core/debug';
import { io } from 'socket.io-client';
import { tokenOf } from './links.mjs';

async function open(url) {
  const { origin } = new URL(url);
  const socket = io(origin, {
    auth: { token: tokenOf(url) },
    forceNew: true,
    reconnection: false,
    transports: ['websocket'],
  });
  await new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', reject);
  });
  return socket;
}

/**
 * Resolves once it was welcomed. `url`: as the agent prints it; `resume`: a client whose connection was
 * lost.
 */
export async function connect(url, resume) {
  const socket = await open(url);
  const client = new SessionClient(
    {
      send: (message) => socket.emit('m', message),
      onMessage: (handler) => void socket.on('m', handler),
      onClose: (handler) => void socket.on('disconnect', handler),
      close: () => socket.disconnect(),
    },
    {},
    resume,
  );
  await new Promise((resolve) => {
    const off = client.listen((change) => {
      if (change !== 'welcome') return;
      off();
      resolve();
    });
  });
  return client;
}

/**
 * Connects a client that says hello, and then reads nothing more: neither acknowledges, nor takes anything from its
 * socket.
 */
export async function connectDeaf(url) {
  const socket = await open(url);
  const welcomed = new Promise((resolve) => socket.once('m', resolve));
  socket.emit('m', { type: 'hello', protocol: 1 });
  await welcomed;
  socket.io.engine.transport.ws.pause();
  return socket;
}
