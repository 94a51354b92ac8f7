/** Reading container logs. upstream: staging/src/k8s.io/cri-client/pkg/logs */
import { messageOf, utf8Bytes } from '../../base/index.js';
import { asCRIError, type ContainerStatusResponse, containerState, GrpcCode } from '../../cri/index.js';
import type { FileEvent, OSInterface } from '../../host/os.js';
import {
  type Chan,
  type Context,
  type Go,
  type Kernel,
  receive,
  recv,
  Second,
  select,
  Timer,
} from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import { Logger } from '../klog.js';
import { formatTimestamp, type LogLine, type ParseLine, parserFor } from './log-line.js';

/** An open log. Errors are OSErrors. */
export interface LogFile {
  /** Returns fewer bytes than requested at the present end of the file. */
  read(offset: number, length: number): Go<Uint8Array>;
  size(): Go<number>;
  /** Returns true if another file has its name now: the log was rotated. */
  replaced(): Go<boolean>;
  close(): void;
}
/** The node's logs, as bytes. */
export interface LogFiles {
  /** Follows links. Throws an OSError, ENOENT if there is none. */
  open(path: string): Go<LogFile>;
  /** See OSInterface. */
  watch(ctx: Context, folder: string): Go<Chan<FileEvent> | null>;
}

/** Takes what is to be shown; may wait for a slow reader, throws when he is gone. */
export type LogWriter = (bytes: Uint8Array) => Go<void>;

export interface ReadLogsOptions {
  readonly tailLines?: number;
  readonly limitBytes?: number;
  /** ns since 1970. */
  readonly since: bigint | null;
  readonly follow: boolean;
  readonly timestamps: boolean;
}

/** upstream: logForceCheckPeriod */
const forceCheckPeriod = Second;
const askPeriod = Second / 2;
const chunk = 65536;
/** A runtime cuts lines long before. */
const longestLine = 16 * 1024 * 1024;
/** upstream: tail.go blockSize */
const tailBlock = 16384;
const newline = 0x0a;

export interface LogReader {
  readonly kernel: Kernel;
  readonly files: LogFiles;
  /** Reads the status of the container that is followed. */
  readonly containerStatus: (ctx: Context) => Go<ContainerStatusResponse>;
}

/**
 * Writes what a log holds, and with `follow` what comes until the container ends. A null writer: that stream is not
 * wanted.
 * upstream: ReadLogs
 */
export function* readLogs(
  r: LogReader,
  ctx: Context,
  path: string,
  options: ReadLogsOptions,
  stdout: LogWriter | null,
  stderr: LogWriter | null,
): Go<void> {
  let file: LogFile;
  try {
    file = yield* r.files.open(path);
  } catch (err) {
    throw new Error(`failed to try resolving symlinks in path ${JSON.stringify(path)}: ${messageOf(err)}`, {
      cause: err,
    });
  }
  const log = new Logger(r.kernel, 'logs.go');
  let events: Chan<FileEvent> | null | undefined;
  const wait = new LogWaiter(r, ctx);
  try {
    const tail = options.tailLines ?? -1;
    const limited = options.tailLines !== undefined && !options.follow;
    let lines = new Lines(file, yield* findTailLineStartIndex(file, tail, ctx));
    let left = tail;
    let parse: ParseLine | null = null;
    const out = new Out(options, stdout, stderr);
    for (let found = true, stop = false; ; ) {
      // A client that has gone needs no more of a large file, even if no line of it is written.
      const gone = ctx.err();
      if (gone) throw gone;
      if (stop || (limited && left === 0)) {
        log.info(2, 'Finished parsing log file', { path });
        return;
      }
      const { line, complete } = yield* lines.next();
      if (!complete) {
        if (options.follow) {
          if (!found) return;
          // An incomplete line is read again when more of it is written.
          if (events === undefined) {
            events = yield* r.files.watch(ctx, folderOf(path));
            continue;
          }
          found = yield* wait.next(events);
          if (yield* file.replaced()) {
            if (yield* lines.more()) continue;
            let next: LogFile;
            try {
              next = yield* r.files.open(path);
            } catch (err) {
              if ((err as { code?: string }).code === 'ENOENT') continue;
              throw err;
            }
            file.close();
            file = next;
            lines = new Lines(file, 0);
          }
          continue;
        }
        stop = true;
        if (line.length === 0) continue;
        log.info(0, 'Incomplete line in log file', { path });
      }
      parse ??= parserFor(line);
      let message: LogLine;
      try {
        message = parse(line);
      } catch (err) {
        log.error(err, 'Failed when parsing line in log file', { path });
        continue;
      }
      if (!(yield* out.write(message))) {
        log.info(2, 'Finished parsing log file, hit bytes limit', { path, limit: options.limitBytes ?? -1 });
        return;
      }
      if (limited) left--;
    }
  } finally {
    file.close();
  }
}

/**
 * Returns the offset at which the last `n` lines begin; 0 for a negative `n`. A last line without an end does not
 * count.
 * upstream: findTailLineStartIndex
 */
export function* findTailLineStartIndex(file: LogFile, n: number, ctx?: Context): Go<number> {
  if (n < 0) return 0;
  let count = 0;
  for (let right = yield* file.size(); right > 0; ) {
    const gone = ctx?.err();
    if (gone) throw gone;
    const left = Math.max(0, right - tailBlock);
    const block = yield* file.read(left, right - left);
    for (let i = block.length - 1; i >= 0; i--) if (block[i] === newline && ++count > n) return left + i + 1;
    right = left;
  }
  return 0;
}

