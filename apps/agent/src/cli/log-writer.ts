import type { Writable } from 'node:stream';

/** Bytes that may wait for the reader of the log: half an hour of a busy node's log. */
const maxWaiting = 4 * 1024 * 1024;

/**
 * Writes lines to a stream as long as somebody reads them. In Node a full pipe does not block: what does not fit waits
 * in this process, and a kubelet whose log nobody reads (a journald that hangs) would grow without limit. Lines beyond
 * the limit are dropped, and their number is reported when there is room again.
 */
export function logWriter(stream: Pick<Writable, 'write' | 'writableLength'>): (text: string) => void {
  let left = 0;
  return (text) => {
    if (stream.writableLength > maxWaiting) {
      left++;
      return;
    }
    if (left > 0) stream.write(`syncloop: warning: ${left} lines are left out here, because nobody read the log\n`);
    left = 0;
    stream.write(text);
  };
}
