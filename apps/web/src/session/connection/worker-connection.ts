import type { ClientMessage, Connection, ServerMessage } from '@syncloop/core/debug';
import type { ObservedFile, ObservedMessage, ObserveMessage, RefusedFile } from '../worker/open-message.js';
import { isPong, PING } from '../worker/ping.js';
import type { OpenedMessage, OpenMessage, RecordingAbout } from '../worker/recordings.js';

/** A connection that can tell whether its other end still reacts, and can end it for certain: `close`. */
export interface WatchedConnection extends Connection {
  /** Resolves when the other end has reacted; never, if it no longer does. */
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
  /** The parts that are missing in it, in words; '' for none. */
  readonly warning: string;
  readonly about: RecordingAbout;
}

/**
 * A recording in a Web Worker of this page. Rejects with the reason if the file cannot be read as a recording, or with
 * that of `signal`.
 */
export function recordingConnection(recording: Blob, signal?: AbortSignal): Promise<OpenedRecording> {
  return opening<OpenMessage, OpenedMessage, OpenedRecording>(
    { type: 'open', recording },
    signal,
    (data, connection) => {
      if (data.type !== 'opened') throw new Error(data.error);
      return { connection: connection(), warning: data.warning, about: data.about };
    },
  );
}

export interface OpenedObservation {
  readonly connection: WatchedConnection;
  readonly refused: readonly RefusedFile[];
  /** The nodes that the files are of, if their names say so, and the one that is shown. */
  readonly nodes: readonly string[];
  readonly shown: string;
}
/** No file is a source of a kubelet. */
export class NothingToObserve extends Error {
  constructor(
    message: string,
    readonly refused: readonly RefusedFile[],
  ) {
    super(message);
  }
}

/** A kubelet that is observed through files, in a Web Worker of this page, while they are read. */
export function observedConnection(
  files: readonly ObservedFile[],
  signal?: AbortSignal,
  node?: string,
): Promise<OpenedObservation> {
  return opening<ObserveMessage, ObservedMessage, OpenedObservation>(
    { type: 'observe', files, ...(node !== undefined && { node }) },
    signal,
    (data, connection) => {
      if (data.type !== 'observed') throw new NothingToObserve(data.error, data.refused);
      return { connection: connection(), refused: data.refused, nodes: data.nodes, shown: data.shown };
    },
  );
}

/** Starts a worker with a message; `take` makes the result of its first answer, or throws why there is none. */
function opening<Message, Answer, Opened>(
  message: Message,
  signal: AbortSignal | undefined,
  take: (answer: Answer, connection: () => WatchedConnection) => Opened,
): Promise<Opened> {
  const worker = newWorker();
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      worker.terminate();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const stop = () => fail(signal?.reason);
    signal?.addEventListener('abort', stop);
    worker.onerror = (event) => fail(event.message || 'the worker could not be loaded');
    worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      worker.onerror = null;
      worker.onmessage = null;
      signal?.removeEventListener('abort', stop);
      try {
        resolve(take(data, () => connectionTo(worker)));
      } catch (error) {
        fail(error);
      }
    };
    worker.postMessage(message);
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
