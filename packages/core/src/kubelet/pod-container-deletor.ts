import { messageOf } from '../base/index.js';
import { background, type Chan, type Kernel, makeChan, receive } from '../kernel/index.js';
import type { ContainerID, Runtime, RuntimePodStatus, Status } from './container/types.js';
import { Logger } from './klog.js';

/** upstream: pod_container_deletor.go containerDeletorBufferLimit */
const containerDeletorBufferLimit = 50;

/**
 * Removes dead containers of a pod in the background, newest kept.
 * upstream: pod_container_deletor.go podContainerDeletor
 */
export class PodContainerDeletor {
  private readonly worker: Chan<ContainerID>;
  private readonly log: Logger;
  constructor(
    private readonly kernel: Kernel,
    private readonly runtime: Pick<Runtime, 'deleteContainer'>,
    /** Dead containers that stay, per container name. */
    private readonly containersToKeep: number,
  ) {
    this.log = new Logger(kernel, 'pod_container_deletor.go');
    this.worker = makeChan<ContainerID>(kernel, 'podContainerDeletor', containerDeletorBufferLimit, {
      // The id is short, as runtimes print it: the whole one says no more.
      describe: (id) => id.id.slice(0, 13),
    });
  }

  /** Starts the one goroutine that deletes. */
  start(): void {
    const { worker, runtime, log } = this;
    this.kernel.go(
      'podContainerDeletor',
      function* () {
        for (;;) {
          const [id] = yield* receive(worker);
          if (!id) return;
          try {
            yield* runtime.deleteContainer(background, id);
          } catch (err) {
            log.info(0, 'DeleteContainer returned error', {
              containerID: { Type: id.type, ID: id.id },
              err: messageOf(err),
            });
          }
        }
      },
      { place: 'deletor', daemon: true },
    );
  }

  /** upstream: (*podContainerDeletor).deleteContainersInPod */
  deleteContainersInPod(filterContainerID: string, podStatus: RuntimePodStatus, removeAll: boolean): void {
    const candidates = removeAll
      ? this.getContainersToDeleteInPod('', podStatus, 0)
      : this.getContainersToDeleteInPod(filterContainerID, podStatus, this.containersToKeep);
    for (const candidate of candidates)
      if (!this.worker.trySend(candidate.id))
        this.log.info(0, 'Failed to issue the request to remove container', {
          containerID: { Type: candidate.id.type, ID: candidate.id.id },
        });
  }

  /** upstream: pod_container_deletor.go getContainersToDeleteInPod */
  private getContainersToDeleteInPod(filterContainerID: string, podStatus: RuntimePodStatus, keep: number): Status[] {
    const matched = filterContainerID
      ? podStatus.containerStatuses.find((s) => s.id.id === filterContainerID)
      : undefined;
    if (filterContainerID && !matched) {
      this.log.info(0, "Container not found in pod's containers", { containerID: filterContainerID });
      return [];
    }
    return podStatus.containerStatuses
      .filter((s) => s.state === 'exited' && (!matched || matched.name === s.name))
      .sort((a, b) => (a.createdAt > b.createdAt ? -1 : a.createdAt < b.createdAt ? 1 : 0))
      .slice(keep);
  }
}
