import { toTime } from '../../api/time.js';
import { messageOf } from '../../base/index.js';
import { type ContainerStatus, containerState, type RuntimeService } from '../../cri/index.js';
import type { OSInterface } from '../../host/os.js';
import { OSError } from '../../host/os.js';
import {
  background,
  type Context,
  frame,
  type Go,
  type Kernel,
  Mutex,
  receive,
  Second,
  Ticker,
} from '../../kernel/index.js';
import type { KubeletConfig } from '../config.js';
import { Logger } from '../klog.js';

/** upstream: compressSuffix, tmpSuffix */
const compressSuffix = '.gz';
const tmpSuffix = '.tmp';
/** upstream: containerLogMonitorInterval's default */
const monitoringPeriod = 10 * Second;

export interface ContainerLogManagerDeps {
  readonly kernel: Kernel;
  readonly config: Pick<KubeletConfig, 'containerLogMaxSizeBytes' | 'containerLogMaxFiles'>;
  readonly runtimeService: RuntimeService;
  readonly os: OSInterface;
}

/** Rotates container logs (fidelity 2:L-01). upstream: pkg/kubelet/logs/container_log_manager.go containerLogManager */
export class ContainerLogManager {
  private readonly log: Logger;
  private readonly mutex: Mutex;
  constructor(readonly deps: ContainerLogManagerDeps) {
    this.log = new Logger(deps.kernel, 'container_log_manager.go');
    this.mutex = new Mutex(deps.kernel, 'containerLogManager');
  }

  /** Starts its goroutine: a look now and every 10 s. A negative size in the config: none. */
  start(): void {
    const { kernel, config } = this.deps;
    if (config.containerLogMaxSizeBytes < 0) return;
    this.log.info(0, 'Initializing container log rotate workers', { workers: 1, monitorPeriod: '10s' });
    const self = this;
    kernel.go(
      'containerLogManager',
      function* () {
        const ticker = new Ticker(kernel, monitoringPeriod, { name: 'logRotateTicker' });
        for (;;) {
          try {
            yield* self.rotateLogs(background);
          } catch (err) {
            self.log.error(err, 'Failed to rotate container logs');
          }
          yield* receive(ticker.c);
        }
      },
      { place: 'logs', daemon: true },
    );
  }

  /** Deletes a container's log file and its rotated ones. upstream: (*containerLogManager).Clean */
  *clean(ctx: Context, containerID: string): Go<void> {
    yield* this.mutex.lock();
    try {
      let status: ContainerStatus | undefined;
      try {
        ({ status } = yield* this.deps.runtimeService.containerStatus(ctx, { containerId: containerID }));
      } catch (err) {
        throw new Error(`failed to get container status "${containerID}": ${messageOf(err)}`, { cause: err });
      }
      if (!status) throw new Error(`container status is nil for "${containerID}"`);
      if (!status.logPath) return;
      for (const path of yield* this.withPrefix(status.logPath)) {
        try {
          yield* this.deps.os.remove(path);
        } catch (err) {
          if (!isMissing(err))
            throw new Error(`failed to remove container "${containerID}" log "${path}": ${messageOf(err)}`, {
              cause: err,
            });
        }
      }
    } finally {
      this.mutex.unlock();
    }
  }

  /**
   * Looks once at every running container. upstream: pkg/kubelet/logs/container_log_manager.go
   * (*containerLogManager).rotateLogs; its queue of one worker is this loop
   */
  *rotateLogs(ctx: Context): Go<void> {
    yield* frame('rotateLogs', undefined, () => this.rotateAll(ctx));
  }

  private *rotateAll(ctx: Context): Go<void> {
    yield* this.mutex.lock();
    const running: string[] = [];
    try {
      this.log.info(4, 'Starting container log rotation sequence');
      for (const c of (yield* this.deps.runtimeService.listContainers(ctx, { filter: {} })).containers ?? []) {
        if (containerState(c) !== 'CONTAINER_RUNNING') continue;
        this.log.info(4, 'Adding new entry to the queue for processing', {
          id: c.id ?? '',
          name: c.metadata?.name ?? '',
          labels: c.labels ?? {},
        });
        running.push(c.id ?? '');
      }
    } catch (err) {
      throw new Error(`failed to list containers: ${messageOf(err)}`, { cause: err });
    } finally {
      this.mutex.unlock();
    }
    for (const id of running) yield* this.processContainer(ctx, id);
  }

