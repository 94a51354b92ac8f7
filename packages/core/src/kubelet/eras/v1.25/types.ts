import type { EraHandle, EraParts } from '../../era/types.js';
import type { PodWorkersOfThen } from './pod-workers.js';

/** The parts that v1.22 to v1.26 have in place of today's. */
export interface Parts extends EraParts {
  readonly podWorkers: PodWorkersOfThen;
}

/** The kubelet as the functions of those versions see it. */
export interface KubeletHandle extends EraHandle {
  readonly podWorkers: PodWorkersOfThen;
}
