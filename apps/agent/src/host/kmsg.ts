/** The kernel's log, as far as it reports processes killed for lack of memory. */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { type Chan, type Kernel, makeChan } from '@syncloop/core/kernel';
import { kmsgMessage, type OOMInstance, OOMParser, type OOMStreamer } from '@syncloop/core/kubelet';

/** The time between two looks, ms. A read that waits would occupy a thread for ever. */
const period = 1000;
/** Longest record of the kernel's. */
const longest = 8192;

/** Reads /dev/kmsg from now on. */
export interface KmsgStreamer extends OOMStreamer {
  /** Reads no more. */
  stop(): void;
}

/** Null if the log cannot be read: it takes root, or a kernel that lets others. */
export function kmsgStreamer(kernel: Kernel, path = '/dev/kmsg'): KmsgStreamer | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  const buffer = Buffer.alloc(longest);
  /** The next record; null: there is none yet. */
  const next = (): string | null => {
    for (;;) {
      try {
        const n = readSync(fd, buffer, 0, longest, null);
        return n === 0 ? null : buffer.toString('utf8', 0, n);
      } catch (err) {
        // Lines that were not read in time are overwritten; the next read goes on with what is there.
        if ((err as NodeJS.ErrnoException).code !== 'EPIPE') return null;
      }
    }
  };
  let timer: NodeJS.Timeout | null = null;
  return {
    *streamOoms() {
      // Earlier messages are skipped: they are from before this kubelet.
      while (next() !== null);
      const ooms: Chan<OOMInstance> = makeChan<OOMInstance>(kernel, 'ooms', 10, {
        describe: ({ pid, processName }) => ({ pid, processName }),
      });
      const parser = new OOMParser();
      timer = setInterval(() => {
        for (let record = next(); record !== null; record = next()) {
          const message = kmsgMessage(record);
          const oom = message === null ? null : parser.line(message);
          if (oom) kernel.post(() => void ooms.trySend(oom));
        }
      }, period);
      timer.unref();
      return ooms;
    },
    stop() {
      if (timer) clearInterval(timer);
      closeSync(fd);
    },
  };
}
