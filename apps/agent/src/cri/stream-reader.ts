/** Pulling from a gRPC stream one message at a time. */
import type { ClientReadableStream } from '@grpc/grpc-js';

/** Messages kept here before the stream is paused; gRPC's own flow control then holds the sender back. */
const defaultHighWaterMark = 16;

/**
 * A queue in front of a stream. Node's own async iterator will not do: grpc-js emits `error`
 * without destroying the stream, which the iterator misses unless somebody is already waiting.
 */
export class StreamReader<T> {
  private readonly queue: T[] = [];
  private ended = false;
  private failure: Error | undefined;
  private wake: (() => void) | undefined;

  constructor(
    private readonly stream: ClientReadableStream<T>,
    private readonly highWaterMark: number = defaultHighWaterMark,
  ) {
    stream.on('data', (message: T) => {
      this.queue.push(message);
      if (this.queue.length >= highWaterMark) stream.pause();
      this.wake?.();
    });
    // Messages that came before the error are still to be read: only `end`, which follows, ends.
    stream.on('error', (err) => {
      this.failure = err;
    });
    stream.on('end', () => {
      this.ended = true;
      this.wake?.();
    });
  }

  /**
   * The next message, or `done` at the end of the stream. Rejects with the stream's error after
   * its last message, and with the signal's reason when that aborts. One call at a time.
   */
  async next(signal: AbortSignal): Promise<{ done: false; value: T } | { done: true }> {
    while (this.queue.length === 0 && !this.ended) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        const wake = () => {
          signal.removeEventListener('abort', wake);
          this.wake = undefined;
          resolve();
        };
        this.wake = wake;
        signal.addEventListener('abort', wake);
      });
    }
    signal.throwIfAborted();
    if (this.queue.length === 0) {
      if (this.failure) throw this.failure;
      return { done: true };
    }
    const value = this.queue.shift() as T;
    if (this.queue.length < this.highWaterMark / 2) this.stream.resume();
    return { done: false, value };
  }

  /** Ends the call; does nothing to one that has ended. */
  cancel(): void {
    this.stream.cancel();
  }
}
