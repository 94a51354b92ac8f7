import type { Writable } from 'node:stream';

/** Bytes that may wait for whoever reads the log: half an hour of a busy node. */
const maxWaiting = 4 * 1024 * 1024;

/**
 * Writes lines to a stream as long as somebody reads them. A pipe that is full holds nobody up in Node: what does not
 * go into it waits in this process, and a kubelet whose log nobody reads (a journald that hangs) would grow without
 * end. What comes then is left out, and told when there is room again.
 */
export function logWriter(stream: Pick<Writable, 'write' | 'writableLength'>): (text: string) => void {
  let left = 0;
  return (text) => {
    if (stream.writableLength > maxWaiting) {
      left++;
      return;
    }
    if (left > 0) stream.write(`syncloop: warning: ${left} lines are left out here, for nobody read the log\n`);
    left = 0;
    stream.write(text);
  };
}
