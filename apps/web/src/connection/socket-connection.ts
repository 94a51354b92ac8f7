import type { ClientMessage, Connection, ServerMessage } from '@syncloop/core/debug';
import { io } from 'socket.io-client';

/** An agent that serves this page, over socket.io. Its own reconnecting is off: the session takes up where it was by itself. */
export function socketConnection(token: string): Connection {
  const socket = io({ auth: { token }, reconnection: false, transports: ['websocket', 'polling'] });
  let onMessage: ((message: ServerMessage) => void) | null = null;
  let onClose: ((reason: string) => void) | null = null;
  let over = false;
  const waiting: ClientMessage[] = [];
  const end = (reason: string) => {
    if (over) return;
    over = true;
    socket.disconnect();
    onClose?.(reason);
  };
  socket.on('connect', () => {
    for (const message of waiting.splice(0)) socket.emit('message', message);
  });
  socket.on('message', (message: ServerMessage) => onMessage?.(message));
  socket.on('connect_error', (error: Error & { data?: unknown }) => {
    // The server's own refusal carries data; a network that fails does not, and may get better.
    if (error.data !== undefined || /token|unauthorized|forbidden|origin|host/i.test(error.message)) onMessage?.({ type: 'refused', error: error.message });
    end(error.message);
  });
  socket.on('disconnect', (reason) => end(reason));
  return {
    send: (message) => {
      if (socket.connected) socket.emit('message', message);
      else waiting.push(message);
    },
    onMessage: (handler) => {
      onMessage = handler;
    },
    onClose: (handler) => {
      onClose = handler;
    },
    close: () => end(''),
  };
}
