/** A capture of the CRI socket, `cri-bytes.ndjson`: the bytes of a pipe, with their times. */
import { base64Bytes, own } from '@syncloop/core/base';
import type { Evidence, EvidenceReader } from '../evidence/index.js';
import { Conversation, type ConversationOptions } from './conversation.js';
import { JsonLines } from './json-lines.js';

/**
 * One line of a capture. `at` are milliseconds since its start, which the first line may tell; `conn` numbers the
 * connections; `b64` are bytes of a direction, `c` from the kubelet, `s` from the runtime; `lost` is how many bytes of
 * that direction were not kept.
 */
export type CaptureLine =
  | { readonly startedAt: string }
  | { readonly at: number; readonly conn: number; readonly open: true }
  | { readonly at: number; readonly conn: number; readonly close: true }
  | { readonly at: number; readonly conn: number; readonly dir: 'c' | 's'; readonly b64: string }
  | { readonly at: number; readonly conn: number; readonly dir: 'c' | 's'; readonly lost: number };

export interface CaptureOptions extends ConversationOptions {
  /**
   * Milliseconds since 1970 at which the capture's times begin, if the capture itself does not have it: by default 0.
   */
  readonly startedAt?: number;
}

export class CRICaptureReader implements EvidenceReader {
  private readonly conversation: Conversation;
  private readonly lines = new JsonLines();
  private start: number;
  private last: number | null = null;

  constructor(source: string, options: CaptureOptions) {
    this.conversation = new Conversation(source, options);
    this.start = options.startedAt ?? 0;
  }

  push(bytes: Uint8Array): Evidence[] {
    return this.lines.push(bytes).flatMap((line) => this.line(line));
  }

  /** Connections without an end are open still: their calls have no return. */
  end(): Evidence[] {
    return this.lines.end().flatMap((line) => this.line(line));
  }

  private line({ value, place, problem, bytes }: ReturnType<JsonLines['push']>[number]): Evidence[] {
    if (problem !== null) return [this.conversation.missing(problem, bytes, this.last, place)];
    const startedAt = own(value, 'startedAt');
    if (typeof startedAt === 'string' && !Number.isNaN(Date.parse(startedAt))) {
      this.start = Date.parse(startedAt);
      return [];
    }
    const [atMillis, conn, dir] = [own(value, 'at'), own(value, 'conn'), own(value, 'dir')];
    const [b64, lost] = [own(value, 'b64'), own(value, 'lost')];
    if (typeof atMillis !== 'number' || !Number.isFinite(atMillis) || typeof conn !== 'number')
      return [this.conversation.missing('A line is not in the format of a CRI capture.', bytes, this.last, place)];
    const at = Math.round((this.start + atMillis) * 1000);
    this.last = at;
    if (own(value, 'open') === true) return this.conversation.open(conn, at, place);
    if (own(value, 'close') === true) return this.conversation.close(conn, at, place);
    if (dir === 'c' || dir === 's') {
      if (typeof b64 === 'string') return this.conversation.bytes(conn, dir, base64Bytes(b64), at, place);
      if (typeof lost === 'number') return this.conversation.lost(conn, dir, lost, at, place);
    }
    return [this.conversation.missing('A line is not in the format of a CRI capture.', bytes, at, place)];
  }
}
