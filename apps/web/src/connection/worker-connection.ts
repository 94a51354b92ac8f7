import type { ClientMessage, Connection, ServerMessage } from '@syncloop/core/debug';

/** A session in a Web Worker of this page. */
export function workerConnection(): Connection {
  const worker = new Worker(new URL('../worker/session-worker.ts', import.meta.url), {
    type: 'module',
    name: 'syncloop',
  });
  let closed: ((reason: string) => void) | null = null;
  let over = false;
  const end = (reason: string) => {
    if (over) return;
    over = true;
    worker.terminate();
    closed?.(reason);
  };
  worker.addEventListener('error', (event) => end(event.message || 'the worker could not be loaded'));
  return {
    send: (message: ClientMessage) => worker.postMessage(message),
    onMessage: (handler: (message: ServerMessage) => void) => {
      worker.addEventListener('message', (event: MessageEvent<ServerMessage>) => handler(event.data));
    },
    onClose: (handler) => {
      closed = handler;
    },
    close: () => end(''),
  };
}