/** A file's lines, read in chunks. */
class Lines {
  private buffer: Uint8Array = new Uint8Array(0);
  constructor(
    private readonly file: LogFile,
    /** Offset in the file of the end of the buffer. */
    private offset: number,
  ) {}

  /** The next line with its end. An incomplete line stays in the buffer to be read again. */
  *next(): Go<{ readonly line: Uint8Array; readonly complete: boolean }> {
    for (let searched = 0; ; ) {
      const end = this.buffer.indexOf(newline, searched);
      if (end >= 0) {
        const line = this.buffer.subarray(0, end + 1);
        this.buffer = this.buffer.subarray(end + 1);
        return { line, complete: true };
      }
      searched = this.buffer.length;
      if (searched > longestLine) throw new Error(`a line is longer than ${longestLine} bytes`);
      if (!(yield* this.more())) return { line: this.buffer, complete: false };
    }
  }

  /** Reads on; returns false at the end. */
  *more(): Go<boolean> {
    const read = yield* this.file.read(this.offset, chunk);
    if (read.length === 0) return false;
    this.offset += read.length;
    if (this.buffer.length === 0) this.buffer = read;
    else {
      const both = new Uint8Array(this.buffer.length + read.length);
      both.set(this.buffer);
      both.set(read, this.buffer.length);
      this.buffer = both;
    }
    return true;
  }
}

/** upstream: logWriter */
class Out {
  private remain: number;
  private isNewLine = true;
  constructor(
    private readonly options: ReadLogsOptions,
    private readonly stdout: LogWriter | null,
    private readonly stderr: LogWriter | null,
  ) {
    this.remain = options.limitBytes ?? Number.POSITIVE_INFINITY;
  }

  /** Writes a line; returns false when the limit is reached. */
  *write({ time, at, stream, content }: LogLine): Go<boolean> {
    const { since, timestamps } = this.options;
    const begins = this.isNewLine;
    this.isNewLine = content.length === 0 || content.at(-1) === newline;
    if (since !== null && at < since) return true;
    const to = stream === 'stdout' ? this.stdout : this.stderr;
    if (!to) return true;
    let line = content;
    if (timestamps && begins) {
      const prefix = utf8Bytes(`${formatTimestamp(time)} `);
      line = new Uint8Array(prefix.length + content.length);
      line.set(prefix);
      line.set(content, prefix.length);
    }
    if (line.length > this.remain) line = line.subarray(0, this.remain);
    yield* to(line);
    this.remain -= line.length;
    return this.remain > 0;
  }
}

/** upstream: waitLogs */
class LogWaiter {
  private asked: Micros | null = null;
  constructor(
    private readonly r: LogReader,
    private readonly ctx: Context,
  ) {}

  /**
   * Waits for a change; false when the container does not run any more. Upstream asks the runtime before each wait;
   * here at most twice a second, as a log that is written to all the time would fill the trace with the question.
   */
  *next(events: Chan<FileEvent> | null): Go<boolean> {
    const { r, ctx } = this;
    const ended = () => new Error('context cancelled', { cause: ctx.err() });
    if (ctx.err()) throw ended();
    const now = r.kernel.now();
    if (this.asked === null || now - this.asked >= askPeriod) {
      this.asked = now;
      if (!(yield* isContainerRunning(r, ctx))) return false;
    }
    const timer = new Timer(r.kernel, forceCheckPeriod, { name: 'logForceCheck', quiet: true });
    try {
      const s = yield* select({
        done: recv(ctx.done()),
        changed: recv(events && !events.closed ? events : null),
        check: recv(timer.c),
      });
      if (s.case === 'done') throw ended();
      // Many writes, one look.
      while (events && events.len > 0) yield* receive(events);
      return true;
    } finally {
      timer.stop();
    }
  }
}

/**
 * Returns true if the container runs, or the runtime is away: that says nothing about its containers.
 * upstream: isContainerRunning
 */
function* isContainerRunning(r: LogReader, ctx: Context): Go<boolean> {
  try {
    const { status } = yield* r.containerStatus(ctx);
    if (!status) throw new Error('container status is nil');
    return containerState(status) === 'CONTAINER_RUNNING';
  } catch (err) {
    if (asCRIError(err, 'containerStatus').code === GrpcCode.Unavailable) return true;
    throw err;
  }
}

const folderOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0)) || '/';

/** Logs by way of the node's files, whole and as text: for a simulation. */
export function logFilesOf(os: Pick<OSInterface, 'readFile' | 'stat' | 'watch'>): LogFiles {
  return {
    *open(path) {
      yield* os.readFile(path, { limit: 0 });
      let seen = 0;
      return {
        *read(offset, length) {
          const bytes = utf8Bytes(yield* os.readFile(path)).subarray(offset, offset + length);
          seen = Math.max(seen, offset + bytes.length);
          return bytes;
        },
        *size() {
          return (yield* os.stat(path))?.size ?? 0;
        },
        *replaced() {
          const stat = yield* os.stat(path);
          return stat !== null && stat.size < seen;
        },
        close() {},
      };
    },
    watch: (ctx, folder) => os.watch(ctx, folder),
  };
}
