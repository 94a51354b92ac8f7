import { kObj, type Pod } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import { type FileEvent, type FileStat, OSError, type OSInterface } from '../../host/os.js';
import {
  type Chan,
  type Context,
  frame,
  type Go,
  type Kernel,
  makeChan,
  type Process,
  receive,
  recv,
  Second,
  select,
  send,
  sleep,
  Ticker,
} from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import { defaultGates, type FeatureConfig } from '../features.js';
import { Logger } from '../klog.js';
import { BackOff } from '../util/backoff.js';
import { type DecodeResult, maxConfigLength, type OnDecoded, tryDecodeSinglePod } from './common.js';
import type { SourceUpdate } from './mux.js';

/** upstream: file.go eventBufferLen */
const eventBufferLen = 10;
/** upstream: file_linux.go retryPeriod, maxRetryPeriod */
const retryPeriod = Second;
const maxRetryPeriod = 20 * Second;

/** The most errors of one read that its record names. The log has all of them. */
const mostErrors = 20;
/** Characters of manifests that are kept to see whether a file is still the same. */
const mostRemembered = 32 * 1024 * 1024;

/** True for a file that can be read to its end: not a pipe, socket or device. */
const isRegular = ({ dir, type = dir ? 'dir' : 'file' }: FileStat): boolean => type === 'file';

export interface SourceFileDeps {
  readonly kernel: Kernel;
  readonly ctx: Context;
  readonly os: OSInterface;
  /** Folder of manifests, or one manifest. */
  readonly path: string;
  readonly nodeName: string;
  /** Default: as they are by default. */
  readonly gates?: FeatureConfig;
  readonly onDecoded?: OnDecoded;
  /** Between two lists. upstream: fileCheckFrequency */
  readonly period: Micros;
  readonly updates: Chan<SourceUpdate>;
  readonly process?: Process;
}

/** Watches the manifests of a folder. upstream: pkg/kubelet/config/file.go NewSourceFile */
export function newSourceFile(deps: SourceFileDeps): void {
  const path = deps.path.length > 1 ? deps.path.replace(/\/+$/, '') : deps.path;
  new SourceFile({ ...deps, path }).run();
}

class RetryableError extends Error {}

/** upstream: file.go sourceFile, file_linux.go */
class SourceFile {
  private readonly log: Logger;
  private readonly watchLog: Logger;
  private readonly watchEvents: Chan<FileEvent>;
  /** Pods by namespace/name. Not touched by a list that finds none: see listConfig. */
  private store = new Map<string, Pod>();
  private readonly fileKeyMapping = new Map<string, string>();
  /** Content and result of each file at its last read: most lists find no change. */
  private readonly decoded = new Map<string, { data: string; result: DecodeResult }>();
  /** Characters in it. */
  private remembered = 0;
  /** The first errors of the read in progress. */
  private errors: string[] = [];

  constructor(private readonly deps: SourceFileDeps) {
    this.log = new Logger(deps.kernel, 'file.go');
    this.watchLog = new Logger(deps.kernel, 'file_linux.go');
    this.watchEvents = makeChan<FileEvent>(deps.kernel, 'watchEvents', eventBufferLen, {
      describe: (e) => ({ path: e.path, op: e.op }),
    });
  }

  run(): void {
    const { kernel, process } = this.deps;
    this.log.info(1, 'Watching path', { path: this.deps.path });
    const options = { place: 'file', daemon: true, ...(process && { process }) } as const;
    const list = this.listLoop();
    const watch = this.watchLoop();
    kernel.go('sourceFile', () => list, options);
    kernel.go('sourceFile watch', () => watch, options);
  }

