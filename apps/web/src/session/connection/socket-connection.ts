import type { ClientMessage, Connection, ServerMessage } from '@syncloop/core/debug';
import { io } from 'socket.io-client';

/** The one event that carries the session protocol, both ways; the agent's server has the same name for it. */
const EVENT = 'm';
/** The server's refusals that asking again cannot change. */
const FINAL: ReadonlySet<number> = new Set([401, 403, 421]);

/**
 * An agent that serves this page, over socket.io. Its own reconnecting is off: the session takes up where it was by
 * itself.
 */
export function socketConnection(token: string): Connection {
  const socket = io({ auth: { token }, reconnection: false, transports: ['websocket'] });
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
    for (const message of waiting.splice(0)) socket.emit(EVENT, message);
  });
  socket.on(EVENT, (message: ServerMessage) => onMessage?.(message));
  socket.on('connect_error', (error: Error & { data?: { status?: number } }) => {
    if (FINAL.has(error.data?.status ?? 0)) onMessage?.({ type: 'refused', error: error.message });
    end(error.message);
  });
  socket.on('disconnect', (reason) => end(reason));
  return {
    send: (message) => {
      if (socket.connected) socket.emit(EVENT, message);
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
