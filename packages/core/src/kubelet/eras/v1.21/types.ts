import type { Micros } from '../../../trace/index.js';
import type { EraHandle, EraParts } from '../../era/types.js';
import type { PodKiller } from './pod-killer.js';
import type { PodWorkers } from './pod-workers.js';

/** The parts that v1.21 has and v1.36 has not. */
export interface Parts extends EraParts {
  readonly workers: PodWorkers;
  readonly podKiller: PodKiller;
  /** When PLEG last told of a started container, by UID: the runtime cache must not be older when a pod is deleted. */
  readonly lastContainerStartedTime: Map<string, Micros>;
}

/** The kubelet as v1.21's functions see it. */
export interface KubeletHandle extends EraHandle {
  readonly eraParts: Parts;
}
