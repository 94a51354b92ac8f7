/** What the thread that has the database and the thread of the server say to each other. */
import type { Database, TextChange, TextObject } from './database.js';
import { WriteFailed } from './database.js';

export type ToData = { readonly type: 'apply'; readonly changes: readonly TextChange[] } | { readonly type: 'close' };
export type FromData =
  /** Objects that are there, some at a time, and then what they are the state of. */
  | { readonly type: 'objects'; readonly objects: readonly TextObject[] }
  | { readonly type: 'opened'; readonly version: number }
  /** It cannot be opened; the message is for people. */
  | { readonly type: 'refused'; readonly message: string }
  | { readonly type: 'applied' }
  | { readonly type: 'failed'; readonly message: string; readonly full: boolean };

/** The end of a message port that the database's thread has. */
export interface DataPort {
  on(event: 'message', listener: (message: ToData) => void): void;
  postMessage(message: FromData): void;
  close(): void;
}

/** Objects of one message. */
const atOnce = 500;

/** Tells what there is, and then keeps what comes until it is told to close. */
export async function serveData(port: DataPort, open: () => Promise<Database>): Promise<void> {
  let db: Database;
  try {
    db = await open();
    let objects: TextObject[] = [];
    for (const object of db.objects()) {
      objects.push(object);
      if (objects.length < atOnce) continue;
      port.postMessage({ type: 'objects', objects });
      objects = [];
    }
    port.postMessage({ type: 'objects', objects });
    port.postMessage({ type: 'opened', version: db.version });
  } catch (err) {
    port.postMessage({ type: 'refused', message: err instanceof Error ? err.message : String(err) });
    port.close();
    return;
  }
  port.on('message', (message) => {
    if (message.type === 'close') {
      db.close();
      port.close();
      return;
    }
    try {
      db.apply(message.changes);
      port.postMessage({ type: 'applied' });
    } catch (err) {
      if (!(err instanceof WriteFailed)) throw err;
      port.postMessage({ type: 'failed', message: err.message, full: err.full });
    }
  });
}
