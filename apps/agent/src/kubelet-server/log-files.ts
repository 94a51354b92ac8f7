/** The node's logs as bytes, for core's log reader. */
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { OSInterface } from '@syncloop/core/host';
import { call, type Go } from '@syncloop/core/kernel';
import type { LogFile, LogFiles } from '@syncloop/core/kubelet/server';

/** Follows links, as the runtime's folder may be one. Watching is the given OS'. */
export function nodeLogFiles(os: Pick<OSInterface, 'watch'>): LogFiles {
  return {
    *open(path): Go<LogFile> {
      const file: FileHandle = yield* call('open log', () => open(path, 'r'));
      const { dev, ino } = yield* call('stat log', () => file.stat());
      let closed = false;
      return {
        *read(offset, length) {
          const buffer = Buffer.allocUnsafe(length);
          const { bytesRead } = yield* call('read log', () => file.read(buffer, 0, length, offset));
          return buffer.subarray(0, bytesRead);
        },
        *size() {
          return (yield* call('stat log', () => file.stat())).size;
        },
        *replaced() {
          const now = yield* call('stat log', () => stat(path).catch(() => null));
          return now !== null && (now.dev !== dev || now.ino !== ino);
        },
        close() {
          if (!closed) void file.close().catch(() => {});
          closed = true;
        },
      };
    },
    watch: (ctx, folder) => os.watch(ctx, folder),
  };
}
