/** The work of the thread next to a tap's pipe on the copy of its bytes. */
import { writeSync } from 'node:fs';
import { Conversation, type Evidence } from '@syncloop/observe';
import { criMessages } from '../cri/messages.js';
import { CallLines } from './call-lines.js';
import type { Batch } from './copy.js';
import { type EvidenceServer, serveEvidence } from './evidence-server.js';

/** The data that the thread is started with. */
export interface AsideSetup {
  /** The open file of the capture, its name, and the most bytes that it may have. */
  readonly capture?: { readonly fd: number; readonly file: string; readonly most: number };
  /** Path of a socket to create, from which programs of this user read the decoded evidence. */
  readonly evidence?: string;
  /** Lines about calls are wanted: `all`, or those that change something or fail. */
  readonly lines?: 'all' | 'changes';
}

export type ToAside =
  | { readonly type: 'batch'; readonly number: number; readonly batch: Batch }
  | { readonly type: 'close' };
export type FromAside =
  | { readonly type: 'done'; readonly number: number }
  | { readonly type: 'lines'; readonly lines: readonly string[] }
  | { readonly type: 'warning'; readonly text: string };
/** The end of a message port that the thread has. */
export interface AsidePort {
  on(event: 'message', listener: (message: ToAside) => void): void;
  postMessage(message: FromAside): void;
  close(): void;
}

/** Works on the messages of `port` until one says to close. */
export async function workAside(port: AsidePort, { capture, evidence, lines }: AsideSetup): Promise<void> {
  const warn = (text: string) => port.postMessage({ type: 'warning', text });
  const file = capture && new CaptureFile(capture, warn);
  const decoder = evidence !== undefined || lines ? newDecoder() : null;
  const callLines = lines && new CallLines(lines);
  // Batches wait in the port until somebody listens to it.
  const server: EvidenceServer | null = evidence === undefined ? null : await serveEvidence(evidence, warn);
  port.on('message', (message) => {
    if (message.type === 'close') {
      void (server?.close() ?? Promise.resolve()).finally(() => port.close());
      return;
    }
    const { batch, number } = message;
    file?.write(batch);
    if (decoder) {
      const pieces = decoder(batch);
      server?.send(pieces);
      const texts = callLines?.of(pieces) ?? [];
      if (texts.length > 0) port.postMessage({ type: 'lines', lines: texts });
    }
    port.postMessage({ type: 'done', number });
  });
}

function newDecoder(): (batch: Batch) => Evidence[] {
  const conversation = new Conversation('cri', {
    ...criMessages,
    // A tap that is started again shall not give numbers to its calls that those before it had.
    firstCall: Date.now(),
  });
  return ({ events, bytes }) => {
    let from = 0;
    return events.flatMap((event) => {
      const at = Math.round(event.at * 1000);
      if (event.type === 'open') return conversation.open(event.conn, at);
      if (event.type === 'close') return conversation.close(event.conn, at);
      if (event.type === 'lost') return conversation.lost(event.conn, event.dir, event.length, at);
      const piece = bytes.subarray(from, from + event.length);
      from += event.length;
      return conversation.bytes(event.conn, event.dir, piece, at);
    });
  };
}

/** Writes a capture, `cri-bytes.ndjson`, until the disk or the limit ends it. */
class CaptureFile {
  private readonly startedAt = Date.now();
  private written = 0;
  private over = false;

  constructor(
    private readonly to: NonNullable<AsideSetup['capture']>,
    private readonly warn: (text: string) => void,
  ) {
    this.put(`${JSON.stringify({ startedAt: new Date(this.startedAt).toISOString() })}\n`);
  }

  write({ events, bytes }: Batch): void {
    if (this.over) return;
    let from = 0;
    const lines = events.map((event) => {
      const head = { at: Math.round((event.at - this.startedAt) * 1000) / 1000, conn: event.conn };
      if (event.type === 'open' || event.type === 'close') return JSON.stringify({ ...head, [event.type]: true });
      if (event.type === 'lost') return JSON.stringify({ ...head, dir: event.dir, lost: event.length });
      const b64 = Buffer.from(bytes.buffer, bytes.byteOffset + from, event.length).toString('base64');
      from += event.length;
      return JSON.stringify({ ...head, dir: event.dir, b64 });
    });
    this.put(`${lines.join('\n')}\n`);
  }

  private put(text: string): void {
    const bytes = Buffer.from(text);
    if (this.written + bytes.length > this.to.most) {
      this.end(`it has reached its limit of ${Math.round(this.to.most / 1024 / 1024)} MiB`);
      return;
    }
    try {
      for (let rest: Uint8Array = bytes; rest.length > 0; ) rest = rest.subarray(writeSync(this.to.fd, rest));
      this.written += bytes.length;
    } catch (err) {
      this.end((err as Error).message);
    }
  }

  private end(why: string): void {
    this.over = true;
    this.warn(`the capture ${this.to.file} ends here: ${why}; the pipe goes on`);
  }
}
