import { messageOf } from '../../base/index.js';
import { containerState, int64, sandboxState } from '../../cri/index.js';
import { type Context, frame, type Go } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import { fromRuntimeTime } from '../container/helpers.js';
import { AggregateSyncError } from '../container/sync-result.js';
import type { PodStateProvider } from '../container/types.js';
import { parsePodUIDFromLogsDirectory } from './helpers.js';
import type { KillContainerDeps } from './kuberuntime-container-kill.js';
import { killContainer } from './kuberuntime-container-kill.js';
import type { RemoveContainerDeps } from './kuberuntime-container-remove.js';
import { removeContainer } from './kuberuntime-container-remove.js';
import { getContainers, getSandboxes } from './kuberuntime-container-status.js';
import { getContainerInfoFromLabels } from './labels.js';
import { getContainerIDFromLegacyLogSymlink, legacyContainerLogsDir, legacyLogSuffix } from './legacy.js';
import type { RuntimeType } from './types.js';

/** upstream: kubecontainer.GCPolicy */
export interface GCPolicy {
  readonly minAge: Micros;
  /** Dead instances kept per container name of a pod; negative: no limit. */
  readonly maxPerPodContainer: number;
  /** Dead containers kept on the node; negative: no limit. */
  readonly maxContainers: number;
}

/** upstream: the kubelet's flags minimum-container-ttl-duration and its siblings (fidelity 2:D-01) */
export const defaultGCPolicy: GCPolicy = { minAge: 0, maxPerPodContainer: 1, maxContainers: -1 };

interface ContainerGCInfo {
  readonly id: string;
  readonly name: string;
  readonly createTime: bigint;
  readonly unknown: boolean;
}
interface EvictUnit {
  readonly uid: string;
  containers: ContainerGCInfo[];
}
interface SandboxGCInfo {
  readonly id: string;
  readonly createTime: bigint;
  /** Ready, or still with containers. */
  readonly active: boolean;
}

const newestFirst = (a: { createTime: bigint }, b: { createTime: bigint }): number =>
  a.createTime === b.createTime ? 0 : a.createTime > b.createTime ? -1 : 1;

/**
 * The parts of the runtime manager that the collector works with.
 * upstream: containerGC, which holds the client, the state and the manager
 */
interface ContainerGCDeps extends KillContainerDeps, RemoveContainerDeps, RuntimeType {
  readonly podStateProvider: PodStateProvider;
  readonly podLogsDirectory: string;
}

/**
 * Removes dead containers, empty sandboxes and logs that are no longer needed (fidelity 2, section 12).
 * upstream: containerGC
 */
export class ContainerGC {
  constructor(private readonly m: ContainerGCDeps) {}

  /**
   * Makes all three passes; throws what went wrong in them.
   * upstream: pkg/kubelet/kuberuntime/kuberuntime_gc.go (*containerGC).GarbageCollect
   */
  *garbageCollect(ctx: Context, policy: GCPolicy, allSourcesReady: boolean, evictNonDeletedPods: boolean): Go<void> {
    yield* frame('Containers/GarbageCollect', { allSourcesReady, evictNonDeletedPods }, () =>
      this.run(ctx, policy, allSourcesReady, evictNonDeletedPods),
    );
  }

  private *run(ctx: Context, policy: GCPolicy, allSourcesReady: boolean, evictNonDeletedPods: boolean): Go<void> {
    const errors: Error[] = [];
    const passes = [
      () => this.evictContainers(ctx, policy, allSourcesReady, evictNonDeletedPods),
      () => this.evictSandboxes(ctx, evictNonDeletedPods),
      () => this.evictPodLogsDirectories(ctx, allSourcesReady),
    ];
    for (const pass of passes) {
      try {
        yield* pass();
      } catch (err) {
        errors.push(err instanceof Error ? err : new Error(messageOf(err)));
      }
    }
    if (errors.length > 0) throw new AggregateSyncError(errors);
  }

  private mayGo(uid: string, evictNonDeletedPods: boolean): boolean {
    const p = this.m.podStateProvider;
    return p.shouldPodContentBeRemoved(uid) || (evictNonDeletedPods && p.shouldPodRuntimeBeRemoved(uid));
  }

