import type { ClientMessage, Connection, ServerMessage } from '@syncloop/core/debug';
import { isPong, PING } from '../worker/ping.js';
import type { OpenedMessage, OpenMessage, RecordingAbout } from '../worker/recordings.js';

/** A connection that can tell whether its other end still reacts, and can end it for certain: `close`. */
export interface WatchedConnection extends Connection {
  /** Resolves when the other end has reacted; never, where it no longer does. */
  ping(): Promise<void>;
}

function newWorker(): Worker {
  return new Worker(new URL('../worker/session-worker.ts', import.meta.url), { type: 'module', name: 'syncloop' });
}

/** A simulation in a Web Worker of this page. */
export function workerConnection(): WatchedConnection {
  return connectionTo(newWorker());
}

export interface OpenedRecording {
  readonly connection: WatchedConnection;
  /** What is missing in it, in words; '' for nothing. */
  readonly warning: string;
  readonly about: RecordingAbout;
}

/**
 * A recording in a Web Worker of this page. Rejects with the reason when the file is none that can be read, or with
 * that of `signal`.
 */
export function recordingConnection(recording: Blob, signal?: AbortSignal): Promise<OpenedRecording> {
  const worker = newWorker();
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      worker.terminate();
      reject(new Error(reason));
    };
    const stop = () => fail(String(signal?.reason));
    signal?.addEventListener('abort', stop);
    worker.onerror = (event) => fail(event.message || 'the worker could not be loaded');
    worker.onmessage = (event: MessageEvent<OpenedMessage>) => {
      worker.onerror = null;
      worker.onmessage = null;
      signal?.removeEventListener('abort', stop);
      const { data } = event;
      if (data.type === 'opened')
        resolve({ connection: connectionTo(worker), warning: data.warning, about: data.about });
      else fail(data.error);
    };
    worker.postMessage({ type: 'open', recording } satisfies OpenMessage);
  });
}

function connectionTo(worker: Worker): WatchedConnection {
  let closed: ((reason: string) => void) | null = null;
  let over = false;
  const end = (reason: string) => {
    if (over) return;
    over = true;
    worker.terminate();
    closed?.(reason);
  };
  let pings: (() => void)[] = [];
  worker.addEventListener('error', (event) => end(event.message || 'the worker could not be loaded'));
  return {
    send: (message: ClientMessage) => worker.postMessage(message),
    onMessage: (handler: (message: ServerMessage) => void) => {
      worker.addEventListener('message', ({ data }: MessageEvent<ServerMessage>) => {
        if (!isPong(data)) {
          handler(data);
          return;
        }
        const waiting = pings;
        pings = [];
        for (const reacted of waiting) reacted();
      });
    },
    ping: () =>
      new Promise((reacted) => {
        pings.push(reacted);
        worker.postMessage(PING);
      }),
    onClose: (handler) => {
      closed = handler;
    },
    close: () => end(''),
  };
}
