/** The messages between the thread that has the database and the thread of the server. */
import type { Database, StoredObject, TextChange } from './database.js';
import { WriteFailed } from './database.js';
import type { EncryptionRule } from './encryption.js';

/** The data that the thread is started with. */
export interface WorkerData {
  readonly folder: string;
  readonly encryption?: readonly EncryptionRule[] | undefined;
}

export type ToData = { readonly type: 'apply'; readonly changes: readonly TextChange[] } | { readonly type: 'close' };
export type FromData =
  /** Some of the objects at a time, and then the state that they add up to. `json`: an array of them. */
  | {
      readonly type: 'objects';
      readonly keys: readonly (readonly [resource: string, key: string])[];
      readonly json: Uint8Array;
    }
  | { readonly type: 'opened'; readonly version: number }
  /** It cannot be opened; the message is for people. */
  | { readonly type: 'refused'; readonly message: string }
  | { readonly type: 'applied' }
  | { readonly type: 'failed'; readonly message: string; readonly full: boolean };

/** The end of a message port that the database's thread has. */
export interface DataPort {
  on(event: 'message', listener: (message: ToData) => void): void;
  postMessage(message: FromData, transfer?: ArrayBuffer[]): void;
  close(): void;
}

/** Most objects of one message. */
const atOnce = 200;

/** Values of JSON as one array. */
function arrayOf(values: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const [open, comma, close] = [0x5b, 0x2c, 0x5d];
  const json = new Uint8Array(values.reduce((sum, v) => sum + v.length + 1, 1) + (values.length === 0 ? 1 : 0));
  json[0] = open;
  let at = 1;
  for (const value of values) {
    json.set(value, at);
    at += value.length;
    json[at++] = comma;
  }
  json[json.length - 1] = close;
  return json;
}

/** Sends the stored objects, and then stores changes until the other side closes. */
export async function serveData(port: DataPort, open: () => Promise<Database>): Promise<void> {
  let db: Database;
  try {
    db = await open();
    let some: StoredObject[] = [];
    const hand = () => {
      const json = arrayOf(some.map(([, , object]) => object));
      port.postMessage({ type: 'objects', keys: some.map(([resource, key]) => [resource, key]), json }, [json.buffer]);
      some = [];
    };
    for (const object of db.objects()) if (some.push(object) === atOnce) hand();
    hand();
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