  /**
   * Returns everything that does not run, by pod and container name (fidelity 2:D-02).
   * upstream: evictableContainers
   */
  private *evictableContainers(ctx: Context, minAge: Micros): Go<EvictUnit[]> {
    const { kernel } = this.m;
    const units = new Map<string, EvictUnit>();
    for (const c of yield* getContainers(this.m, ctx, {})) {
      const state = containerState(c);
      const createTime = int64(c.createdAt);
      if (state === 'CONTAINER_RUNNING' || fromRuntimeTime(kernel, createTime) > kernel.now() - minAge) continue;
      const uid = getContainerInfoFromLabels(c.labels).podUID;
      const name = c.metadata?.name ?? '';
      const key = `${uid}/${name}`;
      const unit = units.get(key) ?? { uid, containers: [] };
      unit.containers.push({ id: c.id ?? '', name, createTime, unknown: state === 'CONTAINER_UNKNOWN' });
      units.set(key, unit);
    }
    return [...units.values()];
  }

  /** upstream: evictContainers (fidelity 2:D-03) */
  private *evictContainers(
    ctx: Context,
    policy: GCPolicy,
    allSourcesReady: boolean,
    evictNonDeletedPods: boolean,
  ): Go<void> {
    let units = yield* this.evictableContainers(ctx, policy.minAge);
    if (allSourcesReady) {
      const kept: EvictUnit[] = [];
      for (const unit of units) {
        if (this.mayGo(unit.uid, evictNonDeletedPods))
          yield* this.removeOldestN(ctx, unit.containers, unit.containers.length, 'the pod is gone');
        else kept.push(unit);
      }
      units = kept;
    }
    if (policy.maxPerPodContainer >= 0)
      yield* this.enforceMaxContainersPerEvictUnit(ctx, units, policy.maxPerPodContainer);
    const total = () => units.reduce((n, u) => n + u.containers.length, 0);
    if (policy.maxContainers >= 0 && total() > policy.maxContainers) {
      yield* this.enforceMaxContainersPerEvictUnit(
        ctx,
        units,
        Math.max(1, Math.trunc(policy.maxContainers / units.length)),
      );
      const n = total();
      if (n > policy.maxContainers) {
        const all = units.flatMap((u) => u.containers).sort(newestFirst);
        yield* this.removeOldestN(ctx, all, n - policy.maxContainers, 'too many dead containers on the node');
      }
    }
  }

  private *enforceMaxContainersPerEvictUnit(ctx: Context, units: readonly EvictUnit[], max: number): Go<void> {
    for (const unit of units) {
      const toRemove = unit.containers.length - max;
      if (toRemove > 0)
        unit.containers = yield* this.removeOldestN(ctx, unit.containers, toRemove, 'too many dead instances');
    }
  }

  /**
   * Removes the oldest and returns those that stay; a failed removal counts as done until the next round.
   * upstream: removeOldestN
   */
  private *removeOldestN(
    ctx: Context,
    containers: readonly ContainerGCInfo[],
    toRemove: number,
    why: string,
  ): Go<ContainerGCInfo[]> {
    const { m } = this;
    const numToKeep = containers.length - toRemove;
    const sorted = numToKeep > 0 ? [...containers].sort(newestFirst) : [...containers];
    for (const c of sorted.slice(numToKeep).reverse()) {
      m.kernel.emit({
        kind: 'decision',
        rule: 'removeOldestN',
        verdict: 'remove',
        values: { id: c.id, why, unknown: c.unknown },
        container: c.name,
      });
      if (c.unknown) {
        // It may be running.
        const message = 'Container is in unknown state, try killing it before removal';
        try {
          yield* killContainer(m, ctx, {
            pod: null,
            containerID: { type: m.type(), id: c.id },
            containerName: c.name,
            message,
            reason: 'Unknown',
            gracePeriodOverride: null,
            ordering: null,
          });
        } catch (err) {
          m.log.gc.error(err, 'Failed to stop container', { containerID: c.id });
          continue;
        }
      }
      try {
        yield* removeContainer(m, ctx, c.id, false);
      } catch (err) {
        m.log.gc.error(err, 'Failed to remove container', { containerID: c.id });
      }
    }
    return sorted.slice(0, numToKeep);
  }