  /** upstream: processContainer */
  private *processContainer(ctx: Context, containerID: string): Go<void> {
    const { runtimeService, os, config } = this.deps;
    const worker = 1;
    let path: string;
    try {
      const { status } = yield* runtimeService.containerStatus(ctx, { containerId: containerID });
      if (!status) return this.log.error(null, 'Container status is nil', { worker, containerID });
      path = status.logPath ?? '';
    } catch (err) {
      return this.log.error(err, 'Failed to get container status', { worker, containerID });
    }
    let info = yield* os.stat(path);
    if (info === null) {
      try {
        yield* runtimeService.reopenContainerLog(ctx, { containerId: containerID });
      } catch (err) {
        return this.log.error(err, "Container log doesn't exist, reopen container log failed", {
          worker,
          containerID,
          path,
        });
      }
      info = yield* os.stat(path);
      if (info === null)
        return this.log.error(
          new OSError('ENOENT', `stat ${path}: no such file or directory`),
          'Failed to stat container log after reopen',
          { worker, containerID, path },
        );
    }
    const values = { worker, containerID, path, currentSize: info.size, maxSize: config.containerLogMaxSizeBytes };
    if (info.size < config.containerLogMaxSizeBytes)
      return this.log.info(7, "log file doesn't need to be rotated", values);
    try {
      yield* frame('rotateLog', { containerID, path, size: info.size }, () => this.rotateLog(ctx, containerID, path));
    } catch (err) {
      this.log.error(err, 'Failed to rotate log for container', values);
    }
    return undefined;
  }

  /** upstream: pkg/kubelet/logs/container_log_manager.go (*containerLogManager).rotateLog */
  private *rotateLog(ctx: Context, id: string, log: string): Go<void> {
    const { os } = this.deps;
    const all = (yield* this.withPrefix(`${log}.`)).sort();
    const inUse: string[] = [];
    for (const l of all) {
      if (isInUse(l, all)) inUse.push(l);
      else yield* this.attempt(`failed to cleanup logs: failed to remove unused log "${l}"`, os.remove(l));
    }
    // A new log and the one that is being moved away come on top.
    const keep = Math.max(0, this.deps.config.containerLogMaxFiles - 2);
    const excess = Math.max(0, inUse.length - keep);
    for (const l of inUse.slice(0, excess))
      yield* this.attempt(`failed to remove excess logs: failed to remove old log "${l}"`, os.remove(l));
    for (const l of inUse.slice(excess)) if (!l.endsWith(compressSuffix)) yield* this.compressLog(l);
    yield* this.rotateLatestLog(ctx, id, log);
  }

  /** upstream: compressLog. Left as it is if the host cannot compress. */
  private *compressLog(log: string): Go<void> {
    const { os } = this.deps;
    if (!os.gzip) return;
    const tmp = `${log}${tmpSuffix}`;
    yield* this.attempt(`failed to compress log "${log}": failed to compress "${log}" to "${tmp}"`, os.gzip(log, tmp));
    yield* this.attempt(
      `failed to compress log "${log}": failed to rename "${tmp}" to "${log}${compressSuffix}"`,
      os.rename(tmp, `${log}${compressSuffix}`),
    );
    yield* this.attempt(
      `failed to compress log "${log}": failed to remove log "${log}" after compress`,
      os.remove(log),
    );
  }

  /** Moves the log away and has the runtime open a new one; back again if it does not. upstream: rotateLatestLog */
  private *rotateLatestLog(ctx: Context, id: string, log: string): Go<void> {
    const { os, runtimeService, kernel } = this.deps;
    const digits = toTime(kernel, kernel.now()).replace(/[-:Z]/g, '');
    const rotated = `${log}.${digits.replace('T', '-')}`;
    yield* this.attempt(
      `failed to rotate log "${log}": failed to rotate log "${log}" to "${rotated}"`,
      os.rename(log, rotated),
    );
    try {
      yield* runtimeService.reopenContainerLog(ctx, { containerId: id });
    } catch (err) {
      try {
        yield* os.rename(rotated, log);
      } catch (renameErr) {
        this.log.error(renameErr, 'Failed to rename rotated log', {
          rotatedLog: rotated,
          newLog: log,
          containerID: id,
        });
      }
      throw new Error(`failed to rotate log "${log}": failed to reopen container log "${id}": ${messageOf(err)}`, {
        cause: err,
      });
    }
  }

  private *attempt(what: string, op: Go<void>): Go<void> {
    try {
      yield* op;
    } catch (err) {
      throw new Error(`${what}: ${messageOf(err)}`, { cause: err });
    }
  }

  /** Files whose path starts so. upstream: filepath.Glob(prefix + "*") */
  private *withPrefix(prefix: string): Go<string[]> {
    const slash = prefix.lastIndexOf('/');
    const dir = prefix.slice(0, slash);
    try {
      return (yield* this.deps.os.readDir(dir))
        .filter((f) => f.name.startsWith(prefix.slice(slash + 1)))
        .map((f) => `${dir}/${f.name}`);
    } catch (err) {
      if (isMissing(err)) return [];
      throw err;
    }
  }
}

const isMissing = (err: unknown): boolean => err instanceof OSError && err.code === 'ENOENT';

/** Returns true for a log that is neither a leftover of a broken rotation nor compressed already. upstream: isInUse */
function isInUse(log: string, all: readonly string[]): boolean {
  if (log.endsWith(tmpSuffix)) return false;
  return log.endsWith(compressSuffix) || !all.includes(`${log}${compressSuffix}`);
}
