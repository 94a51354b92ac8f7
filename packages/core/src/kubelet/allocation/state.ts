import type { ResourceRequirements } from '../../api/types.js';
import { deepCopy } from '../../base/deep.js';
import { fnv32a, messageOf, utf8Bytes } from '../../base/index.js';
import { OSError, type OSInterface } from '../../host/os.js';
import { type Go, type Kernel, Mutex } from '../../kernel/index.js';
import { Logger } from '../klog.js';

/**
 * Resources of one pod: of its containers by name, and of the pod as a whole if it has some.
 * upstream: state.PodResourceInfo
 */
export interface PodResourceInfo {
  ContainerResources: Record<string, ResourceRequirements>;
  PodLevelResources?: ResourceRequirements;
}

interface Checkpoint {
  readonly data: string;
  readonly checksum: number;
}

/**
 * Keeps the resources that were allocated to pods, or actuated for them, in a file over restarts of the kubelet. Reads
 * are copies.
 * upstream: pkg/kubelet/allocation/state/state_checkpoint.go stateCheckpoint
 */
export class StateCheckpoint {
  private readonly pods = new Map<string, PodResourceInfo>();
  private readonly log: Logger;
  private readonly mutex: Mutex;
  private lastChecksum = 0;

  /** `directory`: the kubelet's root; `name`: the file in it. */
  constructor(
    kernel: Kernel,
    private readonly os: OSInterface,
    private readonly directory: string,
    private readonly name: string,
  ) {
    this.log = new Logger(kernel, 'state_checkpoint.go');
    this.mutex = new Mutex(kernel, 'stateCheckpoint');
  }

  private get path(): string {
    return `${this.directory}/${this.name}`;
  }

  /** Reads the file, if there is one; throws if it cannot be believed. upstream: NewStateCheckpoint, restoreState */
  *restore(): Go<void> {
    yield* this.os.mkdirAll(this.directory, 0o755);
    let text: string;
    try {
      text = yield* this.os.readFile(this.path);
    } catch (err) {
      if (err instanceof OSError && err.code === 'ENOENT') return;
      throw this.unusable(messageOf(err));
    }
    let entries: Record<string, PodResourceInfo>;
    try {
      const { data, checksum } = JSON.parse(text) as Checkpoint;
      if (checksum !== checksumOf(data)) throw new Error('checkpoint is corrupted');
      ({ entries = {} } = JSON.parse(data) as { entries?: Record<string, PodResourceInfo> });
      this.lastChecksum = checksum;
    } catch (err) {
      throw this.unusable(messageOf(err));
    }
    this.log.info(2, 'State checkpoint: restored pod resource state from checkpoint');
    for (const [uid, info] of Object.entries(entries)) this.pods.set(uid, info);
  }

  private unusable(why: string): Error {
    return new Error(
      `could not restore state from checkpoint: ${why}, please drain this node and delete pod resource information checkpoint file ${JSON.stringify(this.path)} before restarting Kubelet`,
    );
  }

  /** Stores one state at a time: workers store side by side, and the last to write must be the last to have looked. */
  private *store(): Go<void> {
    yield* this.mutex.lock();
    try {
      yield* this.storeState();
    } finally {
      this.mutex.unlock();
    }
  }

  /**
   * Writes the state by a temporary file: whatever ends the kubelet, the file is whole.
   * upstream: (*stateCheckpoint).storeState, store.writeFile
   */
  private *storeState(): Go<void> {
    const data = JSON.stringify({ entries: Object.fromEntries(this.pods) });
    const checksum = checksumOf(data);
    if (checksum === this.lastChecksum) return;
    try {
      const temporary = `${this.directory}/.${this.name}.tmp`;
      yield* this.os.writeFile(temporary, JSON.stringify({ data, checksum } satisfies Checkpoint), 0o600);
      // Without this a power failure could leave an empty file under the name.
      if (this.os.syncFile) yield* this.os.syncFile(temporary);
      yield* this.os.rename(temporary, this.path);
    } catch (err) {
      this.log.error(err, 'Failed to save pod resource information checkpoint');
      throw err;
    }
    this.lastChecksum = checksum;
  }

  getContainerResources(podUID: string, containerName: string): ResourceRequirements | undefined {
    return deepCopy(this.pods.get(podUID)?.ContainerResources[containerName]);
  }
  /** Returns the resources of a pod as a whole. `found`: the pod is known, with resources of its own or without. */
  getPodLevelResources(podUID: string): {
    readonly found: boolean;
    readonly resources: ResourceRequirements | undefined;
  } {
    const info = this.pods.get(podUID);
    return { found: info !== undefined, resources: deepCopy(info?.PodLevelResources) };
  }
  getPodResourceInfo(podUID: string): PodResourceInfo | undefined {
    return deepCopy(this.pods.get(podUID));
  }
  podUIDs(): string[] {
    return [...this.pods.keys()];
  }

  *setContainerResources(podUID: string, containerName: string, resources: ResourceRequirements): Go<void> {
    this.info(podUID).ContainerResources[containerName] = deepCopy(resources);
    yield* this.store();
  }
  *setPodLevelResources(podUID: string, resources: ResourceRequirements): Go<void> {
    this.info(podUID).PodLevelResources = deepCopy(resources);
    yield* this.store();
  }
  *setPodResourceInfo(podUID: string, info: PodResourceInfo): Go<void> {
    this.pods.set(podUID, deepCopy(info));
    yield* this.store();
  }
  /** Removes the entry in memory only: the file follows with the next write. */
  removePod(podUID: string): void {
    this.pods.delete(podUID);
  }
  removeOrphanedPods(remaining: ReadonlySet<string>): readonly string[] {
    const orphans = this.podUIDs().filter((uid) => !remaining.has(uid));
    for (const uid of orphans) this.pods.delete(uid);
    return orphans;
  }

  private info(podUID: string): PodResourceInfo {
    let info = this.pods.get(podUID);
    if (!info) {
      info = { ContainerResources: {} };
      this.pods.set(podUID, info);
    }
    return info;
  }
}

const checksumOf = (data: string): number => fnv32a(utf8Bytes(data));