  /**
   * Evicts sandboxes that are neither ready nor have a container, and are not the newest of a living pod (fidelity
   * 2:D-06).
   * upstream: evictSandboxes
   */
  private *evictSandboxes(ctx: Context, evictNonDeletedPods: boolean): Go<void> {
    const { m } = this;
    const containers = yield* getContainers(m, ctx, {});
    const sandboxes = yield* getSandboxes(m, ctx, {});
    const inUse = new Set(containers.map((c) => c.podSandboxId));
    const byPod = new Map<string, SandboxGCInfo[]>();
    for (const s of sandboxes) {
      const uid = s.metadata?.uid ?? '';
      const active = sandboxState(s) === 'SANDBOX_READY' || inUse.has(s.id);
      const list = byPod.get(uid) ?? [];
      list.push({ id: s.id ?? '', createTime: int64(s.createdAt), active });
      byPod.set(uid, list);
    }
    for (const [uid, list] of byPod) {
      const numToKeep = this.mayGo(uid, evictNonDeletedPods) ? 0 : 1;
      const sorted = numToKeep > 0 ? list.sort(newestFirst) : list;
      for (const s of sorted.slice(numToKeep).reverse()) if (!s.active) yield* this.removeSandbox(ctx, s.id);
    }
  }

  /** upstream: (*containerGC).removeSandbox (fidelity 2:D-07) */
  private *removeSandbox(ctx: Context, sandboxID: string): Go<void> {
    const { log, runtimeService } = this.m;
    log.gc.info(4, 'Removing sandbox', { sandboxID });
    try {
      yield* runtimeService.stopPodSandbox(ctx, { podSandboxId: sandboxID });
    } catch (err) {
      log.gc.error(err, 'Failed to stop sandbox before removing', { sandboxID });
      return;
    }
    try {
      yield* runtimeService.removePodSandbox(ctx, { podSandboxId: sandboxID });
    } catch (err) {
      log.gc.error(err, 'Failed to remove sandbox', { sandboxID });
    }
  }

  /**
   * Logs of gone pods, and links to logs of dead containers that are gone (fidelity 2:D-08).
   * upstream: evictPodLogsDirectories
   */
  private *evictPodLogsDirectories(ctx: Context, allSourcesReady: boolean): Go<void> {
    const { os, podLogsDirectory, podStateProvider, log } = this.m;
    if (allSourcesReady) {
      let dirs: { name: string }[];
      try {
        dirs = yield* os.readDir(podLogsDirectory);
      } catch (err) {
        throw new Error(`failed to read podLogsDirectory "${podLogsDirectory}": ${messageOf(err)}`, { cause: err });
      }
      for (const { name } of dirs) {
        const podUID = parsePodUIDFromLogsDirectory(name);
        if (!podStateProvider.shouldPodContentBeRemoved(podUID)) continue;
        log.gc.info(4, 'Removing pod logs', { podUID });
        try {
          yield* os.removeAll(`${podLogsDirectory}/${name}`);
        } catch (err) {
          log.gc.error(err, 'Failed to remove pod logs directory', { path: name });
        }
      }
    }
    let links: { name: string }[] = [];
    try {
      links = yield* os.readDir(legacyContainerLogsDir);
    } catch {
      return;
    }
    for (const { name } of links) {
      if (!name.endsWith(`.${legacyLogSuffix}`)) continue;
      const path = `${legacyContainerLogsDir}/${name}`;
      if ((yield* os.stat(path)) === null && !(yield* this.isNeeded(ctx, path))) yield* this.removeSymlink(path);
    }
  }

  /**
   * Returns true if a link must stay: it may dangle for a moment while the log of a container that may still write is
   * rotated.
   */
  private *isNeeded(ctx: Context, path: string): Go<boolean> {
    const { log, runtimeService } = this.m;
    const containerID = getContainerIDFromLegacyLogSymlink(path);
    if (containerID === null) {
      log.gc.info(4, 'Unable to obtain container ID', { err: `unable to find separator in "${path}"` });
      return false;
    }
    try {
      const { status } = yield* runtimeService.containerStatus(ctx, { containerId: containerID });
      if (status && containerState(status) === 'CONTAINER_EXITED') return false;
      log.gc.info(
        status ? 5 : 4,
        status ? 'Container is still running, not removing symlink' : 'Container status is nil',
        { containerID, path },
      );
      return true;
    } catch (err) {
      log.gc.info(0, 'Error getting ContainerStatus for containerID', { containerID, err: messageOf(err) });
      return false;
    }
  }

  private *removeSymlink(path: string): Go<void> {
    const { os, log } = this.m;
    try {
      yield* os.remove(path);
      log.gc.info(4, 'Removed symlink', { path });
    } catch (err) {
      log.gc.error(err, 'Failed to remove container log dead symlink', { path });
    }
  }
}
