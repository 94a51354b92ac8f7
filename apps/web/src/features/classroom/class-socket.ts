import { CLASS_EVENT, CLASS_NAMESPACE } from '@syncloop/core/classroom';
import { io, type Socket } from 'socket.io-client';

/** Refusals that trying again does not change. */
const FINAL: ReadonlySet<number> = new Set([401, 403, 404, 421]);
const SOONEST = 1_000;
const LATEST = 8_000;

export interface ClassSocketHandlers<M> {
  readonly auth: () => { readonly token: string; readonly [more: string]: string };
  onOpen?(): void;
  onMessage(message: M): void;
  /** It tries again by itself unless it is `final`. `none`: there is no class here. */
  onLost(reason: string, how: 'again' | 'final' | 'none'): void;
}

export interface ClassSocket {
  /** Drops the message while disconnected: only the newest state counts, and it is sent again after reconnecting. */
  send(message: unknown): void;
  close(): void;
}

/**
 * A connection to the class of the agent that served this page; it keeps trying, not all of a classroom at the same
 * moment.
 */
export function classSocket<M>(handlers: ClassSocketHandlers<M>): ClassSocket {
  const socket: Socket = io(CLASS_NAMESPACE, {
    auth: (then) => then(handlers.auth()),
    forceNew: true,
    reconnection: false,
    transports: ['websocket'],
  });
  let over = false;
  let tries = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const lost = (reason: string, how: 'again' | 'final' | 'none') => {
    if (over) return;
    if (how === 'again') {
      const most = Math.min(LATEST, SOONEST * 2 ** tries++);
      clearTimeout(timer);
      timer = setTimeout(() => socket.connect(), most / 2 + (Math.random() * most) / 2);
    }
    handlers.onLost(reason, how);
  };
  socket.on('connect', () => {
    tries = 0;
    handlers.onOpen?.();
  });
  socket.on(CLASS_EVENT, (message: M) => handlers.onMessage(message));
  socket.on('connect_error', (error: Error & { data?: { status?: number } }) => {
    if (error.message === 'Invalid namespace') lost('', 'none');
    else lost(error.data ? error.message : '', FINAL.has(error.data?.status ?? 0) ? 'final' : 'again');
  });
  socket.on('disconnect', () => lost('', 'again'));
  return {
    send: (message) => {
      if (socket.connected) socket.emit(CLASS_EVENT, message);
    },
    close: () => {
      over = true;
      clearTimeout(timer);
      socket.disconnect();
    },
  };
}