  private *listLoop(): Go<void> {
    const { kernel, path, period } = this.deps;
    const listTicker = new Ticker(kernel, period, { name: 'fileCheckFrequency' });
    const tryList = function* (this: SourceFile): Go<void> {
      try {
        yield* frame('listConfig', { path }, () => this.listConfig());
      } catch (err) {
        this.log.error(err, 'Unable to read config path', { path });
      }
    }.bind(this);
    yield* tryList();
    for (;;) {
      const r = yield* select({ list: recv(listTicker.c), event: recv(this.watchEvents) });
      if (r.case === 'list') {
        yield* tryList();
        continue;
      }
      if (!r.ok) return;
      try {
        const event = r.value;
        yield* frame('consumeWatchEvent', { path: event.path, op: event.op }, () => this.consumeWatchEvent(event));
      } catch (err) {
        this.log.error(err, 'Unable to process watch event');
        kernel.emit({
          kind: 'source',
          source: 'file',
          origin: 'watch',
          pods: [...this.store.values()].map((p) => ({ pod: kObj(p), uid: p.metadata.uid })),
          errors: [messageOf(err)],
        });
      }
    }
  }

  /** upstream: pkg/kubelet/config/file.go (*sourceFile).listConfig */
  private *listConfig(): Go<void> {
    const { os, path } = this.deps;
    this.errors = [];
    const stat = yield* os.stat(path);
    if (!stat) {
      this.decoded.clear();
      this.remembered = 0;
      // Said all the same, so that the source counts as seen.
      yield* this.send([], 'list');
      throw new Error('path does not exist, ignoring');
    }
    if (!stat.dir && !isRegular(stat)) throw new Error('path is not a directory or file');
    if (!stat.dir) {
      yield* this.replaceStore([yield* this.extractFromFile(path)]);
      return;
    }
    const pods = yield* this.extractFromDir(path);
    if (pods.length === 0) {
      // Upstream's own oddity: the store keeps what was in it, and a later watch event brings it back.
      yield* this.send([], 'list');
      return;
    }
    yield* this.replaceStore(pods);
  }

  /** upstream: (*sourceFile).extractFromDir */
  private *extractFromDir(dir: string): Go<Pod[]> {
    const { os } = this.deps;
    const pods: Pod[] = [];
    const entries = yield* os.readDir(dir);
    const there = new Set(entries.map(({ name }) => `${dir}/${name}`));
    for (const file of this.decoded.keys()) if (!there.has(file)) this.forget(file);
    for (const { name } of entries) {
      if (name.startsWith('.')) continue;
      const path = `${dir}/${name}`;
      let stat: FileStat | null;
      try {
        stat = yield* os.stat(path);
        if (!stat) throw new Error(`stat ${path}: no such file or directory`);
      } catch (err) {
        this.log.error(err, 'Could not get metadata', { path });
        this.keep(path, err, pods);
        continue;
      }
      if (stat.dir) {
        this.log.error(null, 'Provided manifest path is a directory, not recursing into manifest path', { path });
        continue;
      }
      if (!isRegular(stat)) {
        this.log.error(null, 'Manifest path is not a directory or file', { path, mode: stat.type });
        this.refuse(`${path} is a ${stat.type}, not a file: it is not read`);
        continue;
      }
      try {
        pods.push(yield* this.extractFromFile(path));
      } catch (err) {
        if (err instanceof OSError && err.code === 'ENOENT') continue;
        this.refuse(messageOf(err));
        this.log.error(err, 'Could not process manifest file', { path });
        this.keep(path, err, pods);
      }
    }
    return pods;
  }

  private refuse(why: string): void {
    if (this.errors.length < mostErrors) this.errors.push(why);
    else if (this.errors.length === mostErrors) this.errors.push('and more files that cannot be read');
  }

  /**
   * Keeps the last pod of a manifest if the file system does not answer: the manifest has not been removed. Upstream
   * waits until it answers, and all other manifests wait, too.
   */
  private keep(path: string, err: unknown, pods: Pod[]): void {
    const last = this.decoded.get(path)?.result;
    if (err instanceof OSError && err.code === 'ETIMEDOUT' && last && 'pod' in last) pods.push(last.pod);
  }

