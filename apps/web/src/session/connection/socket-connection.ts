import type { ClientMessage, Connection, ServerMessage } from '@syncloop/core/debug';
import { io } from 'socket.io-client';
import type { AgentAccess } from '../link.js';

/** The one event that carries the session protocol, both ways; the agent's server has the same name for it. */
const EVENT = 'm';
/** The event with the token that a link was exchanged for; the agent's server has the same name for it. */
const TOKEN_EVENT = 'token';
/** The server's refusals that asking again cannot change. */
const FINAL: ReadonlySet<number> = new Set([401, 403, 421]);

/**
 * An agent that serves this page, over socket.io. Its own reconnecting is off: the session itself continues at its last
 * position.
 */
export function socketConnection(access: AgentAccess): Connection {
  const socket = io({
    auth: (then) => then(access.credentials()),
    forceNew: true,
    reconnection: false,
    transports: ['websocket'],
  });
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
  socket.on(TOKEN_EVENT, (token: unknown) => {
    if (typeof token === 'string') access.take(token);
  });
  socket.on(EVENT, (message: ServerMessage) => onMessage?.(message));
  const refused = (reason: string) => {
    if (over) return;
    onMessage?.({ type: 'refused', error: reason });
    end(reason);
  };
  socket.on('connect_error', (error: Error & { data?: { status?: number; link?: string } }) => {
    const { status = 0, link } = error.data ?? {};
    if (link !== undefined)
      void access.findToken().then((found) => {
        if (!found) refused(`link ${link}`);
        else if (!over) socket.connect();
      });
    else if (FINAL.has(status)) refused(status === 401 ? 'token wrong' : error.message);
    else end(error.message);
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