  /** upstream: (*sourceFile).extractFromFile */
  private *extractFromFile(filename: string): Go<Pod> {
    const { os, nodeName, gates = defaultGates, onDecoded } = this.deps;
    this.log.info(3, 'Reading config file', { path: filename });
    const stat = yield* os.stat(filename);
    if (stat && !isRegular(stat)) throw new Error(`${filename} is not a file`);
    if (stat && stat.size > maxConfigLength) throw new Error('the read limit is reached');
    const data = yield* os.readFile(filename, { limit: maxConfigLength });
    const before = this.decoded.get(filename);
    const result =
      before?.data === data
        ? before.result
        : tryDecodeSinglePod(data, {
            source: filename,
            isFile: true,
            nodeName,
            gates,
            ...(onDecoded && { onDecoded }),
          });
    this.remember(filename, data, result);
    if ('error' in result)
      throw result.parsed
        ? result.error
        : new Error(`${filename}: couldn't parse as pod(${result.error.message}), please check config file`);
    this.fileKeyMapping.set(filename, kObj(result.pod));
    return result.pod;
  }

  /** Bounds the sum of all files, because a folder may hold files that are not manifests. */
  private remember(filename: string, data: string, result: DecodeResult): void {
    this.remembered += data.length - (this.decoded.get(filename)?.data.length ?? 0);
    this.decoded.set(filename, { data, result });
    for (const [file, { data: old }] of this.decoded) {
      if (this.remembered <= mostRemembered) return;
      this.decoded.delete(file);
      this.remembered -= old.length;
    }
  }
  private forget(filename: string): void {
    this.remembered -= this.decoded.get(filename)?.data.length ?? 0;
    this.decoded.delete(filename);
  }

  /** upstream: (*sourceFile).replaceStore */
  private *replaceStore(pods: readonly Pod[]): Go<void> {
    this.store = new Map(pods.map((p) => [kObj(p), p]));
    yield* this.send([...this.store.values()], 'list');
  }

  private *send(pods: readonly Pod[], origin: 'list' | 'watch'): Go<void> {
    yield* send(this.deps.updates, { pods, origin, ...(this.errors.length > 0 && { errors: this.errors }) });
  }

  // --- watching --------------------------------------------------------------------------------------------------

  /** upstream: (*sourceFile).startWatch */
  private *watchLoop(): Go<void> {
    const { kernel, path } = this.deps;
    const backOff = new BackOff(kernel, retryPeriod, maxRetryPeriod);
    for (;;) {
      if (!backOff.isInBackOffSinceUpdate('watch', kernel.now())) {
        try {
          if (!(yield* this.doWatch())) return;
        } catch (err) {
          this.watchLog.error(err, 'Unable to read config path', { path });
          if (!(err instanceof RetryableError)) backOff.next('watch', kernel.now());
        }
      }
      yield* sleep(retryPeriod);
    }
  }

  /** Watches the files; returns false if that is not possible at all. upstream: (*sourceFile).doWatch */
  private *doWatch(): Go<boolean> {
    const { os, path, ctx, updates } = this.deps;
    if (!(yield* os.stat(path))) {
      yield* send(updates, { pods: [], origin: 'watch' });
      throw new RetryableError('path does not exist, ignoring');
    }
    const events = yield* os.watch(ctx, path);
    if (!events) {
      this.watchLog.error(null, 'Watching source file is unsupported in this build');
      return false;
    }
    for (;;) {
      const [event, ok] = yield* receive(events);
      if (!ok) throw new Error(`error while watching ${JSON.stringify(path)}: the watch ended`);
      if ((event.path.split('/').at(-1) ?? '').startsWith('.')) {
        this.watchLog.info(4, 'Ignored pod manifest, because it starts with dots', { eventName: event.path });
        continue;
      }
      yield* send(this.watchEvents, event);
    }
  }

  /** upstream: pkg/kubelet/config/file_linux.go (*sourceFile).consumeWatchEvent */
  private *consumeWatchEvent(e: FileEvent): Go<void> {
    this.errors = [];
    if (e.op !== 'delete') {
      let pod: Pod;
      try {
        pod = yield* this.extractFromFile(e.path);
      } catch (err) {
        throw new Error(`can't process config file ${JSON.stringify(e.path)}: ${messageOf(err)}`);
      }
      this.store.set(kObj(pod), pod);
    } else {
      const key = this.fileKeyMapping.get(e.path);
      if (key === undefined) return;
      if (!this.store.delete(key)) throw new Error(`the pod with key ${key} doesn't exist in cache`);
      this.fileKeyMapping.delete(e.path);
    }
    yield* this.send([...this.store.values()], 'watch');
  }
}
